"""What upkeep finds to do, from the catalog and the log alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.unit.upkeep.conftest import START, Clock, hand_made

import headwater
from headwater.catalog.dynamic_tables import DynamicTable, Frontier
from headwater.catalog.jobs import Job, JobState
from headwater.catalog.objects import Operation, Table, TableKind, TableState
from headwater.upkeep.lookout import Lookout
from headwater.upkeep.tasks import Kind, Task

T = "`headwater`.`public`.`t`"


@pytest.fixture
def lookout(lake: headwater.Connection, clock: Clock) -> Lookout:
    return Lookout(lake.session.lake)


def job_on(lake: headwater.Connection, cluster: str) -> str:
    """A job that ran on a cluster."""
    job = Job(
        f"on-{cluster}",
        JobState.SUCCEED,
        "headwater",
        "public",
        "tester",
        "INSERT",
        START,
        "i",
        vcluster=cluster,
    )
    lake.session.lake.store.jobs.start(job)
    return job.id


def done(lookout: Lookout, kind: Kind) -> Task:
    task = lookout.next_task()
    assert task is not None
    assert task.kind is kind
    lookout.succeeded(task)
    return task


def test_a_table_with_many_small_files_is_compacted_once(
    lake: headwater.Connection, clock: Clock, lookout: Lookout
) -> None:
    table = hand_made(lake, clock)
    table.commit(None, None)
    assert lookout.next_task() is None
    table.commit(None)
    task = done(lookout, Kind.COMPACT)
    assert (task.text, task.gain) == (f"OPTIMIZE {T}", 3)
    assert sorted(task.settings.values()) == [str(128 << 20), str(16 << 20)]
    # Nothing was done here; what OPTIMIZE leaves alone is not tried again until it grows.
    assert lookout.next_task() is None
    table.commit(None)
    assert done(lookout, Kind.COMPACT).gain == 4


def test_what_an_analytics_cluster_wrote_is_not_compacted(
    lake: headwater.Connection, clock: Clock, lookout: Lookout
) -> None:
    table = hand_made(lake, clock)
    table.commit(None, None, None, job=job_on(lake, "DEFAULT_AP"))
    assert lookout.next_task() is None
    table.commit(None, job=job_on(lake, "DEFAULT"))
    assert done(lookout, Kind.COMPACT).gain == 4


def test_files_of_a_partition_are_not_joined_with_those_of_another(
    lake: headwater.Connection, clock: Clock, lookout: Lookout
) -> None:
    table = hand_made(lake, clock, partitions="string")
    table.commit("a", "b", "c", "a")
    assert lookout.next_task() is None
    table.commit("a")
    assert done(lookout, Kind.COMPACT).gain == 3


def test_replaced_files_are_vacuumed_when_their_retention_is_over(
    lake: headwater.Connection, clock: Clock, lookout: Lookout
) -> None:
    table = hand_made(lake, clock)
    table.commit(None)
    table.commit(None, operation=Operation.INSERT_OVERWRITE, removes=1)
    clock.forward(days=6)
    assert lookout.next_task() is None
    clock.forward(days=2)
    assert done(lookout, Kind.VACUUM).text == f"VACUUM {T}"
    # That was a note in the catalog: another process knows of it too.
    assert Lookout(lake.session.lake).next_task() is None
    clock.forward(days=30)
    assert Lookout(lake.session.lake).next_task() is None


def dynamic_table_over(lake: headwater.Connection, files: Table, source: Table) -> str:
    """A dynamic table with the files of a table, refreshed when a source was as it is now."""
    store = lake.session.lake.store
    own = replace(files, id="d-id", name="d", kind=TableKind.DYNAMIC, state=TableState.CREATING)
    made = DynamicTable(
        own.id, "headwater", "public", "d", "SELECT 1", "headwater", "public", sources=(source.id,)
    )
    begun = store.dynamic_tables.begin_create(own, made)
    store.tables.activate(begun, store.versions.last(files.id))
    frontier = Frontier({source.id: source.shape.delta_version}, START)
    store.dynamic_tables.set_frontier(own.id, frontier, number=1)
    return own.id


def test_a_dynamic_table_that_stands_at_an_old_version_holds_its_files(
    lake: headwater.Connection, clock: Clock, lookout: Lookout
) -> None:
    table = hand_made(lake, clock)
    dynamic_table_over(lake, hand_made(lake, clock, "files").table, table.commit(None))
    clock.forward(hours=2)
    table.commit(None, operation=Operation.INSERT_OVERWRITE, removes=1)
    clock.forward(days=10)
    assert lookout.next_task() is None
    # A reader that has waited for longer than streams may wait holds nothing.
    clock.forward(days=5)
    assert done(lookout, Kind.VACUUM).table_id == table.table.id


def test_a_table_that_nobody_changed_for_long_enough_is_emptied_every_twelve_hours(
    lake: headwater.Connection, clock: Clock, lookout: Lookout
) -> None:
    table = hand_made(lake, clock, data_lifecycle=7)
    table.commit(None)
    hand_made(lake, clock, "kept").commit(None)
    hand_made(lake, clock, "for_ever", data_lifecycle=-1).commit(None)
    clock.forward(days=6, hours=23)
    assert lookout.next_task() is None
    clock.forward(hours=11)
    assert lookout.next_task() is None, "it is looked at twice a day"
    clock.forward(hours=2)
    task = done(lookout, Kind.EXPIRE)
    assert (task.text, task.only_at) == (f"TRUNCATE TABLE {T}", table.table.shape.delta_version)
    table.commit(operation=Operation.TRUNCATE, removes=1)
    clock.forward(days=1)
    assert lookout.next_task() is None, "it is empty"


def test_a_compaction_does_not_make_rows_younger(
    lake: headwater.Connection, clock: Clock, lookout: Lookout
) -> None:
    plain = hand_made(lake, clock, data_lifecycle=7)
    plain.commit(None, None)
    parted = hand_made(lake, clock, "parted", partitions="date", data_lifecycle=7)
    parted.commit("2026-10-30", "2026-10-30")
    clock.forward(days=6)
    parted.commit("2026-11-07")
    for table, place in ((plain, None), (parted, "2026-10-30")):
        table.commit(place, operation=Operation.COMPACTION, removes=2)
    clock.forward(days=2)
    texts = set()
    for _ in range(2):
        task = done(lookout, Kind.EXPIRE)
        texts.add(task.text)
        lookout.failed(task)
    assert texts == {
        f"TRUNCATE TABLE {T}",
        "DELETE FROM `headwater`.`public`.`parted` WHERE (`p` = CAST('2026-10-30' AS date))",
    }


def test_partitions_go_by_their_own_age_and_null_is_one(
    lake: headwater.Connection, clock: Clock, lookout: Lookout
) -> None:
    table = hand_made(lake, clock, partitions="string", data_lifecycle=1)
    table.commit("it's", None)
    clock.forward(hours=30)
    table.commit("young")
    task = done(lookout, Kind.EXPIRE)
    old = r"(`p` = CAST('it\'s' AS string)) OR (`p` IS NULL)"
    assert task.text in (
        f"DELETE FROM {T} WHERE {old}",
        f"DELETE FROM {T} WHERE " + " OR ".join(reversed(old.split(" OR "))),
    )


def test_partitions_whose_values_cannot_be_named_safely_stay(
    lake: headwater.Connection, clock: Clock, lookout: Lookout
) -> None:
    table = hand_made(lake, clock, partitions="timestamp", data_lifecycle=1)
    table.commit("2026-10-30 12:00:00")
    clock.forward(days=2)
    assert lookout.next_task() is None


def test_a_table_goes_with_its_rows_if_it_is_to(
    lake: headwater.Connection, clock: Clock, lookout: Lookout
) -> None:
    hand_made(lake, clock, data_lifecycle=7, data_lifecycle_delete_meta="true").commit(None)
    clock.forward(days=8)
    assert done(lookout, Kind.EXPIRE).text == f"DROP TABLE {T}"


def test_a_task_that_failed_is_left_alone_for_a_while_and_others_come_first(
    lake: headwater.Connection, clock: Clock, lookout: Lookout
) -> None:
    hand_made(lake, clock).commit(None, None, None, None)
    hand_made(lake, clock, "other").commit(None, None, None)
    task = lookout.next_task()
    assert task is not None
    lookout.failed(task)
    assert done(lookout, Kind.COMPACT).text.endswith("`other`")
    assert lookout.next_task() is None
    clock.forward(hours=2)
    assert lookout.next_task() == task


def test_a_look_at_a_lake_where_nothing_happens_reads_no_log(
    lake: headwater.Connection,
    clock: Clock,
    lookout: Lookout,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hand_made(lake, clock).commit(None)
    assert lookout.next_task() is None

    def refuse(*about: object) -> None:
        raise AssertionError(f"read again: {about}")

    monkeypatch.setattr("headwater.upkeep.lookout.file_sizes", refuse)
    monkeypatch.setattr("headwater.upkeep.lookout.parts_of", refuse)
    clock.forward(seconds=30)
    assert lookout.next_task() is None


def test_a_dynamic_table_lives_while_it_is_refreshed(
    lake: headwater.Connection, clock: Clock, lookout: Lookout
) -> None:
    source = hand_made(lake, clock, "source")
    source.commit(None)
    table = hand_made(lake, clock, data_lifecycle=7)
    table.commit(None)
    dynamic = dynamic_table_over(lake, table.table, source.table)
    store = lake.session.lake.store
    clock.forward(days=8)
    before = store.dynamic_tables.by_id(dynamic)
    assert before is not None
    assert before.frontier is not None
    late = replace(before.frontier, at=clock.at - timedelta(days=1))
    store.dynamic_tables.set_frontier(dynamic, late, number=2)
    # The plain table has outlived, the dynamic one with the same files has not.
    task = done(lookout, Kind.EXPIRE)
    assert task.table_id == table.table.id
    lookout.failed(task)
    assert lookout.next_task() is None
