"""CREATE OR REPLACE DYNAMIC TABLE: what the rows that are there are worth under a new query."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.statements.test_dynamic_table_statements import (
    table_named,
)

import headwater
from headwater.catalog.dynamic_tables import (
    Frontier,
)
from headwater.lake.delta_log.files import LOG_FOLDER, LocalLogFiles, commit_name
from headwater.refresh.definition import define
from headwater.refresh.problems import QUERY_DIFFERS, lacking_columns
from headwater.refresh.replacing import Asked, carry_over
from headwater.refresh.sources import signature
from headwater.runtime.clock import now
from headwater.tables.versions import catch_up


def with_columns(lake: headwater.Connection, columns: dict[str, str]) -> None:
    """An ALTER TABLE of t, as another tool would commit it."""
    table = table_named(lake, "t")
    log = Path(lake.session.lake.location(table)) / LOG_FOLDER
    newest = max(int(path.stem) for path in log.glob("*.json"))
    text = next(
        line
        for number in range(newest, -1, -1)
        for line in (log / commit_name(number)).read_text().splitlines()
        if "metaData" in line
    )
    action = json.loads(text)
    fields = [
        {"name": name, "type": kind, "nullable": True, "metadata": {}}
        for name, kind in columns.items()
    ]
    action["metaData"]["schemaString"] = json.dumps({"type": "struct", "fields": fields})
    (log / commit_name(newest + 1)).write_text(json.dumps(action) + "\n")
    catch_up(lake.session.lake, table)


def worth(
    lake: headwater.Connection,
    old: str,
    new: str,
    *,
    before: dict[str, str],
    after: dict[str, str],
    since: dict[str, str] | None = None,
    twice: bool = False,
) -> str:
    """CARRIED, or why not; `since` are columns that t gets after the refresh.

    With `twice` the new query replaces itself once more.
    """
    open_lake = lake.session.lake

    def asked(text: str, columns: dict[str, str]) -> Asked:
        found = define(
            open_lake,
            text,
            names=tuple(columns),
            workspace="headwater",
            schema="public",
            columns={},
            parameters={},
        )
        return Asked(found, columns)

    was, table = asked(old, before), catch_up(open_lake, table_named(lake, "t"))
    version, files = table.shape.delta_version, LocalLogFiles(open_lake.location(table))
    needed = was.definition.columns[table.id]
    frontier = Frontier(
        {table.id: version},
        now(),
        was.definition.fingerprint,
        detail={"columns": {table.id: signature(files, version, needed)}},
    )
    if since is not None:
        with_columns(lake, since)
    will = asked(new, after)
    found = carry_over(open_lake, frontier, asked(old, before), will)
    if twice:
        found = carry_over(open_lake, found, will, will)
    if found.fingerprint:
        assert found.fingerprint == will.definition.fingerprint
        newest = catch_up(open_lake, table_named(lake, "t")).shape.delta_version
        needed = will.definition.columns[table.id]
        assert found.detail["columns"][table.id] == signature(files, newest, needed)
        return "CARRIED"
    lacking = lacking_columns(found, will.definition.fingerprint)
    return f"LACKS {lacking}" if lacking else str(found.detail[QUERY_DIFFERS])


AB = {"a": "int", "b": "int"}
AB_LOG = {"a": "integer", "b": "integer"}


@pytest.fixture
def columns(lake: headwater.Connection) -> headwater.Connection:
    with_columns(lake, AB_LOG)
    return lake


def test_a_column_that_goes_leaves_rows_that_answer_the_query(
    columns: headwater.Connection,
) -> None:
    assert worth(
        columns, "SELECT a, b FROM t", "SELECT a FROM t", before=AB, after={"a": "int"}
    ) == ("CARRIED")


def test_another_spelling_is_the_same_query(columns: headwater.Connection) -> None:
    new = "select T.a, b -- the same\n from public.t T"
    assert worth(columns, "SELECT a, b FROM t AS T", new, before=AB, after=AB) == "CARRIED"


def test_a_wider_type_leaves_rows_that_answer_the_query(columns: headwater.Connection) -> None:
    new, wide = "SELECT a, CAST(b AS BIGINT) AS b FROM t", {"a": "int", "b": "bigint"}
    assert worth(columns, "SELECT a, b FROM t", new, before=AB, after=wide) == "CARRIED"


def test_a_wider_source_column_that_is_passed_on_goes_on(columns: headwater.Connection) -> None:
    text, wide = "SELECT a, b FROM t WHERE a > 1", {"a": "int", "b": "bigint"}
    since = {"a": "integer", "b": "long"}
    assert worth(columns, text, text + " ", before=AB, after=wide, since=since) == "CARRIED"


def test_a_wider_source_column_that_is_worked_with_does_not(columns: headwater.Connection) -> None:
    text, wide = "SELECT a, b FROM t WHERE a > 1", {"a": "bigint", "b": "int"}
    since = {"a": "long", "b": "integer"}
    found = worth(columns, text, text + " ", before=AB, after=wide, since=since)
    assert found == "column 'a' of public.t has another type"


def test_a_column_that_the_source_got_since_is_null_in_old_rows_so_they_answer_the_query(
    columns: headwater.Connection,
) -> None:
    found = worth(
        columns,
        "SELECT a, b FROM t WHERE a > 1",
        "SELECT a, b, c FROM t WHERE a > 1",
        before=AB,
        after=AB | {"c": "int"},
        since=AB_LOG | {"c": "integer"},
    )
    assert found == "CARRIED"


@pytest.mark.parametrize(
    "old", ["SELECT a FROM t", "SELECT t.a FROM t JOIN t AS u ON t.a = u.a WHERE t.a > 1"]
)
def test_rows_lack_a_column_that_was_there_before_and_is_passed_on(
    columns: headwater.Connection, old: str
) -> None:
    new = old.replace("a FROM", "a, t.b FROM", 1)
    assert worth(columns, old, new, before={"a": "int"}, after=AB) == "LACKS ['b']"


def test_rows_lack_a_column_still_when_the_query_is_given_once_more(
    columns: headwater.Connection,
) -> None:
    old, new = "SELECT a FROM t", "SELECT a, b FROM t"
    assert worth(columns, old, new, before={"a": "int"}, after=AB, twice=True) == "LACKS ['b']"


@pytest.mark.parametrize(
    ("old", "new", "after", "why"),
    [
        ("SELECT a FROM t", "SELECT a, 1 AS b FROM t", AB, "column 'b' is worked out for every"),
        ("SELECT a FROM t", "SELECT a FROM t WHERE b > 1", {"a": "int"}, "WHERE differs"),
        ("SELECT a FROM t", "SELECT b AS a FROM t", {"a": "int"}, "column 'a' is worked out diff"),
        ("SELECT a FROM t", "SELECT DISTINCT a FROM t", {"a": "int"}, "DISTINCT makes rows"),
        ("SELECT a FROM t", "SELECT a FROM t TABLESAMPLE (1 ROWS)", {"a": "int"}, "TABLESAMPLE"),
    ],
)
def test_rows_that_do_not_answer_the_new_query_are_written_anew(
    columns: headwater.Connection, old: str, new: str, after: dict[str, str], why: str
) -> None:
    found = worth(columns, old, new, before={"a": "int"}, after=after)
    assert found.startswith(why) or why == "TABLESAMPLE"
    assert found != "CARRIED"
