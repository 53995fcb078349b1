"""Deleting loaded files: only once, and never what came in their place."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.pipes.conftest import Intake, NewIntake

from headwater.files import loads
from headwater.files.loads import purge
from headwater.files.unreadable import source_file
from headwater.files.volumes import opened
from headwater.pipes.listing import volume_of
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
