"""One crasher for all crash tests of a test process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite("tests.crash.file_worlds", "tests.crash.kafka_worlds")

from tests.crash.crashing import Crasher, running_crasher  # noqa: E402 - after the line above


@pytest.fixture(scope="session")
def crasher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crasher]:
    """Kills processes in the middle of statements."""
    with running_crasher(tmp_path_factory.mktemp("crasher")) as running:
        yield running
