"""What Spark knows of a bucket is what the connection says that is used now; no server is asked."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

import headwater
from headwater.storage.addresses import Scheme, parse_location
from headwater.storage.connections import AccessKeys, StoreConnection
from headwater.storage.spark_settings import spark_access

pytestmark = pytest.mark.spark

KEYS = AccessKeys("key-id", "hw-bucket-s3cret")
TOKEN = AccessKeys("temp-id", "hw-bucket-s3cret", "t0ken")


@pytest.fixture
def bucket() -> str:
    """Clients and settings stay with the JVM, which other tests use, too."""
    return "b" + uuid.uuid4().hex


def reach(lake: headwater.Connection, bucket: str, connection: StoreConnection) -> dict[str, Any]:
    """As a statement over a volume of this connection does; what Hadoop is told of the bucket."""
    address = parse_location(f"{connection.scheme}://{bucket}/in/")
    access = spark_access(address, connection, connection.keys)
    lake.session.lake.engine.reach(access.url, access.settings, access.jar_set)
    context = lake.session.state.spark()._session.sparkContext
    told = context._jsc.hadoopConfiguration().getPropsWithPrefix(f"fs.s3a.bucket.{bucket}.")
    return {str(name): str(told[name]) for name in told}


def test_a_connection_made_anew_leaves_nothing_of_the_old_one(
    lake: headwater.Connection, bucket: str
) -> None:
    """Found by reading: without ENDPOINT, Spark went on asking the server of the old connection."""
    wrong = StoreConnection(Scheme.S3, "http://127.0.0.1:1", "eu-west-1", keys=TOKEN)
    assert reach(lake, bucket, wrong)["endpoint"] == "http://127.0.0.1:1"
    right = StoreConnection(Scheme.S3, region="eu-west-1", keys=KEYS)
    told = reach(lake, bucket, right)
    expected = spark_access(parse_location(f"s3://{bucket}/in/"), right, KEYS).settings
    assert told == {
        name.removeprefix(f"fs.s3a.bucket.{bucket}."): expected[name] for name in expected
    }


def test_settings_that_somebody_else_gave_stay(lake: headwater.Connection, bucket: str) -> None:
    context = lake.session.state.spark()._session.sparkContext
    context._jsc.hadoopConfiguration().set(f"fs.s3a.bucket.{bucket}.connection.maximum", "7")
    for keys in (TOKEN, KEYS):
        connection = StoreConnection(Scheme.S3, region="eu-west-1", keys=keys)
        assert reach(lake, bucket, connection)["connection.maximum"] == "7"
