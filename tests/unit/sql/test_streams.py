"""The language of streams: what is taken, what is refused and where, and tables called stream."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.sql.alter_table import AlterTable
from headwater.sql.create_stream import CreateTableStream, CreateVolumeStream
from headwater.sql.create_table import CreateTable
from headwater.sql.describe import DescTable
from headwater.sql.drop import DropTable
from headwater.sql.parse import parse
from headwater.sql.streams import DescTableStream, DropTableStream, ShowTableStreams

CREATE = "CREATE TABLE STREAM s ON TABLE t WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')"
MODE = "TABLE_STREAM_MODE"
BOTH = CREATE.replace("CREATE", "CREATE OR REPLACE").replace(" s ", " IF NOT EXISTS s ")
VOLUME = "CREATE STREAM s ON VOLUME v"


def refused(text: str) -> tuple[str, str, str]:
    """Condition, the piece of text it points at, and the hint."""
    with pytest.raises(UserError) as caught:
        parse(text)
    error = caught.value
    assert error.span is not None
    return error.condition, text[error.span.start : error.span.end], error.hint or ""


@pytest.mark.parametrize(
    "properties",
    [
        "WITH PROPERTIES ('TABLE_STREAM_MODE' = 'APPEND_ONLY', 'SHOW_INITIAL_ROWS' = 'TRUE')",
        "WITH PROPERTIES (table_stream_mode = append_only, show_initial_rows = true)",
        "with properties('Show_Initial_Rows'='true','Table_Stream_Mode'='append_only')",
        "PROPERTIES(TABLE_STREAM_MODE = 'APPEND_ONLY' SHOW_INITIAL_ROWS = TRUE)",
    ],
)
def test_properties_are_taken_in_any_case_and_order(properties: str) -> None:
    parsed = parse(f"CREATE TABLE STREAM s ON TABLE t {properties}")
    assert parsed == CreateTableStream(ObjectName("s"), ObjectName("t"), "APPEND_ONLY", True)


@pytest.mark.parametrize(
    "clauses",
    [
        "TIMESTAMP AS OF {} COMMENT 'x' WITH {}",
        "COMMENT = 'x' TIMESTAMP AS OF {} WITH {}",
        "WITH {1} COMMENT 'x' TIMESTAMP AS OF {0}",
        "TIMESTAMP AS OF {} WITH {} COMMENT = 'x'",
    ],
)
@pytest.mark.parametrize(
    "moment",
    [
        "'2026-11-15 12:00:00'",
        "CAST('2026-11-15' AS TIMESTAMP)",
        "current_timestamp() - interval '12' hours",
        "(SELECT max(t) FROM (SELECT 1 AS t /* WITH */))",
    ],
)
def test_clauses_come_in_any_order(clauses: str, moment: str) -> None:
    properties = "PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')"
    text = f"CREATE TABLE STREAM a.s ON TABLE b.t {clauses.format(moment, properties)}"
    parsed = parse(text)
    assert isinstance(parsed, CreateTableStream)
    assert (parsed.timestamp, parsed.comment, parsed.mode) == (moment, "x", "STANDARD")
    span = parsed.timestamp_span
    assert span is not None
    assert text[span.start : span.end] == moment


names = st.builds(ObjectName.of, st.from_regex(r"[a-z_][a-z0-9_]{0,9}", fullmatch=True))
texts = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(names, names, st.sampled_from(["STANDARD", "APPEND_ONLY"]), st.booleans(), texts)
def test_any_create_table_stream_survives(
    name: ObjectName, table: ObjectName, mode: str, initial: bool, comment: str
) -> None:
    quoted = ObjectName(f"{name.name} x")  # is written in backquotes, whatever word it is
    made = CreateTableStream(quoted, table, mode, initial, "now()", comment, or_replace=True)
    assert parse(made.to_sql()) == made


@given(names, texts, st.booleans())
def test_any_create_volume_stream_survives(name: ObjectName, comment: str, guard: bool) -> None:
    made = CreateVolumeStream(ObjectName(f"{name.name} x"), name, False, guard, comment)
    assert parse(made.to_sql()) == made


def test_a_stream_of_a_volume_says_where_its_names_stand() -> None:
    text = "CREATE OR REPLACE STREAM a.s ON VOLUME b.v"
    parsed = parse(text)
    expected = CreateVolumeStream(ObjectName("s", "a"), ObjectName("v", "b"), or_replace=True)
    assert parsed == expected
    assert isinstance(parsed, CreateVolumeStream)
    assert parsed.volume_span is not None
    assert text[parsed.volume_span.start : parsed.volume_span.end] == "b.v"


@pytest.mark.parametrize(
    ("text", "condition", "place", "hint"),
    [
        (CREATE.split(" WITH")[0], "STREAM_MODE_MISSING", CREATE.split(" WITH")[0], "WITH PROP"),
        (CREATE.replace("STANDARD", "FAST"), "OPTION_VALUE", "'FAST'", ""),
        (CREATE.replace("MODE'", "MOD'"), "OPTION_UNKNOWN", "'TABLE_STREAM_MOD'", "STREAM_MODE?"),
        (CREATE.replace("')", "', SHOW_INITIAL_ROWS = 2)"), "OPTION_VALUE", "2", ""),
        (CREATE.replace("ON TABLE", "ON VIEW"), "STREAM_ON_VIEW", "VIEW", "the view reads"),
        (CREATE.replace("ON TABLE", "ON VOLUME"), "SYNTAX_ERROR", "VOLUME", "CREATE STREAM"),
        (CREATE.replace("TABLE STREAM", "STREAM"), "SYNTAX_ERROR", "TABLE", "TABLE STREAM <"),
        (CREATE + " COMMENT 'a' COMMENT 'b'", "SYNTAX_ERROR", "COMMENT", ""),
        (BOTH, "CLAUSES_EXCLUDE", "IF", ""),
        (CREATE + " TIMESTAMP AS OF", "SYNTAX_ERROR", "", ""),
        (f"{VOLUME} PROPERTIES ({MODE} = APPEND_ONLY)", "OPTION_VALUE", "APPEND_ONLY", ""),
        (f"{VOLUME} PROPERTIES (A_ROW = TRUE)", "OPTION_UNKNOWN", "A_ROW", MODE),
        (f"{VOLUME} TIMESTAMP AS OF 'x'", "VOLUME_STREAM_TIMESTAMP", "'x'", ""),
        ("ALTER TABLE STREAM s SET COMMENT 'x'", "STREAM_ALTERED", "STREAM", "CREATE OR REPLACE"),
        ("ALTER STREAM s RENAME TO u", "STREAM_ALTERED", "STREAM", "CREATE OR REPLACE"),
    ],
)
def test_what_cannot_be_is_refused_at_its_place(
    text: str, condition: str, place: str, hint: str
) -> None:
    found = refused(text)
    assert found[:2] == (condition, place)
    assert hint in found[2]


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("CREATE TABLE stream (a INT)", CreateTable, "stream"),
        ("CREATE OR REPLACE TABLE stream AS SELECT 1", CreateTable, "stream"),
        ("CREATE TABLE stream.t (a INT)", CreateTable, "t"),
        ("DROP TABLE stream", DropTable, "stream"),
        ("DROP TABLE stream.t", DropTable, "t"),
        ("DROP TABLE STREAM stream", DropTableStream, "stream"),
        ("DESC stream", DescTable, "stream"),
        ("DESC TABLE stream EXTENDED", DescTable, "stream"),
        ("DESC stream.t", DescTable, "t"),
        ("DESC STREAM stream", DescTableStream, "stream"),
        ("DESCRIBE TABLE STREAM EXTENDED s", DescTableStream, "s"),
        ("ALTER TABLE stream ADD COLUMN a INT", AlterTable, "stream"),
        ("ALTER TABLE stream.t ADD COLUMN a INT", AlterTable, "t"),
    ],
)
def test_a_table_may_be_called_stream(text: str, kind: type, name: str) -> None:
    parsed = parse(text)
    assert type(parsed) is kind
    assert parsed.name.name == name  # type: ignore[attr-defined]


def test_show_streams_takes_both_spellings() -> None:
    assert parse("SHOW STREAMS IN s") == parse("SHOW TABLE STREAMS IN s")
    assert parse("SHOW STREAMS IN s") == ShowTableStreams(ObjectName("s"))
    extended = ShowTableStreams(ObjectName("s"), extended=True)
    assert parse("SHOW STREAMS EXTENDED IN s") == extended
