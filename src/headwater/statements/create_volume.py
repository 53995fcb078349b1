"""CREATE [OR REPLACE] VOLUME: a named volume, whose files are in the lake folder."""

from __future__ import annotations

import uuid

from headwater.catalog.volumes import Volume
from headwater.errors import UserError
from headwater.files.volumes import named_volume_url
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.volumes import CreateVolume
from headwater.statements.context import Context
from headwater.tables.allowed_names import require_allowed_name
from headwater.tables.find import find_schema


def create_volume(context: Context, statement: CreateVolume) -> Result:
    """Make a named volume; files that a dropped volume of that name left are its files again."""
    name = context.qualify(statement.name)
    require_allowed_name(name.name, "volume", span=statement.name_span)
    find_schema(context.store, name.workspace, name.schema, span=statement.name_span)
    known = context.store.volumes.get(name.workspace, name.schema, name.name)
    if statement.if_not_exists and known is not None:
        return Result(message=f"volume {name} exists already")
    if known is not None and not statement.or_replace:
        raise UserError("VOLUME_ALREADY_EXISTS", name=name, span=statement.name_span)
    context.lake.writer.ensure()
    at = now()
    volume = Volume(
        id=uuid.uuid4().hex,
        workspace=name.workspace,
        schema=name.schema,
        name=name.name,
        external=False,
        url=named_volume_url(context.lake, name.schema, name.name),
        creator=context.session.user,
        created_at=at,
        modified_at=at,
        directory_enabled=statement.directory.enable,
        auto_refresh=statement.directory.auto_refresh,
        recursive=statement.recursive,
        comment=statement.comment,
    )
    if not statement.or_replace:
        context.store.volumes.create(volume)
        return Result(message=f"volume {name} created")
    context.store.volumes.create_or_replace(volume)
    return Result(message=f"volume {name} {'created' if known is None else 'replaced'}")
