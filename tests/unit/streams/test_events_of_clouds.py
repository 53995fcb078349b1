"""Streams over volumes that a cloud tells of: S3 and SQS as moto does them, a fake of MNS."""

from __future__ import annotations

import base64
import json
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.processes import python, wait_for
from tests.servers.amazon_server import ACCOUNT, KEYS, REGION, AmazonServer, running_amazon
from tests.servers.mns_server import ACCESS_KEY, SECRET, MnsServer, running_mns
from tests.unit.storage.fake_store import Canned, FakeStore, fake_store
from tests.unit.streams.watching import Watching

import headwater
from headwater.errors import UserError

CLAUSES = "DIRECTORY = (ENABLE = TRUE) RECURSIVE = TRUE"


@pytest.fixture(scope="module")
def amazon() -> Iterator[AmazonServer]:
    with running_amazon() as server:
        yield server


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket of moto's that tells a queue of its objects."""

    amazon: AmazonServer
    name: str
    queue: str

    def put(self, key: str, content: bytes = b"1") -> None:
        self.amazon.client("s3").put_object(Bucket=self.name, Key=f"in/{key}", Body=content)

    def remove(self, key: str) -> None:
        self.amazon.client("s3").delete_object(Bucket=self.name, Key=f"in/{key}")

    @property
    def waiting(self) -> int:
        """How many messages the queue has, seen and not."""
        url = f"{self.amazon.endpoint}/{ACCOUNT}/{self.queue}"
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        answer = self.amazon.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=names)
        return sum(int(answer["Attributes"][name]) for name in names)


@pytest.fixture
def bucket(amazon: AmazonServer) -> Bucket:
    queue = amazon.create_queue(visibility_seconds=1)
    return Bucket(amazon, amazon.create_bucket(queue=queue), queue)


@pytest.fixture
def on_s3(lake: headwater.Connection, bucket: Bucket) -> Watching:
    """Volume v over the bucket."""
    return watch(lake, bucket)


def watch(lake: headwater.Connection, bucket: Bucket) -> Watching:
    """Make volume v over the bucket."""
    lake.sql(
        f"CREATE STORAGE CONNECTION c TYPE S3 REGION = '{REGION}'"
        f" ENDPOINT = '{bucket.amazon.endpoint}' ACCESS_KEY = '{KEYS.access_key}'"
        f" SECRET_KEY = '{KEYS.secret_key}';"
        f"CREATE EXTERNAL VOLUME v LOCATION 's3://{bucket.name}/in/' USING CONNECTION c"
        f" NOTIFICATION = (QUEUE_TYPE = 'AWS_SQS', QUEUE_NAME = '{bucket.queue}') {CLAUSES}"
    )
    return Watching(lake)


def test_objects_of_s3_are_made_replaced_and_removed(on_s3: Watching, bucket: Bucket) -> None:
    bucket.put("there before.png")
    on_s3.create()
    # Told of late, and nothing new.
    assert on_s3.rows() == []
    bucket.put("1+1=2 ü%.png", b"22")
    bucket.put("below/b.png")
    bucket.remove("there before.png")
    bucket.amazon.client("s3").put_object(Bucket=bucket.name, Key="elsewhere", Body=b"1")
    rows = on_s3.consume()
    assert rows == [
        ("INSERT", 2, "1+1=2 ü%.png", 2),
        ("INSERT", 2, "below/b.png", 1),
        ("DELETE", 1, "there before.png", 1),
    ]
    bucket.put("below/b.png", b"333")
    assert on_s3.rows() == [
        ("UPDATE_BEFORE", 2, "below/b.png", 1),
        ("UPDATE_AFTER", 3, "below/b.png", 3),
    ]
    assert bucket.waiting == 0
    url = on_s3.changes().rows.rows[0][4]
    assert url == f"s3://{bucket.name}/in/below/b.png"


RUN = """
import sys
import headwater
with headwater.connect(sys.argv[1]) as connection:
    connection.run_until_idle()
"""


@pytest.mark.parametrize("place", ["directory.received", "directory.stored"])
def test_a_process_killed_between_the_queue_and_the_catalog_loses_and_doubles_nothing(
    new_lake: Path, tmp_path: Path, bucket: Bucket, place: str
) -> None:
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    with headwater.connect(folder, user="tester") as connection:
        watch(connection, bucket).create()
    bucket.put("a.png")
    bucket.put("b.png", b"22")
    told = bucket.waiting
    with python(RUN, str(folder), HEADWATER_FAILPOINT=place) as process:
        assert process.wait(60) == -signal.SIGKILL
    assert bucket.waiting == told
    with headwater.connect(folder, user="tester") as connection:
        watching = Watching(connection)
        known = 0 if place == "directory.received" else 2
        stored = list(watching.lake.store.directory_files.read(watching.volume()))
        assert len(stored) == known
        # The messages come again when the queue takes their receiver for dead.
        wait_for(lambda: watching.rows() and not bucket.waiting, "the messages to come again")
        assert watching.consume() == [("INSERT", 1, "a.png", 1), ("INSERT", 1, "b.png", 2)]
        assert watching.rows() == []


