"""From an address and a connection to a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from headwater.errors import UserError
from headwater.storage.addresses import Scheme, StoreAddress
from headwater.storage.connections import AccessKeys, StoreConnection
from headwater.storage.store import Store


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


def keys_of(
    connection: StoreConnection, *, environment: Mapping[str, str] | None = None
) -> Callable[[], AccessKeys]:
    """How the keys of a connection are got: they are its own, or those of its role."""
    keys, role = connection.keys, connection.role
    if keys is not None:
        return lambda: keys
    if role is None:
        raise UserError("CONNECTION_INCOMPLETE", store=connection.scheme.upper(), what="keys")
    own = os.environ if environment is None else environment
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
