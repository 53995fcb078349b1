"""The columns of a stream: what happened to the row first, then the row as its source has it."""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog.objects import Table, TableColumn
from headwater.catalog.streams import Stream, StreamSource
from headwater.errors import Span, UserError
from headwater.streams.commit_columns import DELTA_VERSION

CHANGE_COLUMNS = (
    TableColumn("__change_type", "string"),
    TableColumn("__commit_version", "bigint"),
    TableColumn("__commit_timestamp", "timestamp"),
)
VOLUME_COLUMNS = (
    TableColumn("relative_path", "string"),
    TableColumn("url", "string"),
    TableColumn("size", "bigint"),
    TableColumn("last_modified_time", "timestamp"),
)


def stream_columns(stream: Stream, table: Table | None) -> tuple[TableColumn, ...]:
    """All columns of a stream; `table` is what it watches, None for a volume or what is gone."""
    if stream.source is StreamSource.VOLUME:
        return (*CHANGE_COLUMNS, *VOLUME_COLUMNS)
    columns = table.shape.columns if table is not None else ()
    # A change is no row of the table: what the table demands of its rows says nothing of it.
    free = (replace(column, nullable=True, constraint="") for column in columns)
    return (*CHANGE_COLUMNS, *free)


def require_free_names(table: Table, *, span: Span | None = None) -> None:
    """Refuse a table with a column of a name that its changes need for themselves."""
    taken = {*(column.name for column in CHANGE_COLUMNS), DELTA_VERSION}
    for column in table.shape.columns:
        if column.name.lower() in taken:
            name = f"{table.schema}.{table.name}"
            raise UserError("STREAM_COLUMN_TAKEN", table=name, column=column.name, span=span)
