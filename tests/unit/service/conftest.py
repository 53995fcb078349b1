"""A service on a real lake and a real port, for statements that need no Spark."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.certificates import make_certificate
from tests.processes import wait_for

from headwater.client.local_service import TOKEN_FILE
from headwater.service.limits import Limits
from headwater.service.server import Listening, Server
from headwater.service.service import Service, Standing


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Path:
    return shutil.copytree(new_lake, tmp_path / "lake")


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[str, str]:
    """One of our own for 127.0.0.1, and its key."""
    return make_certificate(tmp_path)


@pytest.fixture
def limits() -> Limits:
    """What a test may replace."""
    return Limits(stop_seconds=1.0)


@pytest.fixture
def listening() -> Listening:
    """What a test may replace."""
    return Listening(port=0)


@pytest.fixture
def server(lake: Path, limits: Limits, listening: Listening) -> Iterator[Server]:
    service = Service.open(lake, loops=False)
    service = Service(service.lake, limits=limits, loops=False)
    server = Server(service, listening)
    server.start()
    wait_for(lambda: service.standing is Standing.ACTIVE, "the service to hold the lake")
    yield server
    server.stop()
    assert not service.lake.engine.started


@pytest.fixture
def token(server: Server, lake: Path) -> str:
    return (lake / TOKEN_FILE).read_text()


@pytest.fixture
def http(server: Server, token: str) -> Iterator[httpx.Client]:
    """Asks as the lake's own machine does."""
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(
        base_url=server.url, headers=headers, trust_env=False, verify=False
    ) as client:
        yield client
