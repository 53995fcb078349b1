"""Writing many rows as fast as each database can: COPY on PostgreSQL, one INSERT on SQLite.

Invariant: values go through the types of their columns and read back as if inserted one by one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import (
    ARRAY,
    Column,
    ColumnElement,
    Connection,
    Dialect,
    Table,
    Text,
    func,
    insert,
    literal,
    select,
)
from sqlalchemy.exc import DBAPIError

_CHUNK = 5_000


def insert_rows(
    connection: Connection,
    table: Table,
    rows: Iterable[Mapping[str, Any]],
    *,
    replacing: bool = False,
) -> None:
    """Inserts rows given by the names of their columns; what a row does not name is NULL.

    Args:
        connection: the transaction that writes.
        table: where to.
        rows: read piece by piece, never all at once.
        replacing: a row takes the place of an earlier one with its key; only on SQLite, since COPY
            cannot.
    """
    ready = _bound(connection.dialect, table, rows)
    if connection.dialect.name == "postgresql":
        _copy(connection, table, ready)
        return
    statement = insert(table).prefix_with("OR REPLACE") if replacing else insert(table)
    text = str(statement.compile(dialect=connection.dialect))
    while chunk := list(islice(ready, _CHUNK)):
        connection.exec_driver_sql(text, chunk)


def one_of(
    connection: Connection, column: Column[str], values: Sequence[str]
) -> ColumnElement[bool]:
    """Whether a column has one of many values: IN with one parameter, however many they are."""
    if connection.dialect.name == "postgresql":
        # An array and not a subquery: its planner would take that for a hundred rows, and then may
        # compare every value with every row of the table.
        return column == func.any(literal(list(values), ARRAY(Text)))
    given = func.json_each(json.dumps(values)).table_valued("value")
    return column.in_(select(given.c.value))


def _copy(connection: Connection, table: Table, rows: Iterator[tuple[Any, ...]]) -> None:
    dialect = connection.dialect
    names = dialect.identifier_preparer
    columns = ", ".join(names.format_column(column) for column in table.columns)
    text = f"COPY {names.format_table(table)} ({columns}) FROM STDIN"
    assert dialect.loaded_dbapi is not None
    driver: Any = connection.connection
    try:
        with driver.cursor() as cursor, cursor.copy(text) as copy:
            for row in rows:
                copy.write_row(row)
    except dialect.loaded_dbapi.Error as error:
        # The driver was called directly, so its error is wrapped here as SQLAlchemy would.
        raise DBAPIError.instance(
            text, None, error, dialect.loaded_dbapi.Error, hide_parameters=True, dialect=dialect
        ) from error


def _bound(
    dialect: Dialect, table: Table, rows: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[Any, ...]]:
    """The rows as the driver takes them."""
    binders = [
        (column.name, column.type.dialect_impl(dialect).bind_processor(dialect))
        for column in table.columns
    ]
    for row in rows:
        yield tuple(
            row.get(name) if bind is None else bind(row.get(name)) for name, bind in binders
        )
