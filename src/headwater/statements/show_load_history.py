"""SHOW LOAD HISTORY: which files were loaded into a table lately, by the catalog alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from headwater.catalog.load_history import LoadEntry
from headwater.result import Column, Result, Row
from headwater.runtime.clock import now
from headwater.sql.show_load_history import ShowLoadHistory
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.tables.find import find_base_table

COLUMNS = (
    Column("file_path", "string"),
    Column("last_copy_time", "timestamp"),
    Column("file_size", "bigint"),
    Column("status", "string"),
    Column("first_error_message", "string"),
)


def show_load_history(context: Context, statement: ShowLoadHistory) -> Result:
    """What is not loaded comes first, then by time: who looks wants to know what went wrong."""
    span = context.span_of(statement.table, last=True)
    name, tail = context.qualify(statement.table), statement.filter
    table = find_base_table(context.store, name, statement="SHOW LOAD HISTORY", span=span)
    plain = tail.like is None and tail.where is None
    found = context.store.load_history.latest_per_path(
        table.id,
        remembered_since(context),
        limit=tail.limit if plain else None,
        unloaded_first=True,
    )
    rows = [load_row(entry, context.session.local) for entry in found]
    return filtered(context, COLUMNS, rows, tail, like_column=0)


def load_row(entry: LoadEntry, shown: Callable[[datetime], datetime | None]) -> Row:
    return (
        entry.file_path,
        shown(entry.last_copy_time),
        entry.file_size,
        entry.status.value,
        entry.first_error_message,
    )


def remembered_since(context: Context) -> datetime:
    """The moment before which the history has forgotten everything."""
    return now() - context.lake.load_history_retention
