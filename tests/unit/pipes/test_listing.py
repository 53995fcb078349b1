"""LIST_PURGE on a real folder: bounded looks that go on, start over, and miss nothing."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from tests.unit.pipes.conftest import Intake, NewIntake

from headwater.pipes import listing
from headwater.pipes.batches import FileBatch
from headwater.pipes.listing import Listing
from headwater.pipes.sources import Look
from headwater.storage import local_files
from headwater.storage.store import FileInfo, Page


def paths(look: Look) -> list[str]:
    if look.batch is None:
        return []
    assert isinstance(look.batch, FileBatch)
    return [file.path for file in look.batch.files]


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of three files, two pages in a look."""
    monkeypatch.setattr(local_files, "_PAGE", 3)
    monkeypatch.setattr(listing, "_PAGES_PER_LOOK", 2)


def names(*numbers: int) -> list[str]:
    return [f"f{number:03d}.csv" for number in numbers]


@pytest.mark.usefixtures("small_pages")
def test_a_look_goes_on_behind_the_last_one_and_then_starts_over(intake: Intake) -> None:
    intake.drop(*names(*range(14)))
    source = Listing(intake.lake, intake.opened)
    first = source.look(1)
    assert (paths(first), first.more) == (names(*range(6)), True)
    assert source.is_under_way
    second = source.look(1)
    assert (paths(second), second.more) == (names(*range(6, 12)), True)
    third = source.look(1)
    # It saw nothing in front of where it began.
    assert (paths(third), third.more) == (names(12, 13), True)
    assert not source.is_under_way
    assert paths(source.look(1)) == names(*range(6))


@pytest.mark.usefixtures("small_pages")
def test_files_that_arrive_on_both_sides_of_a_look_are_found(intake: Intake) -> None:
    intake.drop(*names(*range(10, 20)))
    source = Listing(intake.lake, intake.opened)
    seen = set(paths(source.look(1)))
    intake.drop(*names(1, 30))
    looks = 0
    while len(seen) < 12:
        look = source.look(1)
        seen |= set(paths(look))
        looks += 1
        assert look.more or len(seen) == 12, "it would wait for its next turn with files unseen"
        assert looks < 6
    assert seen == set(names(1, *range(10, 20), 30))


@pytest.mark.usefixtures("small_pages")
def test_a_whole_round_without_anything_new_ends(intake: Intake) -> None:
    source = Listing(intake.lake, intake.opened)
    look = source.look(1)
    assert (look.batch, look.more) == (None, False)
    intake.drop(*(f".t{number}" for number in range(8)))
    for _ in range(3):
        assert source.look(1).more
        look = source.look(1)
        assert (look.batch, look.more) == (None, False)


def test_a_batch_is_bounded_by_files_and_the_rest_comes_next(new_intake: NewIntake) -> None:
    intake = new_intake(pipe_files_per_batch=4)
    intake.make_pipe()
    intake.drop(*names(*range(10)))
    source = Listing(intake.lake, intake.opened)
    sizes = [len(paths(look)) for look in (source.look(1), source.look(2), source.look(3))]
    assert sizes == [4, 4, 2]


def test_a_batch_is_bounded_by_bytes_and_a_bigger_file_comes_alone(new_intake: NewIntake) -> None:
    intake = new_intake(pipe_megabytes_per_batch=1)
    intake.make_pipe()
    for name, size in {"a": 600_000, "b": 600_000, "c": 3_000_000, "d": 1}.items():
        with (intake.folder / name).open("wb") as file:
            file.truncate(size)
    source = Listing(intake.lake, intake.opened)
    looks = [source.look(number) for number in range(1, 5)]
    assert [paths(look) for look in looks] == [["a"], ["b"], ["c"], ["d"]]
    assert [look.more for look in looks[:3]] == [True] * 3
    assert looks[2].pending.bytes == 3_000_000


def test_temporary_files_are_left_unless_they_are_asked_for(new_intake: NewIntake) -> None:
    intake = new_intake()
    intake.make_pipe()
    intake.drop("a.csv", ".part", "_temporary_1/b.csv", "c/.SUCCESS")
    assert paths(Listing(intake.lake, intake.opened).look(1)) == ["a.csv"]
    intake.connection.sql("""ALTER PIPE p SET COPY_JOB_HINT = '{"IGNORE_TMP_FILE": "false"}'""")
    found = paths(Listing(intake.lake, intake.opened).look(1))
    assert sorted(found) == [".part", "_temporary_1/b.csv", "a.csv", "c/.SUCCESS"]


def test_what_waits_is_told_with_its_age(intake: Intake) -> None:
    intake.drop("a.csv", "b.csv")
    os.utime(intake.folder / "a.csv", (1_700_000_000, 1_700_000_000))
    pending = Listing(intake.lake, intake.opened).look(1).pending
    assert (pending.files, pending.bytes) == (2, 20)
    assert pending.oldest_at == datetime.fromtimestamp(1_700_000_000, UTC)


def test_a_batch_that_was_begun_leaves_out_what_is_gone_or_replaced(intake: Intake) -> None:
    intake.drop("a.csv", "b.csv", "c.csv")
    source = Listing(intake.lake, intake.opened)
    batch = source.look(1).batch
    assert batch is not None
    assert source.again(batch) == batch
    (intake.folder / "a.csv").unlink()
    intake.drop("b.csv", rows=2)
    again = source.again(batch)
    assert isinstance(again, FileBatch)
    assert [file.path for file in again.files] == ["c.csv"]
    (intake.folder / "c.csv").unlink()
    assert source.again(batch) is None


class ManyFiles:
    """A store with so many files that nobody may hold them all; counts those that are held."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.most_held = 0

    def list(self, *, recursive: bool, start_after: str | None) -> Iterator[Page]:
        first = 0 if start_after is None else int(start_after.removeprefix(".")) + 1
        at = datetime(2026, 11, 15, tzinfo=UTC)
        for start in range(first, self.count, 1000):
            end = min(self.count, start + 1000)
            yield [FileInfo(f".{number:08d}", 1, at, "e") for number in range(start, end)]
            if start % 10_000 == 0:
                held = sum(type(each) is FileInfo for each in gc.get_objects())
                self.most_held = max(self.most_held, held)

    def close(self) -> None:
        pass


@pytest.mark.large
def test_a_hundred_thousand_files_are_not_held_at_once(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ManyFiles(100_000)
    real = listing.opened(intake.lake, listing.volume_of(intake.lake, intake.opened))
    volume = SimpleNamespace(store=store, recursive=True, url_of=real.url_of)
    monkeypatch.setattr(listing, "opened", lambda lake, volume_: volume)
    source = Listing(intake.lake, intake.opened)
    assert source.look(1).batch is None
    assert 0 < store.most_held <= 3000
