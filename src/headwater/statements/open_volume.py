"""The volume a statement names, open for as long as the statement needs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headwater.files.volumes import OpenVolume, Whose, open_volume
from headwater.sql.volume_refs import VolumeRef
from headwater.statements.context import Context


@contextmanager
def volume_for(context: Context, ref: VolumeRef) -> Iterator[OpenVolume]:
    """The volume; its connections to a server are given back at the end."""
    session = context.session
    workspace, schema = context.workspace or session.workspace, context.schema or session.schema
    volume = open_volume(context.lake, ref, Whose(workspace, schema, session.user))
    try:
        yield volume
    finally:
        volume.store.close()
