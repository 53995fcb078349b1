"""Under pressure: what waits is bounded, SHOW never waits behind a query, results are let go."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import httpx
import pytest
from tests.processes import wait_for

from headwater.result import Column, Result
from headwater.service.limits import Limits
from headwater.service.server import Server
from headwater.session import Session


@pytest.fixture
def limits(gate: threading.Event) -> Limits:
    """The gate is there before the service, and after it: nothing ever reaches Spark."""
    return Limits(
        computing=2, quick=2, waiting=3, stop_seconds=1.0, sessions=2, session_seconds=0.5
    )


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """SELECT and REFRESH run until it is opened; others are the real ones."""
    opened = threading.Event()
    run = Session.run

    def gated(session: Session, text: str, **more: object) -> Result:
        if not text.startswith(("SELECT", "REFRESH")):
            return run(session, text, **more)
        assert opened.wait(30)
        return Result.from_rows([Column("n", "int")], [(1,)])

    monkeypatch.setattr(Session, "run", gated)
    return opened


@pytest.fixture(autouse=True)
def opened_before_the_service_stops(server: Server, gate: threading.Event) -> Iterator[None]:
    yield
    gate.set()


def send(http: httpx.Client, sql: str, **more: object) -> httpx.Response:
    return http.post("/api/v1/statements", json={"sql": sql, "wait_seconds": 0, **more})


def test_too_many_that_wait_are_told_to_come_back(http: httpx.Client, gate, server: Server) -> None:
    taken = [send(http, "SELECT 1") for _ in range(5)]
    assert [answer.status_code for answer in taken] == [200] * 5
    refused = send(http, "SELECT 1")
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) >= 1
    assert refused.json()["error"]["condition"] == "TOO_MANY_STATEMENTS"
    assert server.service.statements.refused == 1
    gate.set()
    last = taken[-1].json()["id"]
    assert http.get(f"/api/v1/statements/{last}?wait=20").json()["state"] == "SUCCEED"
    assert send(http, "SELECT 1").status_code == 200


def test_show_does_not_wait_behind_long_queries(http: httpx.Client, gate) -> None:
    for _ in range(4):
        send(http, "SELECT 1")
    started = time.monotonic()
    shown = send(http, "SHOW SCHEMAS", wait_seconds=20).json()
    assert shown["state"] == "SUCCEED"
    assert time.monotonic() - started < 5


def test_show_runs_in_a_session_whose_query_runs(http: httpx.Client, gate) -> None:
    session = http.post("/api/v1/sessions").json()["id"]
    running = send(http, "SELECT 1", session=session).json()["id"]
    shown = send(http, "SHOW SCHEMAS", session=session, wait_seconds=20).json()
    assert shown["state"] == "SUCCEED"
    assert http.get(f"/api/v1/statements/{running}").json()["state"] == "RUNNING"


def test_one_session_cannot_take_all_places(http: httpx.Client, gate) -> None:
    session = http.post("/api/v1/sessions").json()["id"]
    mine = [send(http, "SELECT 1", session=session).json()["id"] for _ in range(3)]
    other = send(http, "SELECT 1").json()["id"]

    def state(id: str) -> str:
        return http.get(f"/api/v1/statements/{id}").json()["state"]

    wait_for(lambda: state(other) == "RUNNING", "the other session's turn")
    assert [state(id) for id in mine] == ["RUNNING", "QUEUED", "QUEUED"]


def test_refreshes_of_one_table_wait_for_each_other_and_take_no_place(
    http: httpx.Client, gate
) -> None:
    first, second = (send(http, "REFRESH DYNAMIC TABLE d").json()["id"] for _ in range(2))
    same = send(http, "REFRESH dynamic table PUBLIC.D;").json()["id"]
    other = send(http, "SELECT 1").json()["id"]

    def state(id: str) -> str:
        return http.get(f"/api/v1/statements/{id}").json()["state"]

    wait_for(lambda: state(other) == "RUNNING", "the place that the second refresh does not take")
    assert [state(id) for id in (first, second, same)] == ["RUNNING", "QUEUED", "QUEUED"]
    gate.set()
    for id in (second, same):
        assert http.get(f"/api/v1/statements/{id}?wait=20").json()["state"] == "SUCCEED"


def test_what_waits_can_be_cancelled_and_never_runs(http: httpx.Client, gate) -> None:
    ids = [send(http, "SELECT 1").json()["id"] for _ in range(3)]
    cancelled = http.post(f"/api/v1/statements/{ids[2]}/cancel").json()
    assert cancelled["state"] == "CANCELLED"
    assert cancelled["error"]["condition"] == "JOB_CANCELLED"
    gate.set()
    assert http.get(f"/api/v1/statements/{ids[1]}?wait=20").json()["state"] == "SUCCEED"
    assert http.get(f"/api/v1/statements/{ids[2]}").json()["state"] == "CANCELLED"


def test_idle_sessions_are_closed_and_used_ones_are_not(
    http: httpx.Client, gate, server: Server
) -> None:
    used, _idle = (http.post("/api/v1/sessions").json()["id"] for _ in range(2))
    assert http.post("/api/v1/sessions").status_code == 429
    running = send(http, "SELECT 1", session=used).json()["id"]
    wait_for(lambda: server.service.sessions.count == 1, "the idle session to be closed")
    time.sleep(1.0)
    assert server.service.sessions.count == 1
    gate.set()
    assert http.get(f"/api/v1/statements/{running}?wait=20").json()["state"] == "SUCCEED"


def test_a_result_that_is_too_large_to_keep_fails_its_statement(
    http: httpx.Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(n,) for n in range(1000)]
    result = Result.from_rows([Column("n", "int")], rows)
    monkeypatch.setattr(Session, "run", lambda session, text, **more: result)
    monkeypatch.setattr(server.service.statements, "_limits", Limits(result_bytes=1000))
    failed = send(http, "SELECT 1", wait_seconds=20).json()
    assert failed["error"]["condition"] == "RESULT_TOO_LARGE_TO_KEEP"
    assert failed["results"] == []


def test_results_that_take_too_much_memory_are_let_go_oldest_first(
    http: httpx.Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = Result.from_rows([Column("n", "int")], [(n,) for n in range(10)])
    monkeypatch.setattr(Session, "run", lambda session, text, **more: result)
    monkeypatch.setattr(server.service.statements, "_limits", Limits(result_bytes=2500))
    ids = [send(http, "SELECT 1", wait_seconds=20).json()["id"] for _ in range(4)]
    statuses = [http.get(f"/api/v1/statements/{id}").status_code for id in ids]
    assert statuses == [404, 404, 200, 200]
    assert server.service.statements.kept_bytes() <= 2500
