"""How Spark reaches the same files: its address, the Hadoop settings, the jars; pure.

S3 and COS go through s3a, whose settings may be given per bucket, so that two connections do not
meddle. OSS goes through hadoop-aliyun, because s3a writes in chunks that OSS refuses; it has no
settings of buckets, so `lake/object_stores.py` makes a client for each with settings of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater.storage.addresses import Scheme, StoreAddress
from headwater.storage.connections import AccessKeys, StoreConnection
from headwater.storage.cos import cos_bucket, cos_region, cos_server
from headwater.storage.oss import oss_region, oss_server
from headwater.storage.s3 import s3_region, s3_server, uses_path_style

_PROVIDERS = "org.apache.hadoop.fs.s3a."
# Hadoop's own figures add up to minutes before a wrong endpoint, or a store that falls silent, is
# reported; it tries again itself, so Amazon's library need not.
_IMPATIENCE = {
    "attempts.maximum": "0",
    "retry.limit": "3",
    "connection.establish.timeout": "5s",
    "connection.timeout": "15s",
}
# Amazon's library sends checksums that only Amazon's servers are sure to know, and leaves out the
# one that others want.
_LIKE_S3 = {
    "checksum.generation": "false",
    "checksum.validation": "false",
    "request.md5.header": "true",
}


@dataclass(frozen=True, slots=True)
class SparkAccess:
    """What Spark needs for a folder; settings are Hadoop's, and hold secrets."""

    url: str
    """Ends with a slash; a file's path goes behind it as it is."""
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    jar_set: str | None = None
    """The set of `lake/jars.lock` that must be on Spark's class path."""


def spark_access(
    address: StoreAddress, connection: StoreConnection | None, keys: AccessKeys | None
) -> SparkAccess:
    """Access to the folder at `address` with these keys, which for a role are its current ones."""
    if address.scheme is Scheme.FILE or connection is None or keys is None:
        return SparkAccess(address.url)
    if address.scheme is Scheme.OSS:
        return SparkAccess(address.url, _oss(connection, keys), "oss")
    bucket = address.bucket
    if address.scheme is Scheme.COS:
        bucket = cos_bucket(connection, bucket)
        settings = _cos(connection)
    else:
        settings = _s3(connection, bucket)
    settings = {**settings, **_s3a_keys(keys), **_IMPATIENCE}
    prefixed = {f"fs.s3a.bucket.{bucket}.{name}": value for name, value in settings.items()}
    return SparkAccess(f"s3a://{bucket}/{address.prefix}", prefixed, "s3")


def _s3(connection: StoreConnection, bucket: str) -> dict[str, str]:
    settings = {"endpoint.region": s3_region(connection)}
    if connection.endpoint:
        settings |= _server(s3_server(connection).url) | _LIKE_S3
    if uses_path_style(connection, bucket):
        settings["path.style.access"] = "true"
    return settings


def _cos(connection: StoreConnection) -> dict[str, str]:
    settings = {"endpoint.region": cos_region(connection), "path.style.access": "false"}
    return settings | _server(cos_server(connection).url) | _LIKE_S3


def _server(url: str) -> dict[str, str]:
    secure = "true" if url.startswith("https:") else "false"
    return {"endpoint": url, "connection.ssl.enabled": secure}


def _s3a_keys(keys: AccessKeys) -> dict[str, str]:
    settings = {"access.key": keys.access_key, "secret.key": keys.secret_key}
    # Named, or Hadoop would also look for keys in the environment and on the network.
    if keys.session_token:
        settings["session.token"] = keys.session_token
        settings["aws.credentials.provider"] = _PROVIDERS + "TemporaryAWSCredentialsProvider"
    else:
        settings["aws.credentials.provider"] = _PROVIDERS + "SimpleAWSCredentialsProvider"
    return settings


def _oss(connection: StoreConnection, keys: AccessKeys) -> dict[str, str]:
    server = oss_server(connection)
    settings = {
        "impl": "org.apache.hadoop.fs.aliyun.oss.AliyunOSSFileSystem",
        "endpoint": server.authority,
        "connection.secure.enabled": "true" if server.secure else "false",
        "region": oss_region(connection),
        "signatureversion": "V4",
        "accessKeyId": keys.access_key,
        "accessKeySecret": keys.secret_key,
        "attempts.maximum": "3",
    }
    if keys.session_token:
        settings["securityToken"] = keys.session_token
    return {f"fs.oss.{name}": value for name, value in settings.items()}
