"""A bucket and its queue in memory, as unreliable as the clouds say theirs may be."""

from __future__ import annotations

import hashlib
import json
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote_plus

import pytest

from headwater.catalog.volumes import Volume
from headwater.files.volumes import OpenVolume
from headwater.queues.queue import QueueMessage
from headwater.runtime.clock import now
from headwater.storage.addresses import parse_location
from headwater.storage.store import FileInfo, Page

BUCKET = "bucket"
NOTIFIED = (
    "CREATE STORAGE CONNECTION c TYPE S3 REGION = 'eu-west-1'"
    " ACCESS_KEY = 'a' SECRET_KEY = 'b';"
    f"CREATE EXTERNAL VOLUME v LOCATION 's3://{BUCKET}/in/' USING CONNECTION c"
    " NOTIFICATION = (QUEUE_TYPE = 'AWS_SQS', QUEUE_NAME = 'q')"
    " DIRECTORY = (ENABLE = TRUE) RECURSIVE = TRUE"
)
"""Volume v over the bucket."""

_OPENERS = ("streams.directory_events", "streams.volume_changes", "statements.create_volume_stream")
_QUEUES = ("streams.directory_events", "statements.create_volume_stream")


@dataclass
class FakeBucket:
    """The files below `prefix`, and the messages about them that nobody has deleted yet."""

    prefix: str = "in/"
    files: dict[str, FileInfo] = field(default_factory=dict)
    messages: dict[str, QueueMessage] = field(default_factory=dict)
    dice: random.Random = field(default_factory=random.Random)
    before_head: Callable[[str], None] = lambda path: None
    before_delete: Callable[[], None] = lambda: None
    receives: int = 0
    _sent: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, path: str, content: str) -> None:
        etag = hashlib.sha256(content.encode()).hexdigest()[:8]
        self.files[path] = FileInfo(path, len(content), now(), etag)
        self.tell(path, "ObjectCreated:Put")

    def remove(self, path: str) -> None:
        if self.files.pop(path, None) is not None:
            self.tell(path, "ObjectRemoved:Delete")

    def tell(self, path: str, event: str, *, bucket: str = BUCKET) -> None:
        thing = {"key": quote_plus(self.prefix + path), "size": 1, "eTag": "0"}
        record = {"eventName": event, "s3": {"bucket": {"name": bucket}, "object": thing}}
        self.send(json.dumps({"Records": [record]}))

    def send(self, body: str) -> None:
        with self._lock:
            self._sent += 1
            self.messages[f"m{self._sent}"] = QueueMessage(f"m{self._sent}", "", body)

    # What a queue does.

    def receive(self, *, wait_seconds: int, most: int = 10) -> list[QueueMessage]:
        """Some of the messages, in any order; those that were received come again."""
        with self._lock:
            self.receives += 1
            found = self.dice.sample(list(self.messages.values()), k=len(self.messages))
            return [replace(m, receipt=f"{m.id}/{self.receives}") for m in found[:most]]

    def delete(self, messages: Sequence[QueueMessage]) -> None:
        self.before_delete()
        with self._lock:
            for message in messages:
                self.messages.pop(message.receipt.partition("/")[0], None)

    # What a store does.

    def head(self, path: str) -> FileInfo | None:
        found = self.files.get(path)
        self.before_head(path)
        return found

    def list(self, folder: str = "", *, recursive: bool = True) -> Iterator[Page]:
        yield list(self.files.values())

    def close(self) -> None:
        """Both have nothing to close."""

    def opened(self, volume: Volume) -> OpenVolume:
        address = parse_location(f"s3://{BUCKET}/{self.prefix}")
        return OpenVolume("volume public.v", address, self, True, volume)  # type: ignore[arg-type]


def stand_in(monkeypatch: pytest.MonkeyPatch) -> FakeBucket:
    """Puts one in the place of S3 and SQS, for whatever has to do with streams."""
    made = FakeBucket()
    for module in _OPENERS:
        monkeypatch.setattr(f"headwater.{module}.opened", lambda lake, volume: made.opened(volume))
    for module in _QUEUES:
        monkeypatch.setattr(f"headwater.{module}.volume_queue", lambda files: made)
    return made
