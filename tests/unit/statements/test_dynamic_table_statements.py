"""Dynamic tables on a lake whose Spark never starts: refused, shown, recorded, recovered."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.unit.pipes.fake_spark import Insert, table_of

import headwater
from headwater.catalog.dynamic_tables import (
    DynamicTable,
    Frontier,
    Refresh,
    RefreshKind,
    RefreshMark,
    RefreshMode,
    RefreshState,
    Schedule,
)
from headwater.catalog.jobs import Job, JobState
from headwater.catalog.objects import Table, TableKind, TableState
from headwater.catalog.streams import Stream, StreamMode, StreamOffset, StreamSource
from headwater.errors import HeadwaterError
from headwater.lake.delta_log.files import LOG_FOLDER, commit_name
from headwater.lake.delta_log.stamp import Stamp
from headwater.names import QualifiedName
from headwater.runtime.clock import now
from headwater.streams.vacuum_needs import vacuum_needs
from headwater.tables.recovery import recover
from headwater.tables.versions import catch_up
from headwater.wire.errors import error_body

KAFKA = "READ_KAFKA('b:1', 't', '', 'g', '', '', '', '', 'raw', 'raw', 0, map())"


def dynamic_table(
    lake: headwater.Connection,
    name: str = "d",
    *,
    sources: tuple[str, ...] = (),
    schedule: Schedule | None = None,
    kind: TableKind = TableKind.DYNAMIC,
) -> DynamicTable:
    """A dynamic table, or view, whose rows are those of t, made without Spark."""
    open_lake = lake.session.lake
    store = open_lake.store
    model = table_of(open_lake, f"{name}_files")
    table = replace(model, id=f"id-{name}", name=name, kind=kind)
    made = DynamicTable(
        table.id,
        "headwater",
        "public",
        name,
        "SELECT line FROM t",
        "headwater",
        "public",
        RefreshMode.INCREMENTAL,
        schedule,
        sources,
    )
    version = store.versions.last(model.id)
    store.tables.activate(store.dynamic_tables.begin_create(table, made), version)
    return made


def stream_on(table: Table) -> Stream:
    """A stream s on a table."""
    at, here = now(), ("headwater", "public")
    kind, mode = StreamSource.TABLE, StreamMode.STANDARD
    return Stream("id-s", *here, "s", kind, table.id, mode, StreamOffset(0), "tester", at, at)


def table_named(lake: headwater.Connection, name: str) -> Table:
    found = lake.session.lake.store.tables.get("headwater", "public", name)
    assert found is not None
    return found


def now_of(lake: headwater.Connection, made: DynamicTable) -> DynamicTable:
    found = lake.session.lake.store.dynamic_tables.by_id(made.id)
    assert found is not None
    return found


def commit_refresh(
    lake: headwater.Connection, made: DynamicTable, *, number: int, sources: dict[str, int]
) -> None:
    """The Delta commit of a refresh, of which nobody has told the catalog."""
    mark = RefreshMark(made.id, number, RefreshKind.INCREMENTAL, Frontier(sources, now()))
    note = Stamp("the-job", "REFRESH", "tester", refresh=mark).to_json()
    table = table_named(lake, made.name)
    location = Path(lake.session.lake.location(table))
    assert Insert(location, ("x",), note, None).commit()


def error_of(lake: headwater.Connection, text: str) -> HeadwaterError:
    with pytest.raises(HeadwaterError) as caught:
        lake.sql(text)
    return caught.value


@pytest.mark.parametrize(
    ("query", "condition", "at"),
    [
        ("SELECT * FROM VOLUME v USING CSV", "DYNAMIC_TABLE_ON_VOLUME", "VOLUME v"),
        (f"SELECT * FROM {KAFKA}", "DYNAMIC_TABLE_ON_KAFKA", "READ_KAFKA"),
        ("SELECT * FROM TABLE_CHANGES('t', 'a', 'b')", "DYNAMIC_TABLE_ON_CHANGES", "TABLE_CH"),
        ("SELECT * FROM LOAD_HISTORY('t')", "DYNAMIC_TABLE_ON_CATALOG", "LOAD_HISTORY"),
        ("SELECT * FROM information_schema.tables", "DYNAMIC_TABLE_ON_CATALOG", "information"),
        ("SELECT * FROM t JOIN (SHOW TABLES)", "DYNAMIC_TABLE_ON_CATALOG", "(SHOW"),
        ("SELECT * FROM t VERSION AS OF 1", "DYNAMIC_TABLE_ON_VERSION", "VERSION"),
        ("SELECT * FROM d", "DYNAMIC_TABLE_READS_ITSELF", "d"),
        ("SELECT line, uuid() FROM t", "NOT_DETERMINISTIC", "uuid"),
        ("SELECT dice(line) FROM t", "NOT_DETERMINISTIC", "dice"),
        ("SELECT line FROM t WHERE line > CURRENT_TIMESTAMP", "NOT_DETERMINISTIC", "CURRENT"),
        ("INSERT INTO t SELECT 1", "DYNAMIC_TABLE_NOT_A_QUERY", "INSERT"),
        ("EXPLAIN SELECT 1", "DYNAMIC_TABLE_NOT_A_QUERY", "EXPLAIN"),
        ("SELECT (1 FROM t", "SYNTAX_ERROR", "(1"),
        ("SELECT * FROM tt", "TABLE_NOT_FOUND", "tt"),
    ],
)
def test_what_a_dynamic_table_cannot_be_made_of_is_pointed_at(
    lake: headwater.Connection, query: str, condition: str, at: str
) -> None:
    lake.sql(
        "CREATE FUNCTION dice(x STRING) RETURNS STRING LANGUAGE PYTHON NOT DETERMINISTIC"
        " AS $$return x$$"
    )
    text = f"CREATE DYNAMIC TABLE d AS {query}"
    error = error_of(lake, text)
    assert error.condition == condition
    assert error.span is not None
    assert text[error.span.start :].startswith(at)


def test_what_does_not_stay_cannot_be_read(lake: headwater.Connection) -> None:
    store = lake.session.lake.store
    table = table_named(lake, "t")
    store.streams.create(stream_on(table))
    lake.sql("CREATE STORAGE CONNECTION broker TYPE KAFKA BOOTSTRAP_SERVERS = ['broker:9092']")
    topics = replace(table, id="id-k", name="k", kind=TableKind.KAFKA, location="broker")
    store.tables.insert_active(topics)
    lake.session.state.temporary_views.add("passing")
    found = {
        name: error_of(lake, f"CREATE DYNAMIC TABLE d AS SELECT * FROM {name}").condition
        for name in ("k", "passing")
    }
    lake.session.state.temporary_views.clear()
    assert found == {
        "k": "DYNAMIC_TABLE_ON_KAFKA",
        "passing": "DYNAMIC_TABLE_ON_TEMPORARY_VIEW",
    }
    error = error_of(lake, "CREATE MATERIALIZED VIEW m AS SELECT * FROM s")
    assert error.condition == "MATERIALIZED_VIEW_ON_STREAM"


def test_a_dynamic_table_does_not_follow_itself_by_a_stream(lake: headwater.Connection) -> None:
    lower = dynamic_table(lake, "lower")
    lake.session.lake.store.streams.create(stream_on(table_named(lake, "lower")))
    dynamic_table(lake, "upper", sources=("id-s",))
    for query in ("SELECT line FROM s", "SELECT line FROM upper"):
        error = error_of(lake, f"CREATE OR REPLACE DYNAMIC TABLE {lower.name} AS {query}")
        assert error.condition == "DYNAMIC_TABLE_READS_ITSELF"


def test_a_refresh_without_waiting_changes_needs_no_spark(lake: headwater.Connection) -> None:
    """What holds no change is passed all the same, so that the stream keeps nothing for it."""
    store, table = lake.session.lake.store, table_named(lake, "t")
    store.streams.create(stream_on(table))
    made = dynamic_table(lake, sources=("id-s",))
    store.dynamic_tables.replace(replace(made, query="SELECT line FROM s"))
    location = Path(lake.session.lake.location(table))
    said = lake.sql("REFRESH DYNAMIC TABLE d").message
    assert said == (
        "dynamic table public.d refreshed: NO_DATA, nothing to do; no change waits in a stream"
    )
    nothing = {"commitInfo": {"timestamp": 1_800_000_000_000, "operation": "OPTIMIZE"}}
    (location / LOG_FOLDER / commit_name(1)).write_text(json.dumps(nothing))
    lake.sql("REFRESH DYNAMIC TABLE d")
    moved = store.streams.by_id("id-s")
    assert moved is not None
    assert (moved.offset, moved.number) == (StreamOffset(1), 1)
    frontier = now_of(lake, made).frontier
    assert frontier is not None
    assert frontier.sources == {table.id: 1}
    lake.sql("REFRESH DYNAMIC TABLE d")
    again = store.streams.by_id("id-s")
    assert again is not None
    assert again.number == 1


def test_what_waits_in_a_stream_is_told_before_it_is_consumed(lake: headwater.Connection) -> None:
    store, table = lake.session.lake.store, table_named(lake, "t")
    store.streams.create(stream_on(table))
    made = dynamic_table(lake, sources=("id-s",))
    store.dynamic_tables.replace(replace(made, query="SELECT line FROM s"))
    location = Path(lake.session.lake.location(table))
    assert Insert(location, ("x",), Stamp("j", "INSERT_INTO", "tester").to_json(), None).commit()
    assert [row[0] for row in lake.sql("EXPLAIN REFRESH DYNAMIC TABLE d")] == [
        "Refresh: INCREMENTAL because changes waited in a stream: public.s (CHANGES_ADDED)",
        "CanBeIncrementalized: Yes",
        "Sources:",
        "  stream public.s: Delta versions 0 to 1",
        "Write: append: rows only come, and the changes are consumed",
    ]
    told = json.loads(lake.sql("EXPLAIN REFRESH DYNAMIC TABLE d FORMAT JSON").rows[0][0])
    assert (told["kind"], told["reason"]) == ("INCREMENTAL", "CHANGES_ADDED")
    found = store.streams.by_id("id-s")
    assert found is not None
    assert found.number == 0


def test_the_schedule_refreshes_what_a_stream_watches_before_its_reader(
    lake: headwater.Connection,
) -> None:
    lower = dynamic_table(lake, "lower")
    store = lake.session.lake.store
    store.streams.create(stream_on(table_named(lake, "lower")))
    upper = dynamic_table(lake, "upper", sources=("id-s",))
    sources = {table.id: table.sources for table in store.schedules.list()}
    assert sources == {lower.id: (), upper.id: (lower.id,)}


def test_two_dynamic_tables_cannot_read_each_other(lake: headwater.Connection) -> None:
    lower = dynamic_table(lake, "lower")
    dynamic_table(lake, "upper", sources=(lower.id,))
    error = error_of(lake, "CREATE OR REPLACE DYNAMIC TABLE lower AS SELECT line FROM upper")
    assert error.condition == "DYNAMIC_TABLE_READS_ITSELF"


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO d VALUES ('x')",
        "INSERT OVERWRITE d VALUES ('x')",
        "UPDATE d SET line = 'x'",
        "DELETE FROM d",
        "MERGE INTO d USING t ON d.line = t.line WHEN MATCHED THEN DELETE",
        "TRUNCATE TABLE d",
        "COPY INTO d FROM VOLUME v (line STRING) USING CSV",
        "CREATE PIPE p VIRTUAL_CLUSTER = 'default' INGEST_MODE = 'LIST_PURGE' AS"
        " COPY INTO d FROM VOLUME v (line STRING) USING CSV PURGE = TRUE",
    ],
)
def test_nothing_writes_to_a_dynamic_table(lake: headwater.Connection, statement: str) -> None:
    dynamic_table(lake)
    error = error_of(lake, statement)
    assert error.condition == "DYNAMIC_TABLE_WRITTEN"
    assert error.hint is not None
    assert "REFRESH DYNAMIC TABLE public.d" in error.hint


@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("CREATE TABLE d (a INT)", "TABLE_ALREADY_EXISTS"),
        ("CREATE OR REPLACE TABLE d (a INT)", "TABLE_ALREADY_EXISTS"),
        ("CREATE OR REPLACE VIEW d AS SELECT 1", "TABLE_ALREADY_EXISTS"),
        ("CREATE OR REPLACE DYNAMIC TABLE t AS SELECT 1", "TABLE_ALREADY_EXISTS"),
        ("DROP TABLE d", "NOT_A_TABLE"),
        ("DROP VIEW d", "NOT_A_VIEW"),
        ("DROP TABLE STREAM d", "NOT_A_STREAM"),
        ("ALTER TABLE d DROP COLUMN line", "DYNAMIC_TABLE_COLUMNS"),
        ("REFRESH DYNAMIC TABLE t", "NOT_A_DYNAMIC_TABLE"),
        ("VERIFY DYNAMIC TABLE t", "NOT_A_DYNAMIC_TABLE"),
        ("EXPLAIN REFRESH DYNAMIC TABLE t", "NOT_A_DYNAMIC_TABLE"),
    ],
)
def test_kinds_are_not_mistaken_for_each_other(
    lake: headwater.Connection, statement: str, condition: str
) -> None:
    dynamic_table(lake)
    assert error_of(lake, statement).condition == condition


def test_show_create_gives_a_statement_that_means_the_same(lake: headwater.Connection) -> None:
    schedule = Schedule("TIMESTAMP '2030-01-01'", now(), 7200, "GP")
    dynamic_table(lake, schedule=schedule)
    text = lake.sql("SHOW CREATE DYNAMIC TABLE d").rows[0][0]
    assert text == (
        "CREATE DYNAMIC TABLE public.d (\n  `line`\n)\n"
        "REFRESH START WITH TIMESTAMP '2030-01-01' INTERVAL 2 HOUR VCLUSTER GP\n"
        "REFRESH_MODE = INCREMENTAL\nAS SELECT line FROM t"
    )


def test_the_commit_of_a_refresh_moves_the_frontier_whoever_finds_it(
    lake: headwater.Connection,
) -> None:
    """So it is after a crash between the commit and the catalog."""
    made = dynamic_table(lake)
    commit_refresh(lake, made, number=1, sources={"t": 4})
    assert now_of(lake, made).frontier is None
    catch_up(lake.session.lake, table_named(lake, "d"))
    moved = now_of(lake, made)
    assert moved.frontier is not None
    assert (moved.frontier.sources, moved.refresh_number, moved.delta_version) == ({"t": 4}, 1, 1)
    assert [row[5] for row in lake.sql("DESC HISTORY d").rows] == ["REFRESH", "CREATE"]


def test_a_creation_that_was_interrupted_behind_its_commit_is_finished_with_its_query(
    lake: headwater.Connection,
) -> None:
    open_lake = lake.session.lake
    model = table_of(open_lake, "files")
    table = replace(
        model,
        id="id-d",
        name="d",
        kind=TableKind.DYNAMIC,
        shape=type(model.shape)(),
        created_by_job="of-a-dead-process",
    )
    made = DynamicTable(
        table.id, "headwater", "public", "d", "SELECT line FROM t", "headwater", "public"
    )
    open_lake.store.dynamic_tables.begin_create(table, made)
    recover(open_lake)
    assert table_named(lake, "d").state is TableState.ACTIVE
    made = replace(made, baseline=table.created_at)
    assert open_lake.store.dynamic_tables.get("headwater", "public", "d") == made


def test_the_history_shows_a_refresh_as_the_documents_do(lake: headwater.Connection) -> None:
    made = dynamic_table(lake)
    refreshes = lake.session.lake.store.refreshes
    started = now().replace(microsecond=512_000)
    begun = refreshes.start(
        Refresh(made.id, 0, "headwater", "public", "d", "DEFAULT", started, "j1")
    )
    refreshes.finish(
        replace(
            begun,
            state=RefreshState.SUCCEED,
            kind=RefreshKind.INCREMENTAL,
            ended_at=started + timedelta(milliseconds=327),
            source_tables=(QualifiedName("headwater", "public", "t"),),
            rows_inserted=1,
            rows_deleted=0,
        )
    )
    shown = repr(lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name='d'"))
    cells = [text.strip() for text in shown.splitlines()[3].strip("|").split("|")]
    assert cells[:4] + cells[6:] == [
        "headwater",
        "public",
        "d",
        "DEFAULT",
        "0 00:00:00.327000000",
        "SUCCEED",
        "MANUAL",
        "null",
        "INCREMENTAL",
        "null",
        '[{"schema":"public","table_name":"t","workspace":"headwater"}]',
        '{"rows_deleted":"0","rows_inserted":"1"}',
        "null",
        "j1",
    ]


def test_a_running_refresh_has_no_end_and_no_numbers(lake: headwater.Connection) -> None:
    made = dynamic_table(lake)
    store = lake.session.lake.store
    job = Job("j1", JobState.RUNNING, "headwater", "public", "ann", "REFRESH", now(), "i1")
    store.jobs.start(job)
    store.refreshes.start(Refresh(made.id, 0, "headwater", "public", "d", "DEFAULT", now(), "j1"))
    row = lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY d").to_dicts()[0]
    assert (row["end_time"], row["state"], row["stats"]) == (None, "RUNNING", None)
    error = error_of(lake, "REFRESH DYNAMIC TABLE d")
    assert error.condition == "REFRESH_RUNNING"
    # Whoever sent it may send it again, and is told when.
    assert error_body(error)["kind"] == "transient"
    assert "SHOW DYNAMIC TABLE REFRESH HISTORY public.d" in error_body(error)["hint"]
    store.jobs.finish(replace(job, state=JobState.FAILED, error="gone", ended_at=now()))
    row = lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY d").to_dicts()[0]
    assert (row["state"], row["error_message"]) == ("FAILED", "gone")


def test_vacuum_leaves_what_a_dynamic_table_has_not_read(lake: headwater.Connection) -> None:
    source = table_named(lake, "t")
    made = dynamic_table(lake, sources=(source.id,))
    store = lake.session.lake.store
    assert vacuum_needs(store, source) == [], "before its first refresh it reads no old version"
    store.dynamic_tables.set_frontier(made.id, Frontier({source.id: 0}, now()), number=1)
    assert vacuum_needs(store, source) == [], "it is up to date"
    Insert(Path(lake.session.lake.location(source)), ("x",), "", None).commit()
    source = catch_up(lake.session.lake, source)
    first, second = reversed(store.versions.list(source.id))
    needs = vacuum_needs(store, source)
    assert [(n.reader, n.since, n.first_unconsumed_at) for n in needs] == [
        ("dynamic table public.d", first.committed_at, second.committed_at)
    ]


def test_listings_know_dynamic_tables(lake: headwater.Connection) -> None:
    dynamic_table(lake)
    assert [row[1] for row in lake.sql("SHOW TABLES WHERE is_dynamic").rows] == ["d"]
    extended = {row[0]: row[1] for row in lake.sql("DESC DYNAMIC TABLE EXTENDED d").rows}
    assert (extended["type"], extended["refresh_type"]) == ("DYNAMIC TABLE", "on demand")
    assert json.loads(extended["source_tables"]) == []
    assert "d" in {row[1] for row in lake.sql("SHOW TABLES HISTORY").rows}
