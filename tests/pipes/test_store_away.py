"""A real S3 server that cannot be reached for a while: pipes wait, give up in time, and recover."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.pipes.intake import CSV, Intake
from tests.processes import wait_for
from tests.seaweedfs import SeaweedServer
from tests.servers.relay import Relay, running_relay
from tests.spark.places import Place, s3_place

from headwater.files import loads

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def relay(seaweedfs: SeaweedServer) -> Iterator[Relay]:
    """What stands between the lake and the store."""
    with running_relay(seaweedfs.port) as running:
        yield running


@pytest.fixture(scope="module")
def place(relay: Relay) -> Place:
    """A bucket that is reached through the relay only."""
    return s3_place(SeaweedServer(relay.port))


@contextmanager
def at_work(intake: Intake) -> Iterator[None]:
    """The pipes run on another thread; what it raises is raised here."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            intake.run()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    assert failed == []


def test_a_pipe_gives_up_after_so_many_failures_and_recovers(intake: Intake, relay: Relay) -> None:
    intake.pipe()
    intake.write("a.csv", "1,lamp\n")
    relay.cut()
    begun = time.monotonic()
    try:
        intake.run()
    finally:
        relay.mend()
    assert time.monotonic() - begun >= 1.0, "it did not wait before it tried again"
    assert intake.told("pipe_status") == "INVALID"
    assert intake.told("invalid_reason").startswith("gave up after 2 failures in a row; ")
    assert intake.numbers("failures_total", "consecutive_failures") == [2, 2]
    assert intake.ids == []
    intake.resume()
    intake.run()
    assert intake.ids == [1]
    assert intake.files == []
    assert intake.numbers("failures_total", "consecutive_failures") == [2, 0]


def test_a_short_trouble_is_forgotten(intake: Intake, relay: Relay) -> None:
    intake.pipe()
    intake.write("a.csv", "1,lamp\n")
    relay.cut()
    try:
        with at_work(intake):
            wait_for(lambda: intake.numbers("failures_total") == [1], "a failure")
            assert intake.told("next_try_time") is not None
            relay.mend()
    finally:
        relay.mend()
    assert intake.told("pipe_status") == "RUNNING"
    assert intake.told("next_try_time") is None
    assert intake.numbers("failures_total", "consecutive_failures") == [1, 0]
    assert intake.ids == [1]
    assert intake.files == []


def test_a_store_that_goes_away_while_files_are_read_makes_none_of_them_broken(
    intake: Intake, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    intake.pipe(f"COPY INTO t FROM VOLUME v {CSV} PURGE = TRUE ON_ERROR = CONTINUE")
    intake.write("a.csv", "1,lamp\n")
    monkeypatch.setattr(
        loads, "reach", lambda point: relay.cut() if point == "copy.announced" else None
    )
    try:
        with at_work(intake):
            wait_for(lambda: intake.numbers("failures_total") == [1], "a failure")
            monkeypatch.undo()
            relay.mend()
    finally:
        relay.mend()
    assert intake.told("pipe_status") == "RUNNING"
    assert intake.numbers("files_failed") == [0]
    assert intake.ids == [1]
    assert intake.files == []


def test_files_that_could_not_be_deleted_are_deleted_later(
    intake: Intake, relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    intake.pipe()
    intake.write("a.csv", "1,lamp\n")
    monkeypatch.setattr(
        loads, "reach", lambda point: relay.cut() if point == "copy.confirmed" else None
    )
    try:
        with at_work(intake):
            wait_for(lambda: intake.numbers("failures_total") == [1], "a failure")
            assert intake.numbers("rows_loaded") == [1]
            relay.mend()
    finally:
        relay.mend()
    assert intake.ids == [1]
    assert intake.files == []
    assert intake.told("pipe_status") == "RUNNING"
    intake.run()
    assert intake.ids == [1]
