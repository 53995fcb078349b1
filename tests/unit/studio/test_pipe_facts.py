"""What a pipe's page says of it."""

from __future__ import annotations

import json

from headwater.studio.pages.pipes.pipe_facts import PipeFacts

FILES = {"pipe_kind": "VOLUME", "pending_files": "3", "pending_bytes": "2048", "files_failed": "1"}


def test_files_that_wait_are_counted() -> None:
    known = PipeFacts(FILES)
    assert (known.pending, known.failures, known.lag) == ("3 (2 KB)", 1, None)
    assert known.tiles["Oldest pending"] == "-"


def test_nothing_that_waits_is_nothing() -> None:
    assert PipeFacts({"pipe_kind": "VOLUME"}).pending == ""


def test_a_pipe_over_kafka_is_so_many_messages_behind() -> None:
    latency = json.dumps({"kafka": {"offsetLag": 12, "timeLag": 41_000}})
    known = PipeFacts({"pipe_kind": "KAFKA", "pipe_latency": latency, "failures_total": "2"})
    assert (known.pending, known.failures, known.volume) == ("12 messages", 2, None)
    assert known.tiles["Time behind"] == "41 s"


def test_a_pipe_that_has_not_begun_has_no_lag() -> None:
    latency = json.dumps({"kafka": {"offsetLag": 0, "timeLag": -1}})
    assert PipeFacts({"pipe_latency": latency}).tiles["Time behind"] == "-"
    assert PipeFacts({"pipe_kind": "KAFKA"}).tiles["Messages behind"] == "-"
