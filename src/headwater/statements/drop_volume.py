"""DROP VOLUME."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.files.volumes import find_volume
from headwater.result import Result
from headwater.sql.volumes import DropVolume
from headwater.statements.context import Context


def drop_volume(context: Context, statement: DropVolume) -> Result:
    """Forget a volume and its directory table; its files stay.

    One that feeds a pipe or that a stream watches stays too.
    """
    name = context.qualify(statement.name)
    known = context.store.volumes.get(name.workspace, name.schema, name.name)
    if statement.if_exists and known is None:
        return Result(message=f"there is no volume {name}")
    volume = find_volume(context.lake, name, span=context.span_of(statement.name, last=True))
    context.lake.writer.ensure()
    with context.store.begin() as transaction:
        pipes = context.store.pipes.using_volume(volume.id, connection=transaction)
        if pipes:
            raise UserError("VOLUME_IN_USE_BY_PIPE", volume=name, pipe=pipes[0].qualified)
        context.store.volumes.drop(volume, connection=transaction)
    return Result(message=f"volume {name} dropped, its files stay")
