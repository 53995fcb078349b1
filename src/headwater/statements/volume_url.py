"""Where a volume's files are at this moment: those of a named volume move with the lake folder."""

from __future__ import annotations

from headwater.catalog.volumes import Volume
from headwater.files.volumes import named_volume_url
from headwater.statements.context import Context


def volume_url(context: Context, volume: Volume) -> str:
    """The address of a volume's folder."""
    if volume.external:
        return volume.url
    return named_volume_url(context.lake, volume.schema, volume.name)
