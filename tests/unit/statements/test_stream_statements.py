"""CREATE, DROP, SHOW and DESC of table streams on a lake whose Spark never starts."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.unit.pipes.fake_spark import Insert, table_of

import headwater
from headwater.catalog.objects import Table
from headwater.catalog.streams import Stream, StreamMode, StreamMove, StreamOffset, StreamSource
from headwater.errors import HeadwaterError
from headwater.lake.delta_log.files import LOG_FOLDER, commit_name
from headwater.runtime.clock import now
from headwater.streams import readable
from headwater.streams.readable import require_readable, source_of
from headwater.streams.vacuum_needs import vacuum_needs
from headwater.tables.properties import delta_properties
from headwater.tables.versions import catch_up
from headwater.upkeep.cleaning import upkeep

MODE = "WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')"
CREATE = f"CREATE TABLE STREAM s ON TABLE tracked {MODE}"


@pytest.fixture
def tracked(lake: headwater.Connection) -> Table:
    """A table that is ready for streams."""
    properties = delta_properties([("change_tracking", "true")], lake_days=7)
    return table_of(lake.session.lake, "tracked", properties=properties)


def stream_of(lake: headwater.Connection, name: str = "s") -> Stream:
    found = lake.session.lake.store.streams.get("headwater", "public", name)
    assert found is not None
    return found


def described(lake: headwater.Connection, text: str) -> dict[str, str]:
    return dict(lake.sql(f"DESC {text}").rows)


def insert(lake: headwater.Connection, table: Table) -> Table:
    """One more Delta commit, which the catalog then knows."""
    open_lake = lake.session.lake
    Insert(Path(open_lake.location(table)), ("x",), "", None).commit()
    current = open_lake.store.tables.get_by_id(table.id)
    assert current is not None
    return catch_up(open_lake, current)


def pack(lake: headwater.Connection, table: Table, version: int) -> None:
    """A Delta commit that moves rows and changes none."""
    info = {"operation": "OPTIMIZE", "timestamp": int(now().timestamp() * 1000)}
    packed = {"path": "packed.parquet", "size": 1, "dataChange": False, "modificationTime": 0}
    commit = Path(lake.session.lake.location(table), LOG_FOLDER, commit_name(version))
    actions = [{"commitInfo": info}, {"add": {**packed, "partitionValues": {}}}]
    commit.write_text("\n".join(json.dumps(action) for action in actions))


def error_of(lake: headwater.Connection, text: str) -> HeadwaterError:
    with pytest.raises(HeadwaterError) as caught:
        lake.sql(text)
    return caught.value


def later(monkeypatch: pytest.MonkeyPatch, **time: float) -> None:
    monkeypatch.setattr(readable, "now", lambda: now() + timedelta(**time))


def test_a_stream_begins_at_the_present_and_makes_no_version_of_a_tracked_table(
    lake: headwater.Connection, tracked: Table
) -> None:
    insert(lake, tracked)
    message = lake.sql(f"{CREATE} COMMENT 'orders'").message
    assert message == "stream public.s created on table public.tracked"
    stream = stream_of(lake)
    assert (stream.source, stream.source_id) == (StreamSource.TABLE, tracked.id)
    assert (stream.mode, stream.offset) == (StreamMode.STANDARD, StreamOffset(1))
    assert (stream.creator, stream.comment) == ("tester", "orders")
    assert len(lake.sql("DESC HISTORY tracked").rows) == 2


def test_show_initial_rows_is_kept_in_the_offset(
    lake: headwater.Connection, tracked: Table
) -> None:
    lake.sql(CREATE.replace("')", "', 'SHOW_INITIAL_ROWS' = 'TRUE')"))
    assert stream_of(lake).offset == StreamOffset(0, initial=True)
    shown = described(lake, "TABLE STREAM s")["properties"]
    assert shown == "((show_initial_rows,true),(table_stream_mode,STANDARD))"


def test_or_replace_begins_anew_and_if_not_exists_does_not(
    lake: headwater.Connection, tracked: Table
) -> None:
    lake.sql(CREATE)
    first = stream_of(lake)
    insert(lake, tracked)
    guarded = lake.sql(CREATE.replace(" s ", " IF NOT EXISTS s "))
    assert guarded.message == "stream public.s exists already"
    assert stream_of(lake) == first
    error = error_of(lake, CREATE)
    assert error.condition == "TABLE_ALREADY_EXISTS"
    assert error.message == "table stream 'public.s' already exists"
    assert error.hint == "write IF NOT EXISTS, or first DROP TABLE STREAM public.s"
    replaced = lake.sql(CREATE.replace("CREATE", "CREATE OR REPLACE"))
    assert replaced.message == "stream public.s replaced on table public.tracked"
    assert stream_of(lake).offset == StreamOffset(1)
    assert stream_of(lake).id != first.id


@pytest.mark.parametrize("column", ["__change_type", "__Commit_Version", "__commit_timestamp"])
def test_a_table_whose_column_is_named_like_one_of_a_stream_is_not_watched(
    lake: headwater.Connection, column: str
) -> None:
    table_of(lake.session.lake, "taken", column=column)
    error = error_of(lake, CREATE.replace("tracked", "taken"))
    assert error.condition == "STREAM_COLUMN_TAKEN"
    assert error.hint == f"ALTER TABLE public.taken RENAME COLUMN {column} TO .."


@pytest.mark.parametrize("verb", ["CREATE", "CREATE OR REPLACE"])
def test_a_stream_takes_the_name_of_no_table(
    lake: headwater.Connection, tracked: Table, verb: str
) -> None:
    error = error_of(lake, CREATE.replace(" s ", " t ").replace("CREATE", verb))
    assert (error.condition, error.hint) == (
        "TABLE_ALREADY_EXISTS",
        "write IF NOT EXISTS, or first DROP TABLE public.t",
    )


@pytest.mark.parametrize(
    ("text", "condition", "place"),
    [
        (CREATE.replace("tracked", "trakced"), "TABLE_NOT_FOUND", "trakced"),
        (CREATE.replace(" s ", " nowhere.s "), "SCHEMA_NOT_FOUND", "nowhere.s"),
        (CREATE.replace(" s ", " `a b` "), "NAME_NOT_ALLOWED", "`a b`"),
        (CREATE.replace("tracked", "s2"), "STREAM_ON_STREAM", "s2"),
        (CREATE.replace("tracked", "k"), "KAFKA_STREAM_MODE", "'STANDARD'"),
        (
            CREATE.replace("tracked", "k TIMESTAMP AS OF '2026-01-01'").replace(
                "STANDARD", "APPEND_ONLY"
            ),
            "KAFKA_STREAM_TIMESTAMP",
            "'2026-01-01'",
        ),
    ],
)
def test_what_a_stream_cannot_watch_is_refused_at_its_place(
    lake: headwater.Connection, tracked: Table, text: str, condition: str, place: str
) -> None:
    lake.sql(CREATE.replace(" s ", " s2 "))
    lake.sql("CREATE STORAGE CONNECTION kc TYPE KAFKA BOOTSTRAP_SERVERS = ['nowhere:1']")
    lake.sql(
        "CREATE EXTERNAL TABLE k (value BINARY) USING KAFKA OPTIONS('topics' = 'a') CONNECTION kc"
    )
    error = error_of(lake, text)
    assert error.condition == condition
    assert error.span is not None
    assert text[error.span.start : error.span.end] == place


def test_show_lists_the_documented_columns(lake: headwater.Connection, tracked: Table) -> None:
    lake.sql("CREATE SCHEMA raw")
    lake.sql(f"{CREATE} COMMENT 'x'")
    lake.sql(CREATE.replace(" s ", " raw.u ").replace("STANDARD", "APPEND_ONLY"))
    found = lake.sql("SHOW TABLE STREAMS")
    assert found.columns == ["create_time", "schema_name", "name", "table_name", "mode", "comment"]
    assert [row[1:] for row in found.rows] == [("public", "s", "tracked", "STANDARD", "x")]
    assert [row[1:5] for row in lake.sql("SHOW STREAMS IN raw WHERE mode = 'APPEND_ONLY'")] == [
        ("raw", "u", "tracked", "APPEND_ONLY")
    ]
    assert lake.sql("SHOW TABLE STREAMS LIKE 'u%'").rows == []
    assert error_of(lake, "SHOW STREAMS IN nowhere").condition == "SCHEMA_NOT_FOUND"


def test_desc_shows_the_documented_rows_in_order(
    lake: headwater.Connection, tracked: Table
) -> None:
    lake.sql(CREATE)
    found = described(lake, "TABLE STREAM s")
    assert (
        list(found)
        == (
            "name creator created_time last_modified_time comment properties workspace base_tables"
            " stale offset current_offset_time current_offset_version"
        ).split()
    )
    assert found["properties"] == "((table_stream_mode,STANDARD))"
    assert found["base_tables"] == "headwater.public.tracked"
    assert (found["stale"], found["offset"]) == ("false", "0")
    assert found["current_offset_version"] == "1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d .*", found["current_offset_time"])


def test_desc_extended_says_what_waits_and_until_when(
    lake: headwater.Connection, tracked: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.sql(CREATE)
    quiet = described(lake, "STREAM EXTENDED s")
    assert (quiet["has_data"], quiet["stale_after"], quiet["warning"]) == ("false", None, None)
    insert(lake, tracked)
    waiting = described(lake, "STREAM s EXTENDED")
    assert (waiting["has_data"], waiting["warning"]) == ("true", None)
    assert waiting["stale_after"] > waiting["created_time"]
    later(monkeypatch, days=13)
    soon = described(lake, "TABLE STREAM EXTENDED s")
    assert soon["stale"] == "false"
    assert soon["warning"].startswith("it is stale in 23 hours")
    later(monkeypatch, days=15)
    assert described(lake, "TABLE STREAM s")["stale"] == "true"


def test_has_data_knows_statements_that_change_no_row(
    lake: headwater.Connection, tracked: Table
) -> None:
    lake.sql(CREATE)
    open_lake = lake.session.lake
    insert(lake, tracked)
    version = open_lake.store.versions.last(tracked.id)
    assert version is not None
    move = stream_of(lake).move(StreamOffset(version.delta_version))
    open_lake.store.streams.move([move], now())
    assert described(lake, "STREAM EXTENDED s")["has_data"] == "false"
    pack(lake, tracked, version.delta_version + 1)
    found = described(lake, "STREAM EXTENDED s")
    operation = lake.sql("DESC HISTORY tracked LIMIT 1").to_dicts()[0]["operation"]
    assert (operation, found["has_data"]) == ("COMPACTION", "false")


def test_a_stale_stream_is_not_readable_and_says_how_to_begin_anew(
    lake: headwater.Connection, tracked: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.sql(CREATE)
    open_lake, stream = lake.session.lake, stream_of(lake)
    later(monkeypatch, days=400)
    require_readable(open_lake, stream, tracked)  # nothing changed: it never gets stale
    monkeypatch.undo()
    table = insert(lake, tracked)
    later(monkeypatch, days=13, hours=23)
    require_readable(open_lake, stream, table)
    later(monkeypatch, days=14, minutes=1)
    with pytest.raises(HeadwaterError, match="STREAM_STALE") as caught:
        require_readable(open_lake, stream, table)
    hint = "CREATE OR REPLACE TABLE STREAM public.s ON TABLE public.tracked .. begins anew"
    assert caught.value.hint == hint
    consumed = StreamMove(stream.id, 1, StreamOffset(table.shape.delta_version))
    open_lake.store.streams.move([consumed], now())
    require_readable(open_lake, stream_of(lake), table)


def test_what_keeps_all_rows_makes_no_stream_stale(
    lake: headwater.Connection, tracked: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.sql(CREATE)
    lake.sql(CREATE.replace(" s ", " whole ").replace("')", "', 'SHOW_INITIAL_ROWS' = 'TRUE')"))
    pack(lake, tracked, 1)
    open_lake = lake.session.lake
    table = catch_up(open_lake, tracked)
    later(monkeypatch, days=15)
    require_readable(open_lake, stream_of(lake), table)
    found = described(lake, "STREAM EXTENDED s")
    assert (found["stale"], found["has_data"], found["stale_after"]) == ("false", "false", None)
    # The other one shows the rows of before, which lie in files that were replaced.
    with pytest.raises(HeadwaterError, match="STREAM_STALE"):
        require_readable(open_lake, stream_of(lake, "whole"), table)
    assert [need.reader for need in vacuum_needs(open_lake.store, table)] == ["stream public.whole"]
    monkeypatch.undo()
    table = insert(lake, tracked)
    later(monkeypatch, days=15)
    with pytest.raises(HeadwaterError, match="STREAM_STALE"):
        require_readable(open_lake, stream_of(lake), table)
    assert len(vacuum_needs(open_lake.store, table)) == 2


def test_a_table_that_keeps_more_makes_its_streams_wait_longer(
    lake: headwater.Connection, tracked: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.sql(CREATE)
    table = insert(lake, tracked)
    properties = {**table.shape.properties, "data_retention_days": "40"}
    longer = replace(table, shape=replace(table.shape, properties=properties))
    later(monkeypatch, days=39)
    require_readable(lake.session.lake, stream_of(lake), longer)
    with pytest.raises(HeadwaterError, match="STREAM_STALE"):
        require_readable(lake.session.lake, stream_of(lake), table)


def test_a_dropped_table_is_gone_for_its_streams_until_it_is_back(
    lake: headwater.Connection, tracked: Table
) -> None:
    lake.sql(CREATE)
    open_lake, stream = lake.session.lake, stream_of(lake)
    lake.sql("DROP TABLE tracked")
    with pytest.raises(HeadwaterError, match="STREAM_SOURCE_GONE") as caught:
        require_readable(open_lake, stream, source_of(open_lake, stream))
    assert caught.value.hint == "UNDROP TABLE public.tracked"
    found = described(lake, "STREAM EXTENDED s")
    assert (found["stale"], found["base_tables"]) == ("false", "headwater.public.tracked")
    assert found["warning"] == "its table was dropped: UNDROP TABLE public.tracked"
    lake.sql("UNDROP TABLE tracked")
    require_readable(open_lake, stream, source_of(open_lake, stream))


def test_a_table_that_is_purged_makes_its_streams_stale(
    lake: headwater.Connection, tracked: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.sql(CREATE)
    lake.sql("DROP TABLE tracked")
    open_lake, stream = lake.session.lake, stream_of(lake)
    monkeypatch.setattr("headwater.upkeep.cleaning.now", lambda: now() + timedelta(days=8))
    upkeep(open_lake)
    assert described(lake, "STREAM s")["stale"] == "true"
    assert [row[3] for row in lake.sql("SHOW STREAMS")] == [None]
    with pytest.raises(HeadwaterError, match="STREAM_SOURCE_GONE") as caught:
        require_readable(open_lake, stream, source_of(open_lake, stream))
    assert (caught.value.hint or "").startswith("DROP TABLE STREAM public.s")


def test_drop_forgets_the_stream_and_not_the_table(
    lake: headwater.Connection, tracked: Table
) -> None:
    lake.sql(CREATE)
    assert lake.sql("DROP TABLE STREAM s").message == "stream public.s dropped"
    error = error_of(lake, "DROP STREAM s")
    assert (error.condition, error.hint) == ("STREAM_NOT_FOUND", "SHOW TABLE STREAMS IN public")
    assert lake.sql("DROP STREAM IF EXISTS s").message == "there is no stream public.s"
    assert error_of(lake, "DROP TABLE STREAM IF EXISTS t").condition == "NOT_A_STREAM"
    lake.sql(CREATE)
    assert error_of(lake, "DESC STREAM ss").hint == "did you mean s?"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("DROP TABLE s", "DROP TABLE needs a table, and 'public.s' is a stream", "TABLE STREAM"),
        ("TRUNCATE TABLE s", "TRUNCATE TABLE needs a table, and 'public.s' is a stream", ""),
        ("INSERT INTO s VALUES (1)", "INSERT INTO needs a table, and 'public.s' is a stream", ""),
        ("VACUUM s", "VACUUM needs a table, and 'public.s' is a stream", ""),
        ("DESC HISTORY s", "DESC HISTORY needs a table, and 'public.s' is a stream", ""),
        ("DROP VIEW s", "DROP VIEW needs a view, and 'public.s' is a table stream", "DROP TABLE"),
        ("DESC STREAM t", "DESC TABLE STREAM needs a stream, and 'public.t' is a table", ""),
        (
            "CREATE OR REPLACE TABLE s (a INT)",
            "table stream 'public.s' already exists",
            "DROP TABLE STREAM public.s",
        ),
        ("DESC tracke", "there is no table or view 'public.tracke'", "did you mean tracked?"),
        ("SHOW COLUMNS IN ss", "there is no table or view 'public.ss'", "did you mean s?"),
    ],
)
def test_a_stream_is_named_where_a_table_is_wanted(
    lake: headwater.Connection, tracked: Table, text: str, message: str, hint: str
) -> None:
    lake.sql(CREATE)
    error = error_of(lake, text)
    assert error.message == message
    assert hint in (error.hint or "")


def test_streams_are_no_tables_in_lists_and_have_their_columns(
    lake: headwater.Connection, tracked: Table
) -> None:
    lake.sql(CREATE)
    assert [row[1] for row in lake.sql("SHOW TABLES")] == ["t", "tracked"]
    columns = ["__change_type", "__commit_version", "__commit_timestamp", "line"]
    assert [row[0] for row in lake.sql("DESC s")] == columns
    assert [row[1] for row in lake.sql("DESC s")] == ["string", "bigint", "timestamp", "string"]
    assert [row[2] for row in lake.sql("SHOW COLUMNS IN s")] == columns
    assert ("type", "TABLE STREAM", "") in lake.sql("DESC EXTENDED s").rows


def test_show_create_gives_the_statement_back(lake: headwater.Connection, tracked: Table) -> None:
    lake.sql(f"{CREATE} COMMENT 'it''s'")
    text = lake.sql("SHOW CREATE TABLE s").rows[0][0]
    assert text == (
        "CREATE TABLE STREAM public.s ON TABLE public.tracked\nCOMMENT 'it\\'s'\n"
        "WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')"
    )


def test_vacuum_may_not_break_the_promise_of_the_table(
    lake: headwater.Connection, tracked: Table
) -> None:
    error = error_of(lake, "VACUUM tracked RETAIN 25 HOURS")
    assert error.condition == "VACUUM_RETENTION"
    assert error.hint == ("ALTER TABLE public.tracked SET PROPERTIES ('data_retention_days' = '1')")
