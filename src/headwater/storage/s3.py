"""Amazon S3 and servers that speak like it.

With ENDPOINT the bucket stands in the path, which every such server takes; without, in the host,
which is what Amazon wants, unless the bucket's name has dots, for which there are no certificates.
"""

from __future__ import annotations

from collections.abc import Callable

from headwater.storage.addresses import StoreAddress
from headwater.storage.connections import AccessKeys, StoreConnection
from headwater.storage.endpoints import Endpoint, parse_endpoint
from headwater.storage.exchange import Exchange
from headwater.storage.object_store import ObjectStore
from headwater.storage.signing import AmazonSigner

DEFAULT_REGION = "us-east-1"


def s3_store(
    address: StoreAddress, connection: StoreConnection, keys: Callable[[], AccessKeys]
) -> ObjectStore:
    """The folder at `address`."""
    signer = AmazonSigner(s3_region(connection))
    return ObjectStore(Exchange(s3_endpoint(connection, address.bucket), signer, keys), address)


def s3_region(connection: StoreConnection) -> str:
    """REGION; servers other than Amazon's mostly do not care."""
    return connection.region or DEFAULT_REGION


def s3_server(connection: StoreConnection) -> Endpoint:
    """The server, not yet of a bucket."""
    if connection.endpoint:
        return parse_endpoint(connection.endpoint)
    return parse_endpoint(f"s3.{s3_region(connection)}.{amazon_domain(s3_region(connection))}")


def s3_endpoint(connection: StoreConnection, bucket: str) -> Endpoint:
    """Where requests for a bucket go."""
    server = s3_server(connection)
    if uses_path_style(connection, bucket):
        return server.with_bucket_in_path(bucket)
    return server.with_bucket_in_host(bucket)


def uses_path_style(connection: StoreConnection, bucket: str) -> bool:
    """Whether the bucket stands in the path."""
    return bool(connection.endpoint) or "." in bucket


def amazon_domain(region: str) -> str:
    """China has a domain of its own."""
    return "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
