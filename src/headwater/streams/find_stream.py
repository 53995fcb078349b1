"""From a stream's name to the stream, or the error that says what there is instead."""

from __future__ import annotations

from headwater.catalog.store import Store
from headwater.catalog.streams import Stream
from headwater.errors import Span, UserError
from headwater.names import QualifiedName, did_you_mean
from headwater.tables.find import find_schema


def find_stream(
    store: Store, name: QualifiedName, *, statement: str, span: Span | None = None
) -> Stream:
    """The stream of that name, or STREAM_NOT_FOUND; a table is refused."""
    found = store.streams.get(name.workspace, name.schema, name.name)
    if found is not None:
        return found
    other = store.tables.get(name.workspace, name.schema, name.name)
    if other is not None:
        kind = other.kind.words.lower()
        raise UserError("NOT_A_STREAM", name=name, kind=kind, statement=statement, span=span)
    find_schema(store, name.workspace, name.schema, span=span)
    known = [stream.name for stream in store.streams.list(name.workspace, name.schema)]
    hint = did_you_mean(name.name, known) or f"SHOW TABLE STREAMS IN {name.schema}"
    raise UserError("STREAM_NOT_FOUND", name=name, span=span, hint=hint)