def test_an_upload_in_parts_is_seen_when_it_is_whole(on_s3: Watching, bucket: Bucket) -> None:
    on_s3.create()
    client, place = bucket.amazon.client("s3"), {"Bucket": bucket.name, "Key": "in/big.bin"}
    upload = client.create_multipart_upload(**place)["UploadId"]
    part = client.upload_part(**place, UploadId=upload, PartNumber=1, Body=b"12345")
    assert on_s3.rows() == []
    parts = {"Parts": [{"ETag": part["ETag"], "PartNumber": 1}]}
    client.complete_multipart_upload(**place, UploadId=upload, MultipartUpload=parts)
    assert on_s3.rows() == [("INSERT", 1, "big.bin", 5)]
    assert bucket.waiting == 0


def test_a_queue_that_is_not_there_is_met_by_whoever_reads(on_s3: Watching, bucket: Bucket) -> None:
    on_s3.create()
    url = f"{bucket.amazon.endpoint}/{ACCOUNT}/{bucket.queue}"
    bucket.amazon.client("sqs").delete_queue(QueueUrl=url)
    with pytest.raises(UserError, match="QUEUE_NOT_FOUND"):
        on_s3.rows()


NOTHING = Canned(
    200,
    b'<?xml version="1.0"?><ListBucketResult><Name>sales</Name><KeyCount>0</KeyCount>'
    b"<IsTruncated>false</IsTruncated></ListBucketResult>",
)
ABSENT = Canned(404)


def a_file(size: int) -> Canned:
    headers = {"ETag": f'"{size}"', "Last-Modified": "Sun, 15 Nov 2026 10:00:00 GMT"}
    return Canned(headers={"Content-Length": str(size), **headers})


def event(key: str, name: str = "ObjectCreated:PutObject") -> str:
    """A message of OSS, in base64 as MNS has it."""
    thing = {"bucket": {"name": "sales"}, "object": {"key": key, "size": 7, "eTag": "x"}}
    return base64.b64encode(
        json.dumps({"events": [{"eventName": name, "oss": thing}]}).encode()
    ).decode()


@dataclass(frozen=True, slots=True)
class Told:
    """A volume on OSS: what its store answers, and its queue."""

    watching: Watching
    oss: FakeStore
    mns: MnsServer
    queue: str

    def tell(self, key: str, *answers: Canned, name: str = "ObjectCreated:PutObject") -> None:
        self.oss.answers[:] = answers
        self.mns.send(self.queue, event(key, name))


@pytest.fixture
def mns() -> Iterator[MnsServer]:
    with running_mns(visibility_seconds=1.0) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALICLOUD_MNS_ENDPOINT", server.endpoint)
        yield server


@pytest.fixture
def on_oss(lake: headwater.Connection, mns: MnsServer) -> Iterator[Told]:
    queue = mns.create_queue()
    with fake_store(NOTHING) as oss:
        lake.sql(
            "CREATE STORAGE CONNECTION c TYPE OSS REGION = 'cn-hangzhou'"
            f" ENDPOINT = 'http://oss-cn-hangzhou.localhost:{oss.port}'"
            f" ACCESS_KEY = '{ACCESS_KEY}' SECRET_KEY = '{SECRET}';"
            "CREATE EXTERNAL VOLUME v LOCATION 'oss://sales/in/' USING CONNECTION c"
            f" NOTIFICATION = (QUEUE_TYPE = 'ALICLOUD_MNS', QUEUE_NAME = '{queue}') {CLAUSES}"
        )
        watching = Watching(lake)
        watching.create()
        yield Told(watching, oss, mns, queue)


def test_objects_of_oss_are_made_replaced_and_removed(on_oss: Told) -> None:
    on_oss.tell("in/ü b.png", a_file(7))
    assert on_oss.watching.consume() == [("INSERT", 1, "ü b.png", 7)]
    on_oss.tell("in/ü b.png", a_file(8))
    on_oss.tell("out/c.png", a_file(8))
    assert on_oss.watching.rows() == [
        ("UPDATE_BEFORE", 1, "ü b.png", 7),
        ("UPDATE_AFTER", 2, "ü b.png", 8),
    ]
    # Where a file is absent, the store is asked whether the bucket is there.
    on_oss.tell("in/ü b.png", ABSENT, NOTHING, name="ObjectRemoved:DeleteObject")
    assert on_oss.watching.consume() == [("DELETE", 1, "ü b.png", 7)]
    assert on_oss.mns.queues[on_oss.queue] == []


def test_a_queue_that_delivers_twice_and_backwards(on_oss: Told) -> None:
    on_oss.mns.duplicates = on_oss.mns.newest_first = True
    for key in ("in/a", "in/b", "in/a"):
        on_oss.tell(key, a_file(1))

    def empty() -> bool:
        on_oss.watching.rows()
        return not on_oss.mns.queues[on_oss.queue]

    wait_for(empty, "the messages to be deleted")
    assert on_oss.watching.rows() == [("INSERT", 1, "a", 1), ("INSERT", 1, "b", 1)]
