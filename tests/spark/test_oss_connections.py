"""Spark reaches OSS through hadoop-aliyun, each bucket with the keys of its own connection.

Against a fake that notes who asked; no cloud is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from tests.servers.oss_server import OssServer, oss_server

import headwater
from headwater.storage.addresses import Scheme, parse_location
from headwater.storage.connections import AccessKeys, StoreConnection
from headwater.storage.spark_settings import spark_access

pytestmark = pytest.mark.spark

OBJECTS = {
    "north/a.csv": b"1,lamp\n2,desk\n",
    "south/a.csv": b"1,40\n2,250\n",
}
_buckets = count()


@pytest.fixture
def server() -> Iterator[OssServer]:
    with oss_server(OBJECTS) as running:
        yield running


def reach(connection: headwater.Connection, server: OssServer, url: str, key_id: str) -> None:
    """As a statement over a volume of a connection with these keys does."""
    keys = AccessKeys(key_id, "hw-oss-s3cret")
    store = StoreConnection(Scheme.OSS, f"http://127.0.0.1:{server.port}", "cn-hangzhou", keys=keys)
    access = spark_access(parse_location(url), store, keys)
    connection.session.lake.engine.reach(access.url, access.settings, access.jar_set)


def new_bucket() -> str:
    """Clients stay with the JVM, which other tests use, too."""
    return f"bucket-{next(_buckets)}"


def rows(connection: headwater.Connection, urls: dict[str, str]) -> list[Any]:
    """Two CSV files joined by their first columns, in one statement of Spark."""
    session = connection.session.state.spark()._session
    for name, url in urls.items():
        session.read.csv(url).createOrReplaceTempView(name)
    text = "SELECT n._c1, s._c1 FROM north n JOIN south s ON n._c0 = s._c0 ORDER BY n._c0"
    return [tuple(row) for row in session.sql(text).collect()]


def test_two_connections_in_one_statement_sign_with_their_own_keys(
    lake: headwater.Connection, server: OssServer
) -> None:
    north, south = new_bucket(), new_bucket()
    reach(lake, server, f"oss://{north}/north/", "key-of-north")
    reach(lake, server, f"oss://{south}/south/", "key-of-south")
    urls = {"north": f"oss://{north}/north/", "south": f"oss://{south}/south/"}
    assert rows(lake, urls) == [("lamp", "40"), ("desk", "250")]
    assert server.askers_below("north") == {"key-of-north"}
    assert server.askers_below("south") == {"key-of-south"}


def test_new_keys_of_a_connection_replace_its_old_ones(
    lake: headwater.Connection, server: OssServer
) -> None:
    bucket = new_bucket()
    session = lake.session.state.spark()._session
    for key_id in ("first-key", "first-key", "second-key"):
        reach(lake, server, f"oss://{bucket}/north/", key_id)
        server.asked_by.clear()
        assert session.read.csv(f"oss://{bucket}/north/a.csv").count() == 2
        assert server.askers_below("north") == {key_id}


def test_who_reads_from_a_bucket_goes_on_when_its_keys_are_renewed(
    lake: headwater.Connection, server: OssServer
) -> None:
    """Found by reading: Hadoop's client was closed, and statements failed that were under way."""
    url = f"oss://{new_bucket()}/north/a.csv"
    context = lake.session.state.spark()._session.sparkContext
    java, hadoop = context._jvm, context._jsc.hadoopConfiguration()
    file = java.org.apache.hadoop.fs.Path(url)
    reach(lake, server, url, "first-key")
    reader = file.getFileSystem(hadoop)
    reach(lake, server, url, "second-key")
    server.asked_by.clear()
    assert reader.open(file).read() == ord("1")
    assert server.askers_below("north") == {"first-key"}
    server.asked_by.clear()
    assert file.getFileSystem(hadoop).open(file).read() == ord("1")
    assert server.askers_below("north") == {"second-key"}


def test_keys_are_no_settings_of_the_process(lake: headwater.Connection, server: OssServer) -> None:
    reach(lake, server, f"oss://{new_bucket()}/north/", "key-of-north")
    context = lake.session.state.spark()._session.sparkContext
    hadoop = context._jsc.hadoopConfiguration()
    assert [
        name for name in ("accessKeyId", "accessKeySecret") if hadoop.get(f"fs.oss.{name}")
    ] == []
