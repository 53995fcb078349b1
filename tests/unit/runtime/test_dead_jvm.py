"""A process whose JVM has died: it keeps its lease, statements say it, and a service ends."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JError

import headwater
from headwater.lake import process
from headwater.lake.spark_errors import engine_lost, reshape
from headwater.runtime.open_lake import OpenLake
from headwater.service.service import Service


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Iterator[headwater.Connection]:
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    with headwater.connect(folder, user="tester", time_zone="UTC") as connection:
        yield connection


@pytest.fixture
def own(lake: headwater.Connection) -> OpenLake:
    return lake.session.lake


def refuse(*_: object, **__: object) -> None:
    raise ConnectionRefusedError(111, "Connection refused")


def test_the_lease_is_renewed_before_anything_is_cancelled(
    own: OpenLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    renewed = list[str]()
    monkeypatch.setattr(own.writer, "heartbeat", lambda: renewed.append("lease"))
    monkeypatch.setattr(own.clusters, "overdue", lambda: ["a-job"])
    monkeypatch.setattr(own.engine, "cancel_job", refuse)
    with pytest.raises(ConnectionRefusedError):
        own._beat()
    assert renewed


def test_what_is_overdue_is_cancelled_although_the_catalog_is_away(
    own: OpenLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled = list[str]()
    monkeypatch.setattr(own.writer, "heartbeat", refuse)
    monkeypatch.setattr(own.clusters, "overdue", lambda: ["a-job"])
    monkeypatch.setattr(own.engine, "cancel_job", cancelled.append)
    with pytest.raises(ConnectionRefusedError):
        own._beat()
    assert "a-job" in cancelled


@pytest.fixture
def dead(own: OpenLake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark seems to run, and its process has ended."""
    with ended() as gone:
        context = context_of(gone)
    monkeypatch.setattr(own.engine, "_context", context)
    monkeypatch.setattr(process, "_context", context)


def ended() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.DEVNULL)


def context_of(jvm: subprocess.Popen[bytes]) -> Any:
    """As much of Spark's context as is asked of one whose JVM has gone."""
    asked = dict.fromkeys(("cancelJobGroup", "statusTracker", "setJobGroup"), refuse)
    return SimpleNamespace(_gateway=SimpleNamespace(proc=jvm), **asked)


@pytest.mark.usefixtures("dead")
def test_a_job_of_a_dead_jvm_can_be_cancelled_and_is_nowhere(own: OpenLake) -> None:
    own.cancel_job("a-job")
    assert own.engine.progress("a-job") == (0, 0)


@pytest.mark.usefixtures("dead")
def test_a_statement_says_that_spark_has_ended(
    lake: headwater.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        with pytest.raises(headwater.OperationalError, match="ENGINE_LOST"):
            lake.sql("SELECT 1")
    jobs = lake.sql("SHOW JOBS").to_dicts()
    assert {job["status"] for job in jobs if job["job_text"] == "SELECT 1"} == {"FAILED"}
    assert caplog.text == ""


@pytest.mark.usefixtures("dead")
@pytest.mark.parametrize("raised", [Py4JError("o136.getResult"), EOFError()], ids=repr)
def test_whatever_is_raised_when_the_jvm_ends_says_so(raised: Exception) -> None:
    assert reshape(raised).condition == "ENGINE_LOST"


def test_a_jvm_that_lives_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as living:
        monkeypatch.setattr(process, "_context", context_of(living))
        assert not process.lost()
        assert reshape(EOFError()).condition == "ENGINE_FAILED"
        living.kill()
        assert process.lost(within=10)


def test_a_jvm_that_died_before_spark_was_started_is_not_used() -> None:
    with ended() as gone:
        waiting = process._Jvm(SimpleNamespace(proc=gone), None, {})
    assert not process._fits(waiting, {})


def test_py4j_prints_no_trace_of_a_dead_jvm() -> None:
    record = logging.LogRecord("root", 40, "/x/py4j/java_gateway.py", 1, "", (), None)
    assert not process._not_of_py4j(record)
    assert process._not_of_py4j(logging.makeLogRecord({"pathname": "/x/mine.py"}))


@pytest.mark.parametrize("loops", [True, False])
def test_a_service_ends_when_its_spark_has_ended(
    new_lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loops: bool
) -> None:
    service = Service.open(shutil.copytree(new_lake, tmp_path / "lake"), loops=loops)
    try:
        monkeypatch.setattr(service.lake.engine, "lost", lambda: engine_lost())
        service.start()
        assert service.ended.wait(20)
        assert getattr(service.loop.problem, "condition", None) == "ENGINE_LOST"
        assert service.drain()
    finally:
        service.close()
