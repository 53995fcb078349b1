"""What happens is told while it happens."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import httpx
import pytest

import headwater
from headwater.result import Result
from headwater.service import event_pages
from headwater.service.events import Events
from headwater.service.server import Server
from headwater.session import Session


def read(lines: Iterator[str]) -> Iterator[tuple[str, dict]]:
    """The events of a stream: kind and data."""
    kind = ""
    for line in lines:
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield kind, json.loads(line.removeprefix("data: "))


def test_a_statement_tells_its_progress_and_its_end(http: httpx.Client, monkeypatch) -> None:
    go_on, first = threading.Event(), threading.Event()

    def slow(session, text, *, announce):
        announce("a-job")
        first.set()
        assert go_on.wait(30)
        return Result(message="done")

    monkeypatch.setattr(Session, "run", slow)
    sent = http.post("/api/v1/statements", json={"sql": "SELECT 1", "wait_seconds": 0}).json()
    assert first.wait(10)
    seen = []
    with http.stream("GET", f"/api/v1/statements/{sent['id']}/events", timeout=20) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        for kind, data in read(stream.iter_lines()):
            seen.append((kind, data.get("state")))
            if kind == "progress":
                assert data["job_ids"] == ["a-job"]
                go_on.set()
    assert seen[0] == ("state", "RUNNING")
    assert ("progress", None) in seen
    assert seen[-1] == ("state", "SUCCEED")


def test_all_events_come_in_order_and_from_where_a_reader_stopped(http: httpx.Client) -> None:
    http.post("/api/v1/statements", json={"sql": "CREATE SCHEMA a"})
    seen = []
    with http.stream("GET", "/api/v1/events", headers={"Last-Event-ID": "0"}) as stream:
        for kind, data in read(stream.iter_lines()):
            seen.append((kind, data["state"]))
            if data["state"] == "SUCCEED":
                break
    assert seen == [("statement", state) for state in ("QUEUED", "RUNNING", "SUCCEED")]


def test_who_loses_the_token_hears_no_more(
    server: Server, token: str, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_pages, "ASK_AGAIN_SECONDS", 0.0)
    with headwater.connect(server.url, token=token) as lake:
        lake.sql("CREATE USER ann PASSWORD 'correct horse' ROLE operator")
        made = lake.sql("CREATE TOKEN t FOR USER ann").to_dicts()[0]["token"]
        bearing = {"Authorization": f"Bearer {made}"}
        with http.stream("GET", "/api/v1/events", headers=bearing, timeout=20) as stream:
            lines = stream.iter_lines()
            assert next(lines) == ": hello"
            lake.sql("DROP TOKEN t FOR USER ann")
            # The stream ends, though nothing else has.
            assert not any(line.startswith("event") for line in lines)


def test_only_the_newest_events_are_kept() -> None:
    events = Events(kept=2)
    for number in range(4):
        events.publish("x", {"n": number})
    assert [event.number for event in events.after(0)] == [3, 4]
    assert [event.number for event in events.after(3)] == [4]
    assert events.after(4) == []
