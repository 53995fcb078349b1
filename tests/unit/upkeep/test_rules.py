"""The rules of upkeep: what is compacted, what has outlived, what is vacuumed, what comes first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from headwater.catalog.objects import Operation, TableVersion
from headwater.upkeep.lifetimes import Part, lifetime, outlived
from headwater.upkeep.old_files import vacuum_due
from headwater.upkeep.small_files import Place, Policy, SmallFiles, small_files
from headwater.upkeep.tasks import Kind, Task, compaction_sizes, first

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
A: Place = (("p", "a"),)
B: Place = (("p", "b"),)


def test_files_of_one_partition_are_counted_together() -> None:
    policy = Policy(least_files=3, small_bytes=100)
    assert small_files([(A, 1), (A, 2), (B, 3), (B, 4)], policy) is None
    assert small_files([(A, 1), (A, 2), (A, 3), (B, 4)], policy) == SmallFiles(3, 6)


def test_large_files_are_no_reason_to_compact() -> None:
    policy = Policy(least_files=2, small_bytes=100)
    assert small_files([((), 100), ((), 5000), ((), 1)], policy) is None
    assert small_files([((), 99), ((), 5000), ((), 1)], policy) == SmallFiles(2, 100)


@pytest.mark.parametrize(("least", "files"), [(0, 1000), (1, 1)])
def test_one_file_is_never_compacted_and_zero_switches_it_off(least: int, files: int) -> None:
    assert small_files([((), 1)] * files, Policy(least, 100)) is None


@pytest.mark.parametrize(
    ("given", "days"), [({}, None), ({"data_lifecycle": "-1"}, None), ({"data_lifecycle": "7"}, 7)]
)
def test_a_lifetime_is_a_number_of_days_or_for_ever(
    given: dict[str, str], days: int | None
) -> None:
    assert lifetime(given) == (None if days is None else days * DAY)


def test_only_what_is_older_than_its_lifetime_goes_oldest_first() -> None:
    parts = [Part(A, NOON - 8 * DAY), Part(B, NOON - 9 * DAY), Part((), NOON - 7 * DAY)]
    assert [part.place for part in outlived(parts, 7 * DAY, at=NOON)] == [B, A]


def version(operation: str, days_ago: int) -> TableVersion:
    return TableVersion(1, 1, NOON - days_ago * DAY, operation, "tester")


@pytest.mark.parametrize(
    ("operation", "days_ago", "done_days_ago", "due"),
    [
        (Operation.DELETE, 8, None, True),
        (Operation.COMPACTION, 8, 9, True),
        ("SOME TOOL'S", 8, None, True),
        (Operation.INSERT_INTO, 8, None, False),
        # Its files can still be asked for.
        (Operation.DELETE, 6, None, False),
        # The last VACUUM has taken them.
        (Operation.DELETE, 9, 8.5, False),
    ],
)
def test_a_vacuum_is_due_when_replaced_files_have_passed_the_horizon(
    operation: str, days_ago: int, done_days_ago: float | None, due: bool
) -> None:
    done = None if done_days_ago is None else NOON - done_days_ago * DAY
    found = vacuum_due([version(operation, days_ago)], horizon=NOON - 7 * DAY, done=done, every=DAY)
    assert found is due


def test_a_vacuum_waits_for_the_next_day() -> None:
    deleted = [version(Operation.DELETE, 8)]
    horizon = NOON - 7 * DAY
    soon = horizon - timedelta(hours=23)
    done = NOON - timedelta(days=8, hours=1)
    assert not vacuum_due(deleted, horizon=soon, done=done, every=2 * DAY)
    assert vacuum_due(deleted, horizon=horizon, done=done, every=DAY)


def test_rows_go_before_files_are_written_together_and_those_before_files_go() -> None:
    tasks = [
        Task(Kind.VACUUM, "v", "VACUUM v", gain=99),
        Task(Kind.COMPACT, "few", "OPTIMIZE few", gain=3),
        Task(Kind.COMPACT, "many", "OPTIMIZE many", gain=30),
    ]
    chosen = first(tasks)
    assert chosen is not None
    assert chosen.table_id == "many"
    assert first([*tasks, Task(Kind.EXPIRE, "e", "TRUNCATE TABLE e")]).kind is Kind.EXPIRE  # type: ignore[union-attr]
    assert first([]) is None


def test_compacted_files_are_never_smaller_than_small_ones() -> None:
    assert set(compaction_sizes(small_bytes=7, file_bytes=3).values()) == {"7"}
