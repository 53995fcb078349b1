"""Stopping: nothing new is taken on, what runs may end, what does not end is cancelled."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import httpx
import pytest
from tests.processes import wait_for

import headwater
from headwater.client.local_service import TOKEN_FILE, find_service
from headwater.result import Result
from headwater.service.limits import Limits
from headwater.service.server import Listening, Server
from headwater.service.service import Service, Standing
from headwater.session import Session


@pytest.fixture
def running(lake: Path, monkeypatch: pytest.MonkeyPatch):
    """A service with a statement that runs until `go_on`, or until its job is cancelled."""
    go_on, cancelled = threading.Event(), threading.Event()

    def slow(session, text, *, announce):
        announce("a-job")
        while not go_on.wait(0.01):
            if cancelled.is_set():
                raise headwater.UserError("JOB_CANCELLED", job_id="a-job")
        return Result(message="done")

    opened = Service.open(lake, loops=False)
    service = Service(opened.lake, limits=Limits(stop_seconds=2.0), loops=False)
    monkeypatch.setattr(service.lake.engine, "cancel_job", lambda job: cancelled.set())
    server = Server(service, Listening(port=0))
    server.start()
    wait_for(lambda: service.standing is Standing.ACTIVE, "the service to hold the lake")
    monkeypatch.setattr(Session, "run", slow)
    headers = {"Authorization": f"Bearer {(lake / TOKEN_FILE).read_text()}"}
    with httpx.Client(base_url=server.url, headers=headers, trust_env=False, verify=False) as http:
        sent = http.post("/api/v1/statements", json={"sql": "SELECT 1", "wait_seconds": 0})
        yield server, http, sent.json()["id"], go_on


def test_what_runs_may_end_and_nothing_new_is_taken_on(running, lake: Path) -> None:
    server, http, id, go_on = running
    assert find_service(lake) is not None
    outcome: list[bool] = []
    thread = threading.Thread(target=lambda: outcome.append(server.stop()))
    thread.start()
    wait_for(lambda: server.service.standing is Standing.STOPPING, "the stop to begin")
    refused = http.post("/api/v1/statements", json={"sql": "SHOW SCHEMAS"})
    assert refused.status_code == 503
    assert refused.headers["Retry-After"]
    assert refused.json()["error"]["condition"] == "SERVICE_STOPPING"
    assert http.get("/ready").status_code == 503
    assert find_service(lake) is None
    waiting: list[str] = []
    follower = threading.Thread(
        target=lambda: waiting.append(http.get(f"/api/v1/statements/{id}?wait=20").json()["state"])
    )
    follower.start()
    time.sleep(0.2)
    go_on.set()
    thread.join(20)
    follower.join(20)
    assert waiting == ["SUCCEED"]
    assert outcome == [True]
    with pytest.raises(httpx.TransportError):
        http.get("/health")


def test_what_does_not_end_is_cancelled(running) -> None:
    server, _http, id, _go_on = running
    (statement,) = server.service.statements._known.values()
    started = time.monotonic()
    assert server.stop()
    assert 1.5 < time.monotonic() - started < 8
    assert statement.id == id
    assert statement.error is not None
    assert statement.error.condition == "JOB_CANCELLED"
