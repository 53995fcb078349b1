"""Tencent Cloud's COS, which speaks S3: the bucket in the host, with the account's number in it.

Checked against a fake server only, never against the cloud.
"""

from __future__ import annotations

from collections.abc import Callable

from headwater.errors import UserError
from headwater.storage.addresses import StoreAddress
from headwater.storage.connections import AccessKeys, StoreConnection
from headwater.storage.endpoints import Endpoint, parse_endpoint
from headwater.storage.exchange import Exchange
from headwater.storage.object_store import ObjectStore
from headwater.storage.signing import AmazonSigner


def cos_store(
    address: StoreAddress, connection: StoreConnection, keys: Callable[[], AccessKeys]
) -> ObjectStore:
    """The folder at `address`."""
    signer = AmazonSigner(cos_region(connection))
    return ObjectStore(Exchange(cos_endpoint(connection, address.bucket), signer, keys), address)


def cos_bucket(connection: StoreConnection, bucket: str) -> str:
    """The bucket's real name: LOCATION may leave the account's number out."""
    if not connection.app_id or bucket.endswith(f"-{connection.app_id}"):
        return bucket
    return f"{bucket}-{connection.app_id}"


def cos_region(connection: StoreConnection) -> str:
    """REGION, such as ap-shanghai."""
    if not connection.region:
        raise UserError("CONNECTION_INCOMPLETE", store="COS", what="REGION")
    return connection.region


def cos_server(connection: StoreConnection) -> Endpoint:
    """The server, not yet of a bucket."""
    return parse_endpoint(connection.endpoint or f"cos.{cos_region(connection)}.myqcloud.com")


def cos_endpoint(connection: StoreConnection, bucket: str) -> Endpoint:
    """Where requests for a bucket go."""
    return cos_server(connection).with_bucket_in_host(cos_bucket(connection, bucket))
