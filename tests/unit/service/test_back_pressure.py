"""More clients than a service takes on: those told to come back do so, and all are served.

What keeps the service busy is real: another process holds the catalog, and statements wait for it.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
from bench.load_client import Order, run_clients

import headwater
from headwater.service.limits import Limits
from headwater.service.server import Server

CLIENTS = 12
HELD_SECONDS = 2.0


@pytest.fixture
def limits() -> Limits:
    return Limits(computing=2, quick=2, waiting=3, stop_seconds=1.0)


@contextmanager
def held(lake: Path) -> Iterator[None]:
    """Nobody else writes the catalog, so that no statement can begin its job."""
    with closing(sqlite3.connect(lake / "catalog.db", timeout=10)) as catalog:
        catalog.isolation_level = None
        catalog.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            catalog.execute("ROLLBACK")


def test_python_clients_wait_as_told_and_are_all_served(
    server: Server, token: str, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    sleep = time.sleep

    def noted(seconds: float) -> None:
        if threading.current_thread().name.startswith("client"):
            slept.append(seconds)
        sleep(seconds)

    monkeypatch.setattr("headwater.client.transport.time.sleep", noted)
    connections = [headwater.connect(server.url, token=token) for _ in range(CLIENTS)]
    with ThreadPoolExecutor(CLIENTS, thread_name_prefix="client") as clients:
        with held(lake):
            asked = [clients.submit(c.sql, "SHOW SCHEMAS") for c in connections]
            sleep(HELD_SECONDS)
        found = [answer.result(timeout=30).rows for answer in asked]
    assert found == [[("public",)]] * CLIENTS
    # Five found a place; the others were told to come back, once a second.
    refused = server.service.statements.refused
    assert refused >= CLIENTS - 5
    assert len(slept) == refused <= (CLIENTS - 5) * (HELD_SECONDS + 3)
    assert set(slept) == {1.0}
    for connection in connections:
        connection.close()


def test_a_service_under_load_answers_429_and_nothing_worse(
    server: Server, token: str, lake: Path, tmp_path: Path, http: httpx.Client
) -> None:
    """40 clients for some seconds, on a service that runs two statements and lets three wait."""
    address = tmp_path / "address"
    address.write_text(server.url)
    order = Order(
        str(address),
        token,
        clients=40,
        seconds=4.0,
        statements={
            "show": [(3, "SHOW SCHEMAS"), (1, "SHOW JOBS LIMIT 5")],
            "make": [(1, "CREATE SCHEMA s{n}; SHOW SCHEMAS LIMIT 1; DROP SCHEMA s{n}")],
        },
    )
    with ThreadPoolExecutor(1) as beside:
        running = beside.submit(lambda: asyncio.run(run_clients(order)))
        time.sleep(0.5)
        with held(lake):
            time.sleep(1.0)
            refused = http.post("/api/v1/statements", json={"sql": "SHOW SCHEMAS"})
        tally = running.result(timeout=60)
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) >= 1
    assert refused.json()["error"]["kind"] == "transient"
    assert tally.errors == {}
    assert tally.refused > 0
    assert min(len(tally.seconds[kind]) for kind in ("show", "make")) > 0
    counted = http.get("/metrics").text
    assert f"headwater_statements_refused_total {server.service.statements.refused}.0" in counted
    # Whatever was taken on has ended.
    assert server.service.statements.wait_until_idle(10)
    assert all(counts == (0, 0) for counts in server.service.statements.counts().values())
