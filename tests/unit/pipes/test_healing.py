"""A pipe that is told of files by a queue also lists them now and then, in whole rounds."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from tests.unit.pipes.conftest import NewIntake

from headwater.pipes import events, listing
from headwater.pipes.batches import FileBatch
from headwater.pipes.events import Events
from headwater.queues.queue import QueueMessage
from headwater.runtime.clock import now
from headwater.storage import local_files


class SilentQueue:
    """Every event was lost."""

    def receive(self, *, wait_seconds: int, most: int = 10) -> list[QueueMessage]:
        return []

    def close(self) -> None:
        pass


def test_a_listing_that_was_begun_goes_on_to_its_end(
    new_intake: NewIntake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_files, "_PAGE", 2)
    monkeypatch.setattr(listing, "_PAGES_PER_LOOK", 2)
    monkeypatch.setattr(events, "open_queue", lambda *about, **options: SilentQueue())
    intake = new_intake(pipe_heal_minutes=1)
    intake.make_pipe()
    names = [f"f{number}.csv" for number in range(7)]
    intake.drop(*names)
    source = Events(intake.lake, intake.opened, wait_seconds=0)
    seen: list[str] = []
    for _ in range(2):
        batch = source.look(1).batch
        assert isinstance(batch, FileBatch)
        seen += [file.path for file in batch.files]
    assert seen == names
    # Behind the last page it is at its end, and the queue's turn again.
    assert source.look(1).batch is None
    look = source.look(1)
    assert (look.batch, look.more) == (None, False)


def test_without_the_setting_nothing_is_listed(
    new_intake: NewIntake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "open_queue", lambda *about, **options: SilentQueue())
    intake = new_intake()
    intake.make_pipe()
    intake.drop("a.csv")
    look = Events(intake.lake, intake.opened, wait_seconds=0).look(1)
    assert (look.batch, look.more) == (None, False)


DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("age", "last_batch", "expected"),
    [
        (2 * DAY, DAY, ["new.csv", "old.csv", "older.csv"]),
        (30 * DAY, None, ["new.csv", "old.csv", "older.csv"]),
        (30 * DAY, DAY, ["new.csv"]),
        (30 * DAY, 9 * DAY, ["new.csv", "old.csv"]),
    ],
    ids=["a new pipe", "nothing loaded yet", "at work for long", "it stood still"],
)
def test_what_the_history_may_have_forgotten_is_not_loaded_again(
    new_intake: NewIntake,
    monkeypatch: pytest.MonkeyPatch,
    age: timedelta,
    last_batch: timedelta | None,
    expected: list[str],
) -> None:
    later = now() + age
    monkeypatch.setattr(events, "now", lambda: later)
    monkeypatch.setattr(events, "open_queue", lambda *about, **options: SilentQueue())
    intake = new_intake(pipe_heal_minutes=1)
    pipe = intake.make_pipe()
    if last_batch is not None:
        intake.lake.store.pipes.record_success(pipe.id, later - last_batch, batch=1)
    for name, days in {"new.csv": 1, "old.csv": 8, "older.csv": 20}.items():
        intake.drop(name)
        moment = (later - days * DAY).timestamp()
        os.utime(intake.folder / name, (moment, moment))
    batch = Events(intake.lake, intake.opened, wait_seconds=0).look(2).batch
    assert isinstance(batch, FileBatch)
    assert [file.path for file in batch.files] == expected
