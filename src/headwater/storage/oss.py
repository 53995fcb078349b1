"""Alibaba Cloud's OSS, in its own version of the protocol.

It takes the bucket in the host only, and requests signed with version 4; the region that these name
is read from ENDPOINT where REGION is not given. Checked against a fake server and against the
signatures in the tests of Alibaba's own libraries, never against the cloud.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from headwater.errors import UserError
from headwater.storage.addresses import StoreAddress
from headwater.storage.connections import AccessKeys, StoreConnection
from headwater.storage.endpoints import Endpoint, parse_endpoint
from headwater.storage.exchange import Exchange
from headwater.storage.object_store import ObjectStore
from headwater.storage.signing import AlibabaSigner

_REGION_IN_HOST = re.compile(r"(?:.*\.)?oss-(?P<region>[a-z]+-[a-z0-9-]+?)(?:-internal)?\.")


def oss_store(
    address: StoreAddress, connection: StoreConnection, keys: Callable[[], AccessKeys]
) -> ObjectStore:
    """The folder at `address`."""
    signer = AlibabaSigner(oss_region(connection), address.bucket)
    return ObjectStore(Exchange(oss_endpoint(connection, address.bucket), signer, keys), address)


def oss_server(connection: StoreConnection) -> Endpoint:
    """The server, not yet of a bucket."""
    if connection.endpoint:
        return parse_endpoint(connection.endpoint)
    if connection.region:
        return parse_endpoint(f"oss-{connection.region.removeprefix('oss-')}.aliyuncs.com")
    raise UserError("CONNECTION_INCOMPLETE", store="OSS", what="ENDPOINT")


def oss_endpoint(connection: StoreConnection, bucket: str) -> Endpoint:
    """Where requests for a bucket go."""
    return oss_server(connection).with_bucket_in_host(bucket)


def oss_region(connection: StoreConnection) -> str:
    """The region that signatures name, such as cn-hangzhou."""
    if connection.region:
        return connection.region.removeprefix("oss-")
    found = _REGION_IN_HOST.match(oss_server(connection).host)
    if found is None:
        raise UserError("CONNECTION_INCOMPLETE", store="OSS", what="REGION")
    return found["region"]
