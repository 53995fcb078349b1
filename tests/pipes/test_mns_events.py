"""What a pipe over OSS learns from MNS: both are fakes, so files are found and not read."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.processes import wait_for
from tests.servers.mns_server import ACCESS_KEY, SECRET, MnsServer, running_mns
from tests.unit.storage.fake_store import Canned, fake_store

import headwater
from headwater.errors import TransientError
from headwater.pipes.batches import FileBatch
from headwater.pipes.open_pipe import open_pipe
from headwater.pipes.open_source import open_source
from headwater.pipes.sources import Source

pytestmark = [pytest.mark.spark]

TOKEN = "t0ken"
FILE = Canned(
    headers={
        "Content-Length": "7",
        "ETag": '"5B3C1A2E053D763E1B002CC607C5A0FE"',
        "Last-Modified": "Sun, 15 Nov 2026 10:00:00 GMT",
    }
)


def role_keys() -> Canned:
    """What STS answers: the keys that MNS knows, for an hour."""
    expires_at = datetime.now(UTC) + timedelta(hours=1)
    text = f"""<AssumeRoleResponse><Credentials><SecurityToken>{TOKEN}</SecurityToken>
    <AccessKeyId>{ACCESS_KEY}</AccessKeyId><AccessKeySecret>{SECRET}</AccessKeySecret>
    <Expiration>{expires_at:%Y-%m-%dT%H:%M:%SZ}</Expiration></Credentials></AssumeRoleResponse>"""
    return Canned(200, text.encode())


def event(*keys: str, name: str = "ObjectCreated:PutObject") -> str:
    """A message of OSS, in base64 as MNS has it."""
    events = [
        {
            "eventName": name,
            "oss": {"bucket": {"name": "sales"}, "object": {"key": key, "size": 7, "eTag": "x"}},
        }
        for key in keys
    ]
    return base64.b64encode(json.dumps({"events": events}).encode()).decode()


@pytest.fixture
def mns() -> Iterator[MnsServer]:
    """MNS with a queue, and STS; keys come by the role alone."""
    with (
        running_mns(token=TOKEN, visibility_seconds=1.0) as server,
        fake_store(role_keys()) as sts,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("ALIBABA_CLOUD_ACCESS_KEY_ID", "own-key")
        patch.setenv("ALIBABA_CLOUD_ACCESS_KEY_SECRET", "own-s3cret")
        patch.setenv("ALIBABA_CLOUD_STS_ENDPOINT", f"http://127.0.0.1:{sts.port}")
        patch.setenv("ALICLOUD_MNS_ENDPOINT", server.endpoint)
        yield server


@dataclass(frozen=True, slots=True)
class Listener:
    """A pipe over a volume of OSS: its queue, and what it learns from it."""

    lake: headwater.Connection
    mns: MnsServer
    queue: str
    source: Source

    def send(self, *bodies: str) -> None:
        """Put messages into the queue."""
        for body in bodies:
            self.mns.send(self.queue, body)

    def look(self) -> FileBatch | None:
        """What the next batch would be, when messages that were received before come again."""
        batch = self.source.look(1).batch
        assert batch is None or isinstance(batch, FileBatch)
        return batch

    @property
    def waiting(self) -> int:
        """How many messages the queue has, seen and not."""
        return len(self.mns.queues[self.queue])


@pytest.fixture
def settings() -> dict[str, int]:
    """Those of the lake; a test may have others."""
    return {}


@pytest.fixture
def listener(mns: MnsServer, tmp_path: Path, settings: dict[str, int]) -> Iterator[Listener]:
    """A pipe and its source; OSS has every file that it is asked for."""
    queue = mns.create_queue()
    with fake_store(FILE) as oss, headwater.connect(tmp_path / "lake", **settings) as lake:
        lake.sql(
            "CREATE STORAGE CONNECTION c TYPE OSS REGION = 'cn-hangzhou'"
            f" ENDPOINT = 'http://oss-cn-hangzhou.localhost:{oss.port}'"
            " ROLE_ARN = 'acs:ram::1234567890:role/reader';"
            "CREATE EXTERNAL VOLUME v LOCATION 'oss://sales/in/' USING CONNECTION c;"
            "CREATE TABLE t (id INT, name STRING);"
            f"CREATE PIPE p VIRTUAL_CLUSTER = 'default' ALICLOUD_MNS_QUEUE = '{queue}'"
            " AS COPY INTO t FROM VOLUME v (id INT, name STRING) USING CSV"
        )
        own = lake.session.lake
        pipe = own.store.pipes.get("headwater", "public", "p")
        assert pipe is not None
        source = open_source(own, open_pipe(own, pipe), patience=1)
        yield Listener(lake, mns, queue, source)
        source.close()


def paths(batch: FileBatch | None) -> list[str]:
    return [] if batch is None else sorted(file.path for file in batch.files)


def test_messages_become_a_batch_and_go_when_it_is_done(listener: Listener) -> None:
    listener.send(event("in/a.csv", "in/ü b.csv"), event("in/c.csv"), event("in/a.csv"))
    batch = listener.look()
    assert batch is not None
    assert paths(batch) == ["a.csv", "c.csv", "ü b.csv"]
    assert (batch.folder, batch.purge) == ("oss://sales/in/", False)
    assert listener.waiting == 3
    listener.source.done(batch)
    assert listener.waiting == 0
    assert listener.look() is None


@pytest.mark.parametrize("settings", [{"pipe_files_per_batch": 2}])
def test_a_message_with_more_files_than_a_batch_takes_stays_until_the_last_is_done(
    listener: Listener,
) -> None:
    listener.send(event("in/a.csv", "in/b.csv", "in/c.csv"))
    first = listener.look()
    assert paths(first) == ["a.csv", "b.csv"]
    assert first is not None
    listener.source.done(first)
    assert listener.waiting == 1
    second = listener.look()
    assert paths(second) == ["c.csv"]
    assert second is not None
    listener.source.done(second)
    assert listener.waiting == 0
    assert listener.look() is None


def test_messages_of_a_batch_that_failed_come_again(listener: Listener) -> None:
    listener.send(event("in/a.csv"))
    assert paths(listener.look()) == ["a.csv"]
    listener.source.close()
    assert listener.waiting == 1
    found: list[str] = []

    def again() -> bool:
        found.extend(paths(listener.look()))
        return bool(found)

    wait_for(again, "the message to come again")
    assert found == ["a.csv"]


def test_what_is_no_event_of_the_volume_is_no_reason_to_wait(listener: Listener) -> None:
    listener.send(
        "neither JSON nor base64",
        base64.b64encode(b"{}").decode(),
        event("out/a.csv"),
        event("in/below/b.csv"),
        event("in/_temporary_1"),
        event("in/c.csv", name="ObjectRemoved:DeleteObject"),
        event("in/d.csv", name="ObjectCreated:UploadPart"),
    )
    assert listener.look() is None
    assert listener.waiting == 0
    told = dict(listener.lake.sql("DESC PIPE EXTENDED p").rows)
    assert told["malformed_messages"] == "2"


def test_a_server_in_trouble_is_no_end(listener: Listener) -> None:
    listener.mns.next_statuses.extend([500] * 20)
    listener.send(event("in/a.csv"))
    with pytest.raises(TransientError):
        listener.look()
    listener.mns.next_statuses.clear()
    assert paths(listener.look()) == ["a.csv"]
