"""Whether a stream may have something to show, told from the history of its table alone."""

from __future__ import annotations

from headwater.catalog.objects import Operation, Table
from headwater.catalog.streams import Stream, StreamSource
from headwater.runtime.open_lake import OpenLake

_WITHOUT_ROWS = frozenset((Operation.ALTER, Operation.UPGRADE, Operation.COMPACTION))


def may_have_changes(lake: OpenLake, stream: Stream, table: Table | None) -> bool | None:
    """False when nothing can have come; None where others would have to be asked.

    True is no promise: changes that undo each other are none.
    """
    if stream.source is not StreamSource.TABLE or table is None:
        return None
    since = lake.store.versions.operations_after(table.id, stream.offset.position)
    return stream.offset.initial or not since <= _WITHOUT_ROWS
