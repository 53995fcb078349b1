"""Connections with their secrets opened, for the moment in which a store is reached."""

from __future__ import annotations

from headwater.catalog.connections import Connection, ConnectionType
from headwater.errors import NotSupported
from headwater.runtime.open_lake import OpenLake
from headwater.sealing.keys import KeySource
from headwater.storage.addresses import Scheme
from headwater.storage.connections import AccessKeys, Role, StoreConnection

_SCHEMES = {
    ConnectionType.S3: Scheme.S3,
    ConnectionType.OSS: Scheme.OSS,
    ConnectionType.COS: Scheme.COS,
    ConnectionType.FILE: Scheme.FILE,
}


def key_source(lake: OpenLake) -> KeySource:
    """Where this lake's keys for sealing come from."""
    return KeySource(lake.folder.path)


def store_connection(lake: OpenLake, connection: Connection) -> StoreConnection:
    """How to reach a store through this connection."""
    scheme = _SCHEMES.get(connection.type)
    if scheme is None:
        raise NotSupported("CONNECTION_HAS_NO_FILES", name=connection.name, type=connection.type)
    settings = {key: str(value) for key, value in connection.settings.items()}
    role_arn = settings.get("role_arn")
    return StoreConnection(
        scheme,
        endpoint=settings.get("endpoint"),
        region=settings.get("region"),
        app_id=settings.get("app_id"),
        keys=_keys(lake, connection),
        role=Role(role_arn, connection.external_id or "") if role_arn else None,
    )


def _keys(lake: OpenLake, connection: Connection) -> AccessKeys | None:
    if not connection.sealed:
        return None
    from headwater.sealing.seal import open_sealed

    ring = key_source(lake).load()
    opened = {
        name: open_sealed(sealed, ring, owner_id=connection.id, name=name)
        for name, sealed in connection.sealed.items()
    }
    return AccessKeys(opened["access_id"], opened["secret_key"])
