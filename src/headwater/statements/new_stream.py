"""What both kinds of CREATE STREAM share: a free name, and the stream itself."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from headwater.catalog.objects import TableKind
from headwater.catalog.streams import Stream, StreamMode, StreamOffset, StreamSource
from headwater.names import QualifiedName
from headwater.runtime.clock import now
from headwater.sql.create_stream import CreateTableStream, CreateVolumeStream
from headwater.statements.context import Context
from headwater.tables.allowed_names import require_allowed_name
from headwater.tables.find import find_schema, name_taken


@dataclass(frozen=True, slots=True)
class NewName:
    """The name of a stream to be made; `replaces` and `exists` tell of a stream that has it."""

    name: QualifiedName
    replaces: bool = False
    exists: bool = False
    """It is there, and IF NOT EXISTS says that this is fine."""

    @property
    def done(self) -> str:
        """What the statement does to the stream."""
        return "replaced" if self.replaces else "created"


def new_name(context: Context, statement: CreateTableStream | CreateVolumeStream) -> NewName:
    """The name that the statement gives, if a stream may take it."""
    name, span = context.qualify(statement.name), statement.name_span
    require_allowed_name(name.name, "stream", span=span)
    find_schema(context.store, name.workspace, name.schema, span=span)
    existing = context.store.tables.get(name.workspace, name.schema, name.name)
    if existing is None:
        return NewName(name)
    is_stream = existing.kind is TableKind.STREAM
    if is_stream and statement.if_not_exists:
        return NewName(name, exists=True)
    if not (is_stream and statement.or_replace):
        raise name_taken(existing, span=span)
    return NewName(name, replaces=True)


def new_stream(
    context: Context,
    name: QualifiedName,
    *,
    source: StreamSource,
    source_id: str,
    mode: StreamMode,
    offset: StreamOffset,
    comment: str | None,
) -> Stream:
    """A stream that does not exist yet."""
    at = now()
    return Stream(
        id=uuid.uuid4().hex[:12],
        workspace=name.workspace,
        schema=name.schema,
        name=name.name,
        source=source,
        source_id=source_id,
        mode=mode,
        offset=offset,
        creator=context.session.user,
        created_at=at,
        modified_at=at,
        comment=comment,
    )
