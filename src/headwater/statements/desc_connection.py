"""DESC CONNECTION.

Invariant: of a secret it shows that there is one, never which.
"""

from __future__ import annotations

from headwater.catalog.connections import Connection
from headwater.result import Result, string_columns
from headwater.sql.connection_keys import ConnectionType, key_spelling
from headwater.sql.connections import DescConnection
from headwater.statements.connection_name import connection_of
from headwater.statements.context import Context
from headwater.statements.info_rows import info_rows
from headwater.statements.show_connections import enabled_text

_COVER = "****"


def desc_connection(context: Context, statement: DescConnection) -> Result:
    """What is known of a connection; with EXTENDED also what uses it."""
    connection = connection_of(context, statement.name)
    rows = info_rows(
        name=connection.name,
        type=connection.type.value,
        enabled=enabled_text(connection),
        creator=connection.creator,
        created_time=context.session.local(connection.created_at),
        last_modified_time=context.session.local(connection.modified_at),
        comment=connection.comment,
        **_keys(connection),
    )
    if connection.external_id is not None:
        rows += info_rows(externalId=connection.external_id)
    if statement.extended:
        users = context.store.connections.users_of(connection.id)
        shown = ", ".join(f"{user.kind} {user.schema}.{user.name}" for user in users)
        rows += info_rows(used_by=shown)
    return Result.from_rows(string_columns("info_name", "info_value"), rows)


def _keys(connection: Connection) -> dict[str, object]:
    """The keys as the documents of the type spell them, secrets first and covered."""
    kind = ConnectionType(connection.type.value)
    shown: dict[str, object] = {key_spelling(kind, key): _COVER for key in connection.sealed}
    for key, value in connection.settings.items():
        text = value if isinstance(value, str) else ",".join(value)
        shown[key_spelling(kind, key)] = text
    return shown
