"""Deleting loaded files: only once, and never what came in their place."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.pipes.conftest import Intake, NewIntake

from headwater.catalog.load_history import SourceFile
from headwater.files import loads
from headwater.files.loads import announce, purge
from headwater.files.reading import VolumeScan
from headwater.files.unreadable import source_file
from headwater.files.volumes import opened
from headwater.lake.file_scan import FileScan
from headwater.pipes.listing import volume_of
from headwater.sql.file_formats import FileFormat
from headwater.storage.store import Store

PATIENCE = 20.0


def loaded(intake: Intake, name: str) -> Path:
    """A file that is in the table, and still to be deleted."""
    intake.drop(name)
    volume = opened(intake.lake, volume_of(intake.lake, intake.opened))
    info = volume.store.head(name)
    assert info is not None
    history = intake.lake.store.load_history
    job = f"job of {name}"
    history.record_intent(
        intake.table.id,
        job,
        [source_file(volume, info)],
        purge=True,
        connection_id=volume.connection_id,
    )
    history.confirm(job, 1)
    return intake.folder / name


def test_a_file_that_one_thread_deletes_is_left_to_it_by_others(
    new_intake: NewIntake,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the second would delete what is uploaded as soon as the first has deleted the file."""
    intake = new_intake()
    intake.make_pipe()
    file = loaded(intake, "a.csv")
    looked, goes_on = threading.Event(), threading.Event()
    ask = loads.etags

    def asked_and_waited(store: Store, paths: Sequence[str]) -> dict[str, str]:
        found = ask(store, paths)
        looked.set()
        assert goes_on.wait(PATIENCE)
        return found

    monkeypatch.setattr(loads, "etags", asked_and_waited)
    first = threading.Thread(target=purge, args=(intake.lake,))
    first.start()
    assert looked.wait(PATIENCE)
    monkeypatch.setattr(loads, "etags", ask)
    other = loaded(intake, "b.csv")
    assert purge(intake.lake) == []
    assert (file.exists(), other.exists()) == (True, False)
    goes_on.set()
    first.join(PATIENCE)
    assert not file.exists()
    assert intake.lake.store.load_history.pending_purges() == []


def test_a_file_that_was_deleted_meanwhile_is_not_looked_at_again(
    new_intake: NewIntake,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    intake = new_intake()
    intake.make_pipe()
    file = loaded(intake, "a.csv")
    history = intake.lake.store.load_history
    [pending] = history.pending_purges()
    reads = iter([[pending], []])
    monkeypatch.setattr(type(history), "pending_purges", lambda self, job_id=None: next(reads))
    assert purge(intake.lake) == []
    assert file.exists()


def test_files_of_several_volumes_are_each_reached_through_their_own_connection(
    new_intake: NewIntake, tmp_path: Path
) -> None:
    """A query of COPY may read one volume of the lake and one outside."""
    intake = new_intake()
    intake.make_pipe()
    intake.drop("a.csv")
    (tmp_path / "b.csv").write_text("b\n")
    intake.connection.sql(f"CREATE VOLUME own; PUT '{tmp_path}/b.csv' TO VOLUME own")
    scans = []
    for name, file in (("own", "b.csv"), ("v", "a.csv")):
        found = intake.lake.store.volumes.get("headwater", "public", name)
        assert found is not None
        volume = opened(intake.lake, found)
        info = volume.store.head(file)
        assert info is not None
        scans.append(VolumeScan(volume, (info,), FileScan(FileFormat.CSV, ("",)), {}))
    history = intake.lake.store.load_history
    announce(intake.lake, intake.table.id, "j", scans, purge=True)
    history.confirm("j", 1)
    reached = {p.file.path.rpartition("/")[2]: p.connection_id for p in history.pending_purges()}
    assert reached == {"a.csv": scans[1].volume.connection_id, "b.csv": None}
    assert reached["a.csv"] is not None
    assert purge(intake.lake) == []
    assert intake.files == []


def test_a_file_that_cannot_be_reached_keeps_no_other_from_being_deleted(
    new_intake: NewIntake,
) -> None:
    intake = new_intake()
    intake.make_pipe()
    file = loaded(intake, "a.csv")
    history = intake.lake.store.load_history
    far = SourceFile("s3://bucket/in/b.csv", 1, None, "e")
    # The connection is one to local files.
    connection_id = history.pending_purges()[0].connection_id
    history.record_intent(intake.table.id, "a job", [far], purge=True, connection_id=connection_id)
    history.confirm("a job", 1)
    assert purge(intake.lake) == [far.path]
    assert not file.exists()
