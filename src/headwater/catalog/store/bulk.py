"""Writing many rows as fast as each database can: COPY on PostgreSQL, one INSERT on SQLite.

Invariant: values go through the types of their columns and read back as if inserted one by one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    ColumnElement,
    Connection,
    Dialect,
    FunctionElement,
    Select,
    Table,
    TableValuedAlias,
    Text,
    bindparam,
    cast,
    column,
    func,
    insert,
    literal,
    select,
    update,
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


def each_value(connection: Connection, values: Sequence[str]) -> Select[tuple[str]]:
    """The values as a query, for IN: one parameter, however many they are."""
    text = json.dumps(values)
    if connection.dialect.name == "postgresql":
        return select(_elements(func.json_array_elements_text(_as_json(text)), "value").c.value)
    return select(_elements(func.json_each(text), "value").c.value)


def set_each(
    connection: Connection,
    column: Column[int],
    numbers: Mapping[str, int],
    *,
    key: Column[str],
    where: ColumnElement[bool],
) -> None:
    """Gives `column` its own number in each row, found by the text in `key` among those `where`."""
    statement = update(column.table).where(where)
    if connection.dialect.name == "postgresql":
        given = _elements(func.json_each_text(_as_json(json.dumps(numbers))), "key", "value")
        found = statement.where(key == given.c.key)
        connection.execute(found.values({column: cast(given.c.value, column.type)}))
        return
    # SQLite would read such a relation anew for every row, but one row by its key is quick for it.
    single = statement.where(key == bindparam("given_key"))
    values = [{"given_key": name, "given": number} for name, number in numbers.items()]
    connection.execute(single.values({column: bindparam("given")}), values)


def _as_json(text: str) -> ColumnElement[Any]:
    # Named as text first: as a value of the JSON type it would be turned into JSON once more.
    return cast(literal(text, Text), JSON)


def _elements(function: FunctionElement[Any], *columns: str) -> TableValuedAlias:
    return function.table_valued(*(column(name, Text) for name in columns))


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
