"""Cases that every run needs, and their many relatives, which `make nightly` runs.

A relative shows what another case shows already, at one more point or on one more store.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def often(cases: Iterable[Any], every_run: Collection[Any]) -> list[Any]:
    """The cases as parameters of a test; those that are not for every run are marked `nightly`."""
    known = list(cases)
    unknown = set(every_run) - set(known)
    assert not unknown, f"no such cases: {unknown}"
    return [_case(case, nightly=case not in every_run) for case in known]


def _case(case: Any, *, nightly: bool) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=[pytest.mark.nightly] if nightly else [])
