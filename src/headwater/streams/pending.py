"""What waits in a table stream, told by the log of its table alone: no Spark."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.catalog.objects import Table, TableState
from headwater.catalog.streams import Stream, StreamMode, StreamSource
from headwater.errors import SchemaError, UserError
from headwater.lake.changes.classify import classify
from headwater.lake.changes.ranges import ChangeRange, Reader, Wanted
from headwater.runtime.open_lake import OpenLake

WANTED = {StreamMode.STANDARD: Wanted.NET, StreamMode.APPEND_ONLY: Wanted.INSERTED}


@dataclass(frozen=True, slots=True)
class Pending:
    """Whether there may be something to show; None where others would have to be asked.

    True is no promise: changes that undo each other are none. `problem` is why what waits cannot be
    shown: the columns of the table were replaced meanwhile, or a part of its log is gone.
    """

    has_data: bool | None = None
    problem: str | None = None


def pending(lake: OpenLake, stream: Stream, table: Table | None) -> Pending:
    """What waits in a stream on `table`, which the catalog is in step with."""
    if stream.source is not StreamSource.TABLE or table is None:
        return Pending()
    if table.state is not TableState.ACTIVE:
        return Pending()
    between = ChangeRange(stream.offset.position, table.shape.delta_version)
    files, name = lake.log_files(table), f"{table.schema}.{table.name}"
    try:
        found = classify(files, between, WANTED[stream.mode], name=name)
    except (SchemaError, UserError) as error:
        return Pending(True, error.message)
    return Pending(stream.offset.initial or found.reader is not Reader.NOTHING)
