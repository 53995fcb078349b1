"""Whether a stream can be read, as the catalog has it; asks no Spark.

Invariant: a stream that is read has everything since its offset. What may be incomplete is refused.
"""

from __future__ import annotations

from datetime import timedelta

from headwater.catalog.objects import Table, TableState, TableVersion
from headwater.catalog.store import Store
from headwater.catalog.streams import Stream, StreamSource
from headwater.config import Config
from headwater.errors import SchemaError, Span, TransientError, UserError
from headwater.names import QualifiedName, counted
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.streams.staleness import Staleness, limit_of, stale_after, staleness
from headwater.tables.retention import retention_days


def stream_limit(config: Config, table: Table) -> timedelta:
    """How long the changes of a table wait for its streams."""
    own = retention_days(config, table)
    return limit_of(retention_days=own, extension_days=config.stream_extension_days)


def source_of(lake: OpenLake, stream: Stream) -> Table | None:
    """The table a stream watches, even if it is dropped; None for a volume or what is purged."""
    if stream.source is StreamSource.VOLUME:
        return None
    return lake.store.tables.get_by_id(stream.source_id)


def staleness_of(lake: OpenLake, stream: Stream, table: Table | None) -> Staleness:
    """How a stream on `table` stands now; what the log has and the catalog not is not counted."""
    waiting = None
    if stream.source is StreamSource.TABLE and table is not None:
        waiting = first_unconsumed(lake.store, stream, table)
    return staleness_by(lake, stream, table, waiting)


def staleness_by(
    lake: OpenLake, stream: Stream, table: Table | None, waiting: TableVersion | None
) -> Staleness:
    """The same, where the first version that it has not shown is known."""
    if stream.source is StreamSource.VOLUME:
        return Staleness(stale=False)
    if table is None:
        return staleness(None, timedelta(), at=now(), source_purged=True)
    if stream.source is StreamSource.KAFKA:
        return Staleness(stale=False)  # the brokers keep the messages, and say so if they do not
    first = waiting.committed_at if waiting is not None else None
    return staleness(first, stream_limit(lake.config, table), at=now())


def first_unconsumed(store: Store, stream: Stream, table: Table) -> TableVersion | None:
    """The first version that a stream on a table has not shown; what keeps all rows is none.

    Rows that are there at the start are read as they were then: of those every version takes some.
    """
    offset = stream.offset
    return store.versions.after(table.id, offset.position, of_rows=not offset.initial)


def require_readable(lake: OpenLake, stream: Stream, table: Table | None) -> Staleness:
    """Refuse a stream whose table was dropped, or that waited too long; else say how it stands."""
    if table is None or table.state is not TableState.ACTIVE:
        raise _source_gone(stream, table)
    found = staleness_of(lake, stream, table)
    if found.stale:
        since = found.stale_after
        raise UserError(
            "STREAM_STALE",
            stream=stream.qualified,
            stale_after=since.strftime("%Y-%m-%d %H:%M:%S UTC") if since else "its table went",
            create=f"CREATE OR REPLACE TABLE STREAM {stream.qualified} ON TABLE {_name(table)} ..",
        )
    return found


def require_kept(lake: OpenLake, table: Table, version: TableVersion, *, span: Span | None) -> None:
    """Refuse to begin at a version whose files may be gone: no stream has held them so far."""
    days = retention_days(lake.config, table)
    replaced = lake.store.versions.after(table.id, version.delta_version)
    until = stale_after(replaced.committed_at if replaced else None, timedelta(days=days))
    if until is not None and now() > until:
        raise UserError(
            "STREAM_BEYOND_RETENTION", table=_name(table), days=counted(days, "day"), span=span
        )


def stream_busy(stream: Stream) -> TransientError:
    """The error for a stream that another statement consumes."""
    return TransientError("STREAM_BUSY", stream=stream.qualified)


def stream_in_temporary_view(stream: Stream) -> UserError:
    """The error for a stream in the query of a temporary view."""
    return UserError("STREAM_IN_TEMPORARY_VIEW", stream=stream.qualified)


def _source_gone(stream: Stream, table: Table | None) -> SchemaError:
    name = stream.qualified
    hint = None if table is not None else f"DROP TABLE STREAM {name}: its table is gone for good"
    shown = "?" if table is None else str(_name(table))
    return SchemaError("STREAM_SOURCE_GONE", stream=name, table=shown, hint=hint)


def _name(table: Table) -> QualifiedName:
    return QualifiedName(table.workspace, table.schema, table.name)
