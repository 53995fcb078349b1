"""Runs each test of a store on a local folder and on a real S3 server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.seaweedfs import SeaweedServer

from headwater.storage.addresses import StoreAddress, parse_location
from headwater.storage.open_store import open_store
from headwater.storage.store import Store


@pytest.fixture(params=["file", "s3"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> StoreAddress:
    """An empty folder of each kind of store."""
    if request.param == "file":
        folder = tmp_path / "my volume"
        folder.mkdir()
        return parse_location(f"file://{folder}")
    server: SeaweedServer = request.getfixturevalue("seaweedfs")
    return parse_location(f"s3://{server.create_bucket()}/my volume/in")


@pytest.fixture
def store(address: StoreAddress, request: pytest.FixtureRequest) -> Iterator[Store]:
    connection = None
    if address.scheme == "s3":
        connection = request.getfixturevalue("seaweedfs").connection
    opened = open_store(address, connection)
    yield opened
    opened.close()
