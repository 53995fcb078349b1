"""What a refresh of a partition, or of a table with frozen rows, reads and writes."""

from __future__ import annotations

from headwater.lake.commits.writes import Append, Change, Nothing, Overwrite
from headwater.refresh.reach import Reach

EVERYTHING = Reach()
FROZEN = Reach(frozen="v < 3")
PART = Reach("`p` <=> CAST('a' AS string)", "p", "string")


def test_a_plain_refresh_reaches_everything() -> None:
    assert EVERYTHING.stored("t") == "t"
    assert EVERYTHING.bounded(Overwrite("q"), ("p", "v")) == Overwrite("q")


def test_frozen_rows_are_neither_read_nor_written() -> None:
    assert FROZEN.stored("t") == "(SELECT * FROM t WHERE (NOT coalesce((v < 3\n), false)))"
    assert FROZEN.bounded(Append("q"), ("p", "v")) == Append(
        "SELECT `p`, `v` FROM (q\n) WHERE NOT coalesce((v < 3\n), false)"
    )


def test_rows_outside_of_the_partition_fail_and_are_not_left_out() -> None:
    made = PART.bounded(Change("q", "w"), ("p", "v"))
    assert isinstance(made, Change)
    assert made.weight == "w"
    assert "WHERE" not in made.delta
    assert "raise_error('headwater: a row lies outside of the partition')" in made.delta
    assert made.delta.endswith("AS `p`, `v`, `w` FROM (q\n)")


def test_only_produced_partitions_are_replaced_where_that_was_asked_for() -> None:
    made = PART.bounded(Overwrite("q", produced_only=True), ("p",))
    assert isinstance(made, Overwrite)
    assert made.produced_only


def test_a_refresh_that_writes_nothing_is_left_alone() -> None:
    assert PART.bounded(Nothing(), ("p",)) == Nothing()
