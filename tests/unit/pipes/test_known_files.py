"""Files of a volume held against the load history of the pipe's target."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.unit.pipes.conftest import Intake, NewIntake

import headwater
from headwater.catalog.load_history import LoadStatus
from headwater.errors import UserError
from headwater.files.unreadable import source_file
from headwater.files.volumes import OpenVolume, opened
from headwater.names import ObjectName
from headwater.pipes.known_files import new_files
from headwater.pipes.listing import volume_of
from headwater.runtime.clock import now
from headwater.sql.own_relations import LoadHistoryRelation
from headwater.statements.context import Context
from headwater.statements.volume_relations import load_history
from headwater.storage.store import FileInfo
from headwater.upkeep.cleaning import upkeep


def volume_and_files(intake: Intake) -> tuple[OpenVolume, list[FileInfo]]:
    volume = opened(intake.lake, volume_of(intake.lake, intake.opened))
    return volume, [file for page in volume.store.list(recursive=True) for file in page]


def found(intake: Intake) -> list[str]:
    volume, files = volume_and_files(intake)
    return [file.path for file in new_files(intake.lake, intake.opened, volume, files)]


def record(intake: Intake, *names: str, status: LoadStatus = LoadStatus.LOADED) -> None:
    """Say that the files as they are now have been loaded, or what else became of them."""
    volume, files = volume_and_files(intake)
    sources = [source_file(volume, file) for file in files if file.path in names]
    history, job = intake.lake.store.load_history, f"job-{status}-{names}"
    if status is LoadStatus.LOAD_FAILED:
        history.record_failed(intake.table.id, job, dict.fromkeys(sources, "it is broken"))
        return
    history.record_intent(intake.table.id, job, sources)
    if status is LoadStatus.LOADED:
        history.confirm(job, 1)


def test_what_is_loaded_or_on_its_way_is_not_new(intake: Intake) -> None:
    intake.drop("a.csv", "b.csv", "c.csv")
    assert found(intake) == ["a.csv", "b.csv", "c.csv"]
    record(intake, "a.csv")
    record(intake, "b.csv", status=LoadStatus.LOADING)
    assert found(intake) == ["c.csv"]


def test_a_replaced_file_is_skipped_and_shown_once(intake: Intake) -> None:
    intake.drop("a.csv")
    record(intake, "a.csv")
    intake.drop("a.csv", rows=2)
    assert found(intake) == []
    assert found(intake) == []
    skipped = [e for e in intake.history("a.csv") if e.status is LoadStatus.SKIPPED]
    assert len(skipped) == 1
    assert "ON_REPLACED = SKIP" in (skipped[0].first_error or "")
    assert intake.pipe.counters.skipped_files == 1


def test_a_replaced_file_is_loaded_where_the_pipe_says_so(new_intake: NewIntake) -> None:
    intake = new_intake()
    intake.make_pipe(properties="ON_REPLACED = 'LOAD'")
    intake.drop("a.csv")
    record(intake, "a.csv")
    assert found(intake) == []
    intake.drop("a.csv", rows=2)
    assert found(intake) == ["a.csv"]


def test_a_replaced_file_is_an_error_where_the_pipe_says_so(new_intake: NewIntake) -> None:
    intake = new_intake()
    intake.make_pipe(properties="ON_REPLACED = 'FAIL'")
    intake.drop("a.csv")
    record(intake, "a.csv")
    intake.drop("a.csv", rows=2)
    with pytest.raises(UserError, match="PIPE_FILE_REPLACED") as caught:
        found(intake)
    assert f"{intake.folder}/a.csv" in caught.value.message


def test_a_broken_file_waits_until_it_is_replaced_or_the_pipe_changed(
    new_intake: NewIntake,
) -> None:
    intake = new_intake()
    intake.make_pipe(options="ON_ERROR = CONTINUE")
    intake.drop("a.csv", "b.csv")
    record(intake, "a.csv", "b.csv", status=LoadStatus.LOAD_FAILED)
    assert found(intake) == []
    intake.drop("a.csv", rows=2)
    assert found(intake) == ["a.csv"]
    intake.connection.sql("ALTER PIPE p SET VIRTUAL_CLUSTER = 'default_ap'")
    assert found(intake) == ["a.csv", "b.csv"]


def test_a_broken_file_is_tried_again_by_a_pipe_that_stops_for_it(intake: Intake) -> None:
    intake.drop("a.csv")
    record(intake, "a.csv", status=LoadStatus.LOAD_FAILED)
    assert found(intake) == ["a.csv"]


def test_a_load_by_hand_counts(intake: Intake) -> None:
    intake.drop("a.csv")
    intake.connection.sql("COPY INTO t FROM VOLUME v (line STRING) USING CSV")
    assert intake.rows == ["a.csv 1 0"]
    assert found(intake) == []


def let_pass(monkeypatch: pytest.MonkeyPatch, **passed: float) -> None:
    """Let it be later for whoever asks what was loaded lately, and for upkeep."""
    at = now() + timedelta(**passed)
    for module in ("pipes.known_files", "statements.show_load_history", "upkeep.cleaning"):
        monkeypatch.setattr(f"headwater.{module}.now", lambda: at)


def told(intake: Intake) -> list[str]:
    """The files that LOAD_HISTORY shows."""
    state = intake.connection.session.state
    context = Context(state, "job", "", [], lambda context, text: headwater.Result())
    return [str(row[0]) for row in load_history(context, LoadHistoryRelation(ObjectName("t")))]


@pytest.mark.parametrize("days", [1, 3])
def test_what_was_loaded_is_remembered_for_as_long_as_the_setting_says(
    new_intake: NewIntake, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    intake = new_intake(load_history_retention_days=days)
    intake.make_pipe()
    intake.drop("a.csv")
    record(intake, "a.csv")
    let_pass(monkeypatch, days=days, minutes=-5)
    upkeep(intake.lake)
    assert told(intake) == [f"file://{intake.folder}/a.csv"]
    assert found(intake) == []
    let_pass(monkeypatch, days=days, minutes=5)
    # Before upkeep takes the entry away and behind that it is the same.
    for _ in range(2):
        assert told(intake) == []
        assert found(intake) == ["a.csv"]
        upkeep(intake.lake)
    monkeypatch.undo()
    assert intake.history("a.csv") == []
