"""One crasher for all crash tests of a test process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.crash.crashing import Crasher, running_crasher


@pytest.fixture(scope="session")
def crasher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crasher]:
    """Kills processes in the middle of statements."""
    with running_crasher(tmp_path_factory.mktemp("crasher")) as running:
        yield running
