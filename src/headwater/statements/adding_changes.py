"""The refresh of a dynamic table that reads streams: what waits in them is added, and consumed.

Law: rows and offsets move with one commit. A refresh that fails, or dies before its commit, has
added nothing and consumed nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from headwater.catalog.dynamic_tables import (
    DynamicTable,
    Frontier,
    Refresh,
    RefreshKind,
    RefreshMark,
    RefreshState,
)
from headwater.catalog.objects import Operation, Table
from headwater.catalog.streams import Stream, StreamMove, StreamSource
from headwater.lake.commits.writes import Append, Applied
from headwater.names import QualifiedName
from headwater.refresh.choice import Choice
from headwater.refresh.given import own_names, rows_query
from headwater.refresh.pins import Pin, pin
from headwater.refresh.reasons import Reason
from headwater.refresh.run import require_columns
from headwater.refresh.writing import named_select
from headwater.runtime.clock import now
from headwater.runtime.failpoints import reach
from headwater.statements.context import Context
from headwater.statements.spark_text import spark_text
from headwater.statements.stream_query import require_row_by_row, streams_of
from headwater.statements.stream_relations import stream_of, stream_read
from headwater.statements.stream_source import with_columns
from headwater.streams.pending import pending
from headwater.streams.reads import StreamRead
from headwater.tables.commits import commit, refresh_transaction, stamp
from headwater.tables.consumption import consuming
from headwater.tables.versions import catch_up

PROSPECT_OF_CHANGES = [
    "CanBeIncrementalized: Yes",
    "Refresh: adds the rows of the changes that wait, and consumes them",
]
"""How a query that reads streams would be refreshed, for people."""
OF_CHANGES = "changes"
"""In the place of the fingerprint of a query: rows are what was added, whatever it was then."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The streams that a dynamic table reads, each up to where this refresh reads it.

    `sources` are all that the query reads, in their order.
    """

    dynamic_table: DynamicTable
    sources: tuple[Table, ...]
    reads: tuple[StreamRead, ...]
    full: tuple[Stream, ...]
    """Those in which a change may wait."""

    @property
    def choice(self) -> Choice:
        """What the refresh has to do."""
        if not self.full:
            return Choice(RefreshKind.NO_DATA, Reason.STREAMS_EMPTY)
        names = ", ".join(f"{stream.schema}.{stream.name}" for stream in self.full)
        return Choice(RefreshKind.INCREMENTAL, Reason.CHANGES_ADDED, names)

    @property
    def passed(self) -> tuple[StreamMove, ...]:
        """How streams move that have read something, and nothing of it was a change."""
        moved = (read for read in self.reads if read.to != read.stream.offset)
        return tuple(read.stream.move(read.to) for read in moved)

    def frontier(self, at: datetime) -> Frontier:
        """How far the tables are read that the streams watch."""
        tables = (read for read in self.reads if read.stream.source is StreamSource.TABLE)
        versions = {read.stream.source_id: read.to.position for read in tables}
        return Frontier(versions, at, OF_CHANGES)


def waiting_for(
    context: Context, dynamic_table: DynamicTable, sources: tuple[Table, ...]
) -> Waiting:
    """Look what waits in the streams of a dynamic table; of tables the log alone says it."""
    streams = [stream_of(context, table) for table in streams_of(sources)]
    reads = tuple(stream_read(context, stream) for stream in streams)
    full = tuple(read.stream for read in reads if _may_hold(context, read))
    return Waiting(dynamic_table, sources, reads, full)


def _may_hold(context: Context, read: StreamRead) -> bool:
    if read.rows is not None:
        return bool(read.rows.rows)
    if read.stream.source is StreamSource.KAFKA:
        return bool(read.messages)
    return pending(context.lake, read.stream, read.table).has_data is not False


def add_changes(context: Context, waiting: Waiting, started: Refresh, at: datetime) -> Refresh:
    """Add what the query gives for the changes that wait; gives back how it went."""
    frontier, applied = waiting.frontier(at), None
    if waiting.full:
        with context.session.lock:
            applied = _added(context, waiting, started, frontier)
    else:
        # What was read holds no change, as after an OPTIMIZE; the streams need not keep it.
        with consuming(context.lake, waiting.passed, context.job_id):
            pass
        context.store.dynamic_tables.set_frontier(
            waiting.dynamic_table.id, frontier, number=started.number, partition=None
        )
    return _succeeded(waiting, started, applied)


def _added(context: Context, waiting: Waiting, started: Refresh, frontier: Frontier) -> Applied:
    dynamic, lake = waiting.dynamic_table, context.lake
    found = context.store.tables.get_by_id(dynamic.id)
    assert found is not None
    table, spark, applied = catch_up(lake, found), context.session.spark(), list[Applied]()
    names = tuple(column.name for column in dynamic.columns or table.shape.columns)
    there = replace(context, workspace=dynamic.query_workspace, schema=dynamic.query_schema)
    own = own_names(dynamic, table)
    require_row_by_row(
        there,
        dynamic.qualified,
        rows_query(dynamic),
        own,
        waiting.sources,
        then=dynamic.source_columns,
    )
    with spark_text(there, dynamic.query, pins=_pins(context, waiting)) as text:
        require_columns(table, names, spark.columns_of(text))
        write = Append(named_select(text.text, names))
        mark = RefreshMark(dynamic.id, started.number, RefreshKind.INCREMENTAL, frontier)
        author = replace(context.author, refresh=mark)
        reach("refresh.planned")

        def work() -> None:
            note = stamp(lake, author, Operation.REFRESH).to_json()
            applied.append(
                spark.apply(
                    lake.location(table),
                    write,
                    note=lambda inserted, deleted: note,
                    transaction=refresh_transaction(mark),
                )
            )

        commit(lake, spark, table, operation=Operation.REFRESH, author=author, work=work)
    return applied[0]


def _pins(context: Context, waiting: Waiting) -> dict[str, Pin]:
    """What a star in the query means; and of tables the version that the wave reads."""
    pins = {}
    for source in waiting.sources:
        then = waiting.dynamic_table.source_columns.get(source.id)
        table = with_columns(context, source)
        there = [column.name for column in table.shape.columns]
        version = table.shape.delta_version
        if context.wave is not None and table.kind.stores_rows:
            version = min(version, context.wave.version(table.id, version))
        pins[source.id] = pin(version, then, there)
    return pins


def _succeeded(waiting: Waiting, started: Refresh, applied: Applied | None) -> Refresh:
    choice = waiting.choice
    return replace(
        started,
        state=RefreshState.SUCCEED,
        ended_at=now(),
        kind=choice.kind,
        reason=choice.reason,
        rows_inserted=0 if applied is None else applied.rows_inserted,
        rows_deleted=0,
        source_tables=_names(waiting.sources),
        detail={
            **started.detail,
            "because": choice.words,
            "sources": [_facts(read) for read in waiting.reads],
            "write": None if applied is None else applied.how.value,
            "plan": explained(waiting),
        },
    )


def _names(sources: Iterable[Table]) -> tuple[QualifiedName, ...]:
    return tuple(QualifiedName(table.workspace, table.schema, table.name) for table in sources)


def explained(waiting: Waiting) -> list[str]:
    """What a refresh would do, for people."""
    choice = waiting.choice
    return [
        f"Refresh: {choice.kind} because {choice.words} ({choice.reason})",
        "CanBeIncrementalized: Yes",
        "Sources:",
        *(f"  {_line(read)}" for read in waiting.reads),
        f"Write: {_write(waiting)}",
    ]


def explained_json(waiting: Waiting) -> str:
    """What a refresh would do, for programs."""
    choice = waiting.choice
    body: dict[str, Any] = {
        "kind": choice.kind.value,
        "reason": choice.reason.value,
        "because": choice.words,
        "can_be_incremental": "Yes",
        "sources": [_facts(read) for read in waiting.reads],
        "write": _write(waiting),
    }
    return json.dumps(body, indent=2)


def prospect_of_changes_json() -> str:
    """How a query that reads streams would be refreshed, for programs."""
    return json.dumps({"can_be_incremental": "Yes", "reads_streams": True}, indent=2)


def _write(waiting: Waiting) -> str:
    return "append: rows only come, and the changes are consumed" if waiting.full else "nothing"


def _line(read: StreamRead) -> str:
    stream = read.stream
    name = f"stream {stream.schema}.{stream.name}"
    if stream.source is not StreamSource.TABLE:
        return f"{name}: what waits"
    return f"{name}: Delta versions {stream.offset.position} to {read.to.position}"


def _facts(read: StreamRead) -> dict[str, Any]:
    stream = read.stream
    return {
        "table": f"{stream.schema}.{stream.name}",
        "from_version": stream.offset.position,
        "to_version": read.to.position,
        "change": "STREAM",
    }
