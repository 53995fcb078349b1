"""CREATE STORAGE CONNECTION.

Invariant: a secret leaves this statement sealed, or not at all.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from headwater.catalog.connections import Connection, ConnectionType
from headwater.errors import UserError
from headwater.files.connections import key_source
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.connection_keys import LIST_KEYS, Keys, key_spelling
from headwater.sql.connections import CreateStorageConnection
from headwater.statements.context import Context
from headwater.tables.allowed_names import require_allowed_name

_COVER = "****"
_ROLE = "role_arn"


def create_storage_connection(context: Context, statement: CreateStorageConnection) -> Result:
    """Keep how to reach a store or a broker; nothing is asked of it yet."""
    workspace = statement.name.workspace or context.session.workspace
    name = statement.name.name
    require_allowed_name(name, "connection", span=statement.name_span)
    store = context.store.connections
    if statement.if_not_exists and store.get(workspace, name) is not None:
        return Result(message=f"connection {name} exists already")
    _refuse_masked(statement)
    context.lake.writer.ensure()
    at = now()
    connection_id = uuid.uuid4().hex
    external_id = uuid.uuid4().hex if _ROLE in dict(statement.settings) else None
    made = Connection(
        id=connection_id,
        workspace=workspace,
        name=name,
        type=ConnectionType(statement.type.value),
        creator=context.session.user,
        created_at=at,
        modified_at=at,
        comment=statement.comment,
        settings=_settings(statement.settings),
        sealed=_sealed(context, statement.secrets, connection_id),
        external_id=external_id,
    )
    store.create(made)
    role = f"; let the trust policy of its role ask for external id {external_id}"
    return Result(message=f"connection {name} created" + (role if external_id else ""))


def _refuse_masked(statement: CreateStorageConnection) -> None:
    for key, value in statement.secrets:
        if value == _COVER:
            raise UserError("SECRET_IS_MASKED", key=key_spelling(statement.type, key))


def _settings(settings: Keys) -> Mapping[str, str | Sequence[str]]:
    return {key: value.split(",") if key in LIST_KEYS else value for key, value in settings}


def _sealed(context: Context, secrets: Keys, connection_id: str) -> dict[str, str]:
    if not secrets:
        return {}
    # Imported late, and a key made, only for connections that have something to hide.
    from headwater.sealing.seal import seal

    ring = key_source(context.lake).load_or_create()
    return {key: seal(value, ring, owner_id=connection_id, name=key) for key, value in secrets}
