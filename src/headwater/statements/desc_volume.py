"""DESC VOLUME."""

from __future__ import annotations

from headwater.catalog.volumes import Volume
from headwater.cell_text import cell
from headwater.files.volumes import find_volume
from headwater.result import Result, string_columns
from headwater.sql.volumes import DescVolume
from headwater.statements.context import Context
from headwater.statements.info_rows import info_rows
from headwater.statements.property_text import shown_properties
from headwater.statements.volume_url import volume_url


def desc_volume(context: Context, statement: DescVolume) -> Result:
    """What is known of a volume; with EXTENDED also of its directory and its queue."""
    span = context.span_of(statement.name, last=True)
    volume = find_volume(context.lake, context.qualify(statement.name), span=span)
    local = context.session.local
    rows = info_rows(
        name=volume.name,
        creator=volume.creator,
        created_time=local(volume.created_at),
        last_modified_time=local(volume.modified_at),
        external=cell(volume.external),
        url=volume_url(context, volume),
        connection_name=_connection_name(volume),
        recursive=cell(volume.recursive),
        directory_enabled=cell(volume.directory_enabled),
        directory_auto_refresh=cell(volume.auto_refresh),
        comment=volume.comment,
    )
    if volume.notification is not None:
        rows += info_rows(notification=shown_properties(volume.notification))
    if statement.extended:
        rows += info_rows(
            directory_refreshed_time=local(volume.refreshed_at),
            directory_version=cell(volume.directory_version),
        )
        if volume.notification is not None:
            malformed = context.store.volume_messages.count(volume)
            rows += info_rows(malformed_messages=cell(malformed))
    return Result.from_rows(string_columns("info_name", "info_value"), rows)


def _connection_name(volume: Volume) -> str | None:
    return None if volume.connection is None else f"{volume.workspace}.{volume.connection}"
