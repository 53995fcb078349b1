"""From an address and a connection to a store.

Law: in one process all who use a role through the same external id have the same keys. Each set of
keys makes Spark's client of a bucket anew, whoever reads with the old one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from headwater.errors import UserError
from headwater.storage.addresses import Scheme, StoreAddress
from headwater.storage.connections import AccessKeys, Role, StoreConnection
from headwater.storage.store import Store

_Ask = Callable[[], AccessKeys]
_roles: dict[tuple[Scheme, Role, str | None], _Ask] = {}


def open_store(
    address: StoreAddress,
    connection: StoreConnection | None = None,
    *,
    environment: Mapping[str, str] | None = None,
) -> Store:
    """The store at `address`; nothing is asked of a server yet.

    The modules of remote stores are imported here, because most statements need none of them.
    """
    if address.scheme is Scheme.FILE:
        from headwater.storage.local_files import LocalFiles

        return LocalFiles(address)
    if connection is None:
        raise UserError("CONNECTION_INCOMPLETE", store=address.url, what="keys")
    if connection.scheme is not address.scheme:
        raise UserError(
            "CONNECTION_OF_OTHER_TYPE", location=address.url, type=connection.scheme.upper()
        )
    keys = keys_of(connection, environment=environment)
    if address.scheme is Scheme.OSS:
        from headwater.storage.oss import oss_store

        return oss_store(address, connection, keys)
    if address.scheme is Scheme.COS:
        from headwater.storage.cos import cos_store

        return cos_store(address, connection, keys)
    from headwater.storage.s3 import s3_store

    return s3_store(address, connection, keys)


def keys_of(connection: StoreConnection, *, environment: Mapping[str, str] | None = None) -> _Ask:
    """How the keys of a connection are got: they are its own, or those of its role."""
    keys, role = connection.keys, connection.role
    if keys is not None:
        return lambda: keys
    if role is None:
        raise UserError("CONNECTION_INCOMPLETE", store=connection.scheme.upper(), what="keys")
    if environment is None or environment is os.environ:
        who = (connection.scheme, role, connection.region)
        return _roles.get(who) or _roles.setdefault(who, _role_keys(connection, role, os.environ))
    return _role_keys(connection, role, environment)


def _role_keys(connection: StoreConnection, role: Role, own: Mapping[str, str]) -> _Ask:
    if connection.scheme is Scheme.OSS:
        from headwater.storage.alibaba_sts import AlibabaRoleKeys
        from headwater.storage.oss import oss_region

        return AlibabaRoleKeys(role, oss_region(connection), own)
    if connection.scheme is Scheme.COS:
        from headwater.storage.cos import cos_region
        from headwater.storage.tencent_sts import TencentRoleKeys

        return TencentRoleKeys(role, cos_region(connection), own)
    from headwater.storage.s3 import s3_region
    from headwater.storage.sts import RoleKeys

    return RoleKeys(role, s3_region(connection), own)
