"""Parameters, partitions, backfills and hints on a lake whose Spark never starts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.pipes.fake_spark import Insert, table_of

import headwater
from headwater.catalog.dynamic_tables import (
    DynamicTable,
    Frontier,
    RefreshKind,
    RefreshMark,
    RefreshMode,
)
from headwater.catalog.objects import TableKind
from headwater.catalog.partitions import Partition
from headwater.errors import HeadwaterError
from headwater.lake.delta_log.files import LOG_FOLDER, commit_name
from headwater.lake.delta_log.stamp import Stamp
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.statements.context import Context
from headwater.statements.refreshing import plan_of
from headwater.streams.vacuum_needs import vacuum_needs
from headwater.tables.versions import catch_up

PARAMETERISED = "SELECT line FROM t WHERE line = SESSION_CONFIGS()['dt.args.day']"


def dynamic_table(
    lake: headwater.Connection, query: str = PARAMETERISED, *, partitioned_by: tuple[str, ...] = ()
) -> DynamicTable:
    """A dynamic table d that was made without Spark."""
    open_lake = lake.session.lake
    model = table_of(open_lake, "d_files")
    shape = replace(model.shape, partition_columns=partitioned_by)
    table = replace(model, id="id-d", name="d", kind=TableKind.DYNAMIC, shape=shape)
    source = open_lake.store.tables.get("headwater", "public", "t")
    assert source is not None
    here = ("headwater", "public")
    made = DynamicTable(table.id, *here, "d", query, *here, RefreshMode.AUTO, None, (source.id,))
    version = open_lake.store.versions.last(model.id)
    store = open_lake.store
    store.tables.activate(store.dynamic_tables.begin_create(table, made), version)
    return made


def error_of(lake: headwater.Connection, text: str) -> HeadwaterError:
    with pytest.raises(HeadwaterError) as caught:
        lake.sql(text)
    return caught.value


def test_a_parameter_that_is_not_set_is_named(lake: headwater.Connection) -> None:
    dynamic_table(lake)
    error = error_of(lake, "REFRESH DYNAMIC TABLE d")
    assert error.condition == "PARAMETER_NOT_SET"
    assert error.hint == "SET dt.args.day = <value>, then REFRESH DYNAMIC TABLE public.d"
    row = lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY d").to_dicts()[0]
    assert (row["state"], row["refresh_mode"]) == ("FAILED", None)
    assert "dt.args.day" in row["error_message"]
    assert error_of(lake, "EXPLAIN REFRESH DYNAMIC TABLE d").condition == "PARAMETER_NOT_SET"


def test_a_parameter_may_stand_in_a_view(lake: headwater.Connection) -> None:
    store = lake.session.lake.store
    table = store.tables.get("headwater", "public", "t")
    assert table is not None
    view = replace(
        table, id="id-v", name="of_day", kind=TableKind.VIEW, view_text=PARAMETERISED, location=""
    )
    store.tables.insert_active(view)
    dynamic_table(lake, "SELECT line FROM of_day")
    assert error_of(lake, "REFRESH DYNAMIC TABLE d").condition == "PARAMETER_NOT_SET"


@pytest.mark.parametrize(
    ("query", "partitioned_by", "clause", "condition"),
    [
        (PARAMETERISED, ("line",), "", "PARTITION_NEEDED"),
        (PARAMETERISED, (), "PARTITION (line = 'x')", "PARTITION_OF_WHOLE_TABLE"),
        ("SELECT line FROM t", ("line",), "PARTITION (line = 'x')", "PARTITION_OF_WHOLE_TABLE"),
        (PARAMETERISED, ("line",), "PARTITION (other = 'x')", "PARTITION_COLUMNS"),
    ],
)
def test_what_cannot_be_refreshed_like_this_leaves_no_trace(
    lake: headwater.Connection,
    query: str,
    partitioned_by: tuple[str, ...],
    clause: str,
    condition: str,
) -> None:
    dynamic_table(lake, query, partitioned_by=partitioned_by)
    for statement in ("REFRESH DYNAMIC TABLE d", "EXPLAIN REFRESH DYNAMIC TABLE d"):
        assert error_of(lake, f"{statement} {clause}").condition == condition
    assert lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY d").rows == []


@pytest.mark.parametrize(
    "switch", ["cz.optimizer.incremental.backfill.enabled", "cz.sql.dt.allow.dml"]
)
@pytest.mark.parametrize(
    "statement",
    ["UPDATE d SET line = 'x'", "MERGE INTO d USING t ON d.line = t.line WHEN MATCHED THEN DELETE"],
)
def test_a_backfill_does_not_update_and_does_not_merge(
    lake: headwater.Connection, switch: str, statement: str
) -> None:
    dynamic_table(lake)
    error = error_of(lake, f"SET {switch} = true; {statement}")
    assert error.condition == "DYNAMIC_TABLE_WRITTEN"


@pytest.mark.parametrize(
    "statement", ["INSERT INTO d VALUES ('x')", "DELETE FROM d", "TRUNCATE TABLE d"]
)
def test_without_the_switch_the_error_names_it(lake: headwater.Connection, statement: str) -> None:
    dynamic_table(lake)
    error = error_of(lake, statement)
    assert error.condition == "DYNAMIC_TABLE_WRITTEN"
    assert error.hint is not None
    assert "SET cz.optimizer.incremental.backfill.enabled = true" in error.hint


@pytest.mark.parametrize("key", ["dimension.tables", "full.refresh.if.these.tables.change"])
def test_a_hint_that_names_no_table_is_refused_with_the_nearest_source(
    lake: headwater.Connection, key: str
) -> None:
    dynamic_table(lake, "SELECT line FROM t")
    lake.sql(f"SET cz.optimizer.incremental.{key} = 't, tt'")
    error = error_of(lake, "REFRESH DYNAMIC TABLE d")
    assert (error.condition, error.hint) == ("HINT_TABLE_UNKNOWN", "did you mean t?")
    assert key in str(error.message)


def test_a_switch_that_is_neither_true_nor_false_is_refused(lake: headwater.Connection) -> None:
    key = "cz.optimizer.incremental.force.full.refresh"
    assert error_of(lake, f"SET {key} = yes").condition == "PROPERTY_VALUE"
    assert lake.sql(f"SET {key}").rows == [(key, "<undefined>")]


def test_a_refresh_of_a_partition_that_finds_nothing_new_needs_no_spark(
    lake: headwater.Connection,
) -> None:
    made = dynamic_table(lake, partitioned_by=("line",))
    store = lake.session.lake.store
    lake.sql("SET dt.args.day = 'x'")
    plan = lake.sql("EXPLAIN REFRESH DYNAMIC TABLE d PARTITION (line = 'x')").rows
    assert plan[0] == ("Refresh: FULL because it is the first refresh (FIRST_REFRESH)",)
    refreshed(lake, made, Partition((("line", "x"),)))
    done = lake.sql("REFRESH DYNAMIC TABLE d PARTITION (line = 'x')")
    assert done.message == (
        "dynamic table public.d PARTITION (line = 'x') refreshed: NO_DATA, nothing to do;"
        " no source has a new version"
    )
    row = lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY d").to_dicts()[0]
    assert row["stats"]["partition"] == "line = 'x'"
    moved = store.dynamic_tables.partitions(made.id)[0]
    assert moved.frontier.detail["parameters"] == {"dt.args.day": "x"}
    other = lake.sql("SET dt.args.day = 'y'; EXPLAIN REFRESH DYNAMIC TABLE d PARTITION (line='x')")
    assert other.rows[0] == (
        "Refresh: FULL because a parameter has another value: dt.args.day was 'x'"
        " (PARAMETERS_CHANGED)",
    )
    new = lake.sql("EXPLAIN REFRESH DYNAMIC TABLE d PARTITION (line = 'y')")
    assert "FIRST_REFRESH" in str(new.rows[0][0])


def refreshed(lake: headwater.Connection, made: DynamicTable, partition: Partition) -> None:
    """The commit of a refresh of a partition with what there is now, found in the log."""
    state = lake.session.state
    context = Context(state, "j", "", [], lambda context, text: Result())
    planned = plan_of(context, made, partition)
    commit_refresh(lake, made, planned.frontier, partition)


def commit_refresh(
    lake: headwater.Connection, made: DynamicTable, frontier: Frontier, partition: Partition
) -> None:
    mark = RefreshMark(made.id, 1, RefreshKind.FULL, frontier, partition)
    note = Stamp("the-job", "REFRESH", "tester", refresh=mark).to_json()
    table = lake.session.lake.store.tables.get_by_id(made.id)
    assert table is not None
    assert Insert(Path(lake.session.lake.location(table)), ("x",), note, None).commit()
    catch_up(lake.session.lake, table)


def test_vacuum_leaves_what_a_partition_has_not_read(lake: headwater.Connection) -> None:
    made = dynamic_table(lake, partitioned_by=("line",))
    store = lake.session.lake.store
    source = store.tables.get("headwater", "public", "t")
    assert source is not None
    commit_refresh(lake, made, Frontier({source.id: 0}, now()), Partition((("line", "x"),)))
    assert vacuum_needs(store, source) == []
    assert Insert(Path(lake.session.lake.location(source)), ("x",), "", None).commit()
    needs = vacuum_needs(store, catch_up(lake.session.lake, source))
    assert [need.reader for need in needs] == ["dynamic table public.d"]


def test_a_write_makes_only_the_partitions_full_that_it_touched(
    lake: headwater.Connection,
) -> None:
    made = dynamic_table(lake, partitioned_by=("line",))
    lake.sql("SET dt.args.day = 'x'")
    refreshed(lake, made, Partition((("line", "x"),)))
    table = lake.session.lake.store.tables.get_by_id(made.id)
    assert table is not None
    log = Path(lake.session.lake.location(table), LOG_FOLDER)

    def write(value: str) -> str:
        body = {"path": value, "partitionValues": {"line": value}, "size": 1, "dataChange": True}
        info = {"commitInfo": {"timestamp": 1, "operation": "WRITE"}}
        number = len(list(log.glob("*.json")))
        lines = (json.dumps(action) + "\n" for action in (info, {"add": body}))
        (log / commit_name(number)).write_text("".join(lines))
        rows = lake.sql("EXPLAIN REFRESH DYNAMIC TABLE d PARTITION (line = 'x')").rows
        return str(rows[0][0])

    assert "NO_DATA" in write("y")
    assert "TABLE_CHANGED" in write("x")
