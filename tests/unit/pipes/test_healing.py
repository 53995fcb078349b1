"""A pipe that is told of files by a queue also lists them now and then, in whole rounds."""

from __future__ import annotations

import pytest
from tests.unit.pipes.conftest import NewIntake

from headwater.pipes import events, listing
from headwater.pipes.batches import FileBatch
from headwater.pipes.events import Events
from headwater.queues.queue import QueueMessage
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
    monkeypatch.setattr(listing, "_PAGES_PER_LOOK", 1)
    monkeypatch.setattr(events, "open_queue", lambda *about, **options: SilentQueue())
    intake = new_intake(pipe_heal_minutes=1)
    intake.make_pipe()
    names = [f"f{number}.csv" for number in range(7)]
    intake.drop(*names)
    source = Events(intake.lake, intake.opened, wait_seconds=0)
    seen: list[str] = []
    for _ in range(4):
        batch = source.look(1).batch
        assert isinstance(batch, FileBatch)
        seen += [file.path for file in batch.files]
    assert seen == names
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
