"""ALTER VOLUME .. REFRESH."""

from __future__ import annotations

from headwater.files.directory import refresh
from headwater.result import Result
from headwater.sql.volume_refs import VolumeKind, VolumeRef
from headwater.sql.volumes import AlterVolumeRefresh
from headwater.statements.context import Context
from headwater.statements.open_volume import volume_for


def alter_volume_refresh(context: Context, statement: AlterVolumeRefresh) -> Result:
    """List the files of a volume, external or named, into its directory table."""
    ref = VolumeRef(VolumeKind.NAMED, statement.name, context.span_of(statement.name))
    with volume_for(context, ref) as volume:
        context.lake.writer.ensure()
        change = refresh(context.lake, volume)
    counts = f"{change.added} added, {change.changed} changed, {change.removed} removed"
    return Result(message=f"{volume.title} refreshed: {counts}")
