"""The views VOLUMES and CONNECTIONS of information_schema; no row holds a secret, sealed or not."""

from __future__ import annotations

from headwater.catalog.connections import Connection, ConnectionType
from headwater.catalog.volumes import Volume
from headwater.result import Row
from headwater.sql.privileges import Securable
from headwater.statements.context import Context
from headwater.statements.property_text import shown_properties
from headwater.statements.show_connections import CATEGORY
from headwater.statements.view_columns import view_columns
from headwater.statements.visibility import seen
from headwater.statements.volume_url import volume_url

VOLUMES = view_columns(
    "volume_catalog, volume_schema, volume_name, volume_url, volume_region, volume_type,"
    " volume_creator, connection_name, comment, properties, create_time timestamp,"
    " last_modify_time timestamp"
)
CONNECTIONS = view_columns(
    "workspace_name, connection_name, connection_kind, type, provider, region, source_creator,"
    " create_time timestamp, last_modify_time timestamp, comment, properties"
)


def volume_rows(context: Context) -> list[Row]:
    """The volumes of all schemas of the workspace."""
    workspace = context.session.workspace
    sees = seen(context, Securable.VOLUME, workspace)
    regions = {c.name: _setting(c, "region") for c in context.store.connections.list(workspace)}
    return [
        (
            volume.workspace,
            volume.schema,
            volume.name,
            volume_url(context, volume),
            regions.get(volume.connection or ""),
            "EXTERNAL" if volume.external else "INTERNAL",
            volume.creator,
            volume.connection,
            volume.comment,
            shown_properties(_properties(volume)),
            context.session.local(volume.created_at),
            context.session.local(volume.modified_at),
        )
        for volume in context.store.volumes.list(workspace)
        if sees(volume.schema, volume.name)
    ]


def connection_rows(context: Context) -> list[Row]:
    """The connections of the workspace."""
    workspace = context.session.workspace
    sees = seen(context, Securable.CONNECTION, workspace)
    return [
        (
            connection.workspace,
            connection.name,
            CATEGORY,
            "MESSAGE_QUEUE" if connection.type is ConnectionType.KAFKA else "FILE_SYSTEM",
            connection.type.value,
            _setting(connection, "region"),
            connection.creator,
            context.session.local(connection.created_at),
            context.session.local(connection.modified_at),
            connection.comment,
            shown_properties({key: _setting(connection, key) or "" for key in connection.settings}),
        )
        for connection in context.store.connections.list(workspace)
        if sees(None, connection.name)
    ]


def _properties(volume: Volume) -> dict[str, str]:
    """What the clauses of a volume said."""
    return {
        **volume.properties,
        **(volume.notification or {}),
        "recursive": str(volume.recursive).lower(),
        "directory_enabled": str(volume.directory_enabled).lower(),
        "directory_auto_refresh": str(volume.auto_refresh).lower(),
    }


def _setting(connection: Connection, key: str) -> str | None:
    value = connection.settings.get(key)
    return value if value is None or isinstance(value, str) else ",".join(value)
