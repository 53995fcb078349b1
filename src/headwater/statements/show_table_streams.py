"""SHOW TABLE STREAMS, and SHOW STREAMS; with EXTENDED also what waits in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from headwater.catalog.objects import Table
from headwater.catalog.streams import Stream, StreamSource
from headwater.catalog.volumes import Volume
from headwater.result import Column, Result, Row
from headwater.sql.privileges import Securable
from headwater.sql.streams import ShowTableStreams
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.show_tables import scope
from headwater.statements.stream_source import all_watched
from headwater.statements.stream_standing import standings
from headwater.statements.visibility import seen

COLUMNS = (
    Column("create_time", "timestamp"),
    Column("schema_name", "string"),
    Column("name", "string"),
    Column("table_name", "string"),
    Column("mode", "string"),
    Column("comment", "string"),
)
FURTHER = (
    Column("base_tables", "string"),
    Column("stale", "boolean"),
    Column("offset", "string"),
    Column("current_offset_time", "timestamp"),
    Column("current_offset_version", "bigint"),
    Column("has_data", "boolean"),
    Column("stale_after", "timestamp"),
    Column("warning", "string"),
)


def show_table_streams(context: Context, statement: ShowTableStreams) -> Result:
    """The streams of a schema, by name, those on volumes among them."""
    workspace, schema = scope(context, statement.schema)
    sees = seen(context, Securable.TABLE, workspace, schema)
    streams = [
        stream
        for stream in context.store.streams.list(workspace, schema)
        if sees(stream.schema, stream.name)
    ]
    if not statement.extended:
        names = _source_names(context, streams)
        rows = [_row(context, *each) for each in zip(streams, names, strict=True)]
        return filtered(context, COLUMNS, rows, statement.filter, like_column=2)
    sources = all_watched(context, streams)
    stands = standings(context, list(zip(streams, sources, strict=True)))
    whole = [
        (
            *_row(context, stream, source.name.name if source.name is not None else None),
            *(getattr(stand, field.name) for field in fields(stand)),
        )
        for stream, source, stand in zip(streams, sources, stands, strict=True)
    ]
    return filtered(context, (*COLUMNS, *FURTHER), whole, statement.filter, like_column=2)


def _row(context: Context, stream: Stream, source: str | None) -> Row:
    """What is known of each; `source` is the name alone of what it watches, if that is there."""
    return (
        context.session.local(stream.created_at),
        stream.schema,
        stream.name,
        source,
        stream.mode.value,
        stream.comment,
    )


def _source_names(context: Context, streams: Sequence[Stream]) -> list[str | None]:
    """The name alone of what each watches; None when that is gone for good."""
    ids = {one.source_id for one in streams if one.source is not StreamSource.VOLUME}
    known: dict[str, Table | Volume] = {**context.store.tables.by_ids(sorted(ids))}
    for one in streams:
        if one.source is StreamSource.VOLUME and one.source_id not in known:
            volume = context.store.volumes.by_id(one.source_id)
            known |= {} if volume is None else {volume.id: volume}
    return [known[one.source_id].name if one.source_id in known else None for one in streams]
