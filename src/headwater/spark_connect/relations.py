"""What a client asks for, read from its plan: a query, rows it has from us, or rows as a picture.

A plan of anything else is refused by name; how deep one may be says protobuf. Law: what runs is the
text of a statement, so that rights and jobs are those of the statement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow

from headwater.errors import UserError
from headwater.spark_connect.rows import from_stream
from headwater.sql.cursor import Cursor
from headwater.sql.parse import parse
from headwater.sql.query import Query as QueryStatement

# EXPLAIN, for one, gives rows but cannot stand in parentheses.
_RELATIONS = ("SELECT", "WITH", "VALUES", "TABLE", "FROM")


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was not run yet; it may stand in parentheses."""

    text: str

    def around(self, head: str, tail: str = "") -> Query:
        """A query over this one."""
        # On a line of its own, because a comment may end the text.
        return Query(f"{head} FROM (\n{self.text}\n){tail}")


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that are there."""

    table: pyarrow.Table


@dataclass(frozen=True, slots=True)
class Picture:
    """Rows as `show` prints them."""

    of: Query | Rows
    rows: int
    truncate: int
    vertical: bool


Asked: TypeAlias = Query | Rows | Picture


def is_query(text: str) -> bool:
    """Whether a statement is run when its rows are asked for, not when it is typed."""
    cursor = Cursor(text)
    starts = cursor.at_symbol("(") or any(cursor.at(word) for word in _RELATIONS)
    return starts and isinstance(parse(text), QueryStatement)


def read_plan(plan: Any) -> Asked:
    """The root of a plan."""
    if plan.WhichOneof("op_type") != "root":
        raise UserError("CONNECT_NOT_SQL", what="a plan of another kind")
    return _read(plan.root)


def _read(relation: Any) -> Asked:
    kind = relation.WhichOneof("rel_type") or "nothing"
    read = _READERS.get(kind)
    if read is None:
        raise UserError("CONNECT_NOT_SQL", what=f"the relation '{kind}'")
    return read(getattr(relation, kind))


def sql_text(sql: Any, text: str) -> str:
    """The text of a statement, which must have no parameters beside it."""
    given = (sql.args, sql.pos_args, sql.named_arguments, sql.pos_arguments)
    if any(len(arguments) for arguments in given):
        raise UserError("CONNECT_NOT_SQL", what="parameters beside a statement")
    return text


def _sql(sql: Any) -> Query:
    text = sql_text(sql, sql.query)
    if not is_query(text):
        raise UserError("CONNECT_NOT_SQL", what="rows of a statement that is no query")
    return Query(text)


def _table(read: Any) -> Query:
    if read.WhichOneof("read_type") != "named_table" or read.is_streaming:
        raise UserError("CONNECT_NOT_SQL", what="a source that is no table")
    if read.named_table.options:
        raise UserError("CONNECT_NOT_SQL", what="options of a table")
    cursor = Cursor(read.named_table.unparsed_identifier)
    name = cursor.object_name("the table's name")
    cursor.expect_end()
    return Query(f"TABLE {name}")


def _local(local: Any) -> Rows:
    return Rows(from_stream(local.data))


def _limit(limit: Any) -> Query | Rows:
    return limited(_plain(limit.input), limit.limit)


def limited(asked: Query | Rows, rows: int) -> Query | Rows:
    """The first rows of it."""
    if isinstance(asked, Rows):
        return Rows(asked.table.slice(0, min(max(rows, 0), asked.table.num_rows)))
    return asked.around("SELECT *", f" LIMIT {max(rows, 0)}")


def _count(aggregate: Any) -> Query | Rows:
    """`count()`, which every client's data frame has; no other aggregate."""
    asked = aggregate.aggregate_expressions
    plain = len(asked) == 1 and not aggregate.grouping_expressions
    function = asked[0].unresolved_function if plain else None
    if function is None or function.function_name != "count" or len(function.arguments) != 1:
        raise UserError("CONNECT_NOT_SQL", what="an aggregate")
    if function.is_distinct or not function.arguments[0].HasField("literal"):
        raise UserError("CONNECT_NOT_SQL", what="an aggregate")
    counted = _plain(aggregate.input)
    if isinstance(counted, Rows):
        rows = pyarrow.array([counted.table.num_rows], pyarrow.int64())
        return Rows(pyarrow.table({"count(1)": rows}))
    return counted.around("SELECT count(1)")


def _picture(shown: Any) -> Picture:
    of = _plain(shown.input)
    return Picture(of, shown.num_rows, shown.truncate, shown.vertical)


def _plain(relation: Any) -> Query | Rows:
    found = _read(relation)
    if isinstance(found, Picture):
        raise UserError("CONNECT_NOT_SQL", what="rows of a picture")
    return found


_READERS: dict[str, Callable[[Any], Asked]] = {
    "aggregate": _count,
    "limit": _limit,
    "local_relation": _local,
    "read": _table,
    "show_string": _picture,
    "sql": _sql,
}
