"""The seeds of random tests: those of every run, new ones where they are asked for, or one again.

Invariant: all workers of a run draw the same new seeds, so that they know the same tests.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from random import Random
from secrets import token_hex


def seeds(variable: str, every_run: Sequence[int]) -> list[int]:
    """Those that the variable names, with commas; else those of every run and HEADWATER_SEEDS more.

    A test says which seed it has, so that it can be repeated.
    """
    asked = os.environ.get(variable)
    if asked is not None:
        return [int(seed) for seed in asked.split(",")]
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or token_hex()
    # Each kind of test has seeds of its own.
    random = Random(f"{run} {variable}")
    more = int(os.environ.get("HEADWATER_SEEDS", "0"))
    return [*every_run, *(random.randrange(1 << 30) for _ in range(more))]
