"""What the unit tests share: a lake that is made once and copied, and one real S3 server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.seaweedfs import SeaweedMissing, SeaweedServer, running_seaweedfs

import headwater


@pytest.fixture(scope="session")
def new_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake nobody has used: copied by each test, because making one takes half a second."""
    folder = tmp_path_factory.mktemp("lakes") / "new"
    headwater.connect(folder).close()
    return folder


@pytest.fixture(scope="session")
def seaweedfs() -> Iterator[SeaweedServer]:
    """A server that stops with the tests."""
    try:
        with running_seaweedfs() as server:
            yield server
    except SeaweedMissing as missing:
        pytest.skip(str(missing))
