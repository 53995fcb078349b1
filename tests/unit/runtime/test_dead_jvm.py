"""What becomes of a process whose JVM has died: it keeps its lease, and says what happened."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import headwater
from headwater.runtime.open_lake import OpenLake


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


def test_a_job_of_a_dead_jvm_can_be_cancelled(
    own: OpenLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = SimpleNamespace(cancelJobGroup=refuse)
    monkeypatch.setattr(own.engine, "_context", gone)
    own.cancel_job("a-job")
