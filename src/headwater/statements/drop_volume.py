"""DROP VOLUME."""

from __future__ import annotations

from headwater.files.volumes import find_volume
from headwater.result import Result
from headwater.sql.volumes import DropVolume
from headwater.statements.context import Context


def drop_volume(context: Context, statement: DropVolume) -> Result:
    """Forget a volume and its directory table; its files stay where they are."""
    name = context.qualify(statement.name)
    known = context.store.volumes.get(name.workspace, name.schema, name.name)
    if statement.if_exists and known is None:
        return Result(message=f"there is no volume {name}")
    volume = find_volume(context.lake, name, span=context.span_of(statement.name, last=True))
    context.lake.writer.ensure()
    context.store.volumes.drop(volume)
    return Result(message=f"volume {name} dropped, its files stay")
