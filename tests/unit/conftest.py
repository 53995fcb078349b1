"""A real S3 server for the tests that want one, started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.seaweedfs import SeaweedMissing, SeaweedServer, running_seaweedfs


@pytest.fixture(scope="session")
def seaweedfs() -> Iterator[SeaweedServer]:
    try:
        with running_seaweedfs() as server:
            yield server
    except SeaweedMissing as missing:
        pytest.skip(str(missing))
