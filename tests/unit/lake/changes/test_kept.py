"""Changes that several dynamic tables share; frames of Spark are played by objects that count."""

from __future__ import annotations

from typing import Any

import pytest

from headwater.lake.changes import kept
from headwater.lake.changes.kept import KeptChanges
from headwater.lake.changes.ranges import ChangeRange

PLACE = "/lake/orders"
FIRST, SECOND = ChangeRange(1, 3), ChangeRange(3, 4)


class Frame:
    """Stands for a data frame: whether Spark keeps its rows."""

    def __init__(self) -> None:
        self.is_kept = False
        self.is_lost = False

    def persist(self) -> Frame:
        self.is_kept = True
        return self

    def unpersist(self) -> None:
        if self.is_lost:
            raise ConnectionRefusedError
        self.is_kept = False


class Source:
    """Makes frames, and remembers them."""

    def __init__(self, changes: KeptChanges) -> None:
        self.changes = changes
        self.made: list[Frame] = []

    def make(self) -> Any:
        self.made.append(Frame())
        return self.made[-1]

    def read(self, range: ChangeRange, *columns: str, rows: int = 10) -> Any:
        return self.changes.rows_of(PLACE, range, columns, rows, self.make)


@pytest.fixture
def source() -> Source:
    return Source(KeptChanges())


def test_who_is_alone_shares_nothing():
    changes = KeptChanges()
    assert changes.shared_columns(PLACE, "d1", ["a"]) == frozenset()
    assert changes.shared_columns(PLACE, "d1", ["a", "b"]) == frozenset()
    assert changes.shared_columns("/lake/lines", "d2", ["a"]) == frozenset()


def test_two_share_the_columns_that_either_reads():
    changes = KeptChanges()
    changes.shared_columns(PLACE, "d1", ["a", "b"])
    assert changes.shared_columns(PLACE, "d2", ["b", "c"]) == {"a", "b", "c"}
    assert changes.shared_columns(PLACE, "d1", ["a"]) == {"a", "b", "c"}


def test_a_range_is_worked_out_once(source):
    first = source.read(FIRST, "a", "b")
    assert source.read(FIRST, "b") is first
    assert first.columns == ("a", "b")
    assert len(source.made) == 1


def test_another_range_is_another_one(source):
    assert source.read(FIRST, "a") is not source.read(SECOND, "a")


def test_a_range_with_too_few_columns_is_read_anew_and_the_old_one_given_up(source):
    source.read(FIRST, "a")
    assert source.read(FIRST, "a", "b").columns == ("a", "b")
    assert [frame.is_kept for frame in source.made] == [False, True]


def test_a_range_without_changes_is_not_kept(source):
    assert source.changes.rows_of(PLACE, FIRST, ["a"], 0, lambda: None) is None
    assert source.read(FIRST, "a") is not None


def test_what_was_asked_for_longest_ago_goes_first(source, monkeypatch):
    monkeypatch.setattr(kept, "MOST_ROWS_IN_ALL", 100)
    for start in range(3):
        source.read(ChangeRange(start, start + 1), "a", rows=40)
        source.read(ChangeRange(0, 1), "a", rows=40)
    assert [frame.is_kept for frame in source.made] == [True, False, True]


def test_a_lake_that_closes_gives_everything_up(source):
    source.read(FIRST, "a")
    source.read(SECOND, "a")
    source.changes.clear()
    assert not any(frame.is_kept for frame in source.made)


def test_a_lake_closes_although_its_spark_is_gone(source):
    source.read(FIRST, "a")
    source.read(SECOND, "a")
    source.made[0].is_lost = True
    source.changes.clear()
    assert not source.made[1].is_kept
