"""SHOW VOLUMES."""

from __future__ import annotations

from headwater.result import Column, Result
from headwater.sql.privileges import Securable
from headwater.sql.volumes import ShowVolumes
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.show_tables import scope
from headwater.statements.visibility import seen
from headwater.statements.volume_url import volume_url

COLUMNS = (
    Column("schema_name", "string"),
    Column("volume_name", "string"),
    Column("create_time", "timestamp"),
    Column("external", "boolean"),
    Column("workspace_name", "string"),
    Column("url", "string"),
    Column("recursive_file_lookup", "boolean"),
    Column("connection", "string"),
)


def show_volumes(context: Context, statement: ShowVolumes) -> Result:
    """The external and named volumes of a schema."""
    workspace, schema = scope(context, statement.schema)
    sees = seen(context, Securable.VOLUME, workspace, schema)
    rows = [
        (
            volume.schema,
            volume.name,
            context.session.local(volume.created_at),
            volume.external,
            volume.workspace,
            volume_url(context, volume),
            volume.recursive,
            volume.connection,
        )
        for volume in context.store.volumes.list(workspace, schema)
        if sees(volume.schema, volume.name)
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=1)
