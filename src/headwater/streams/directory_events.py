"""What a volume's queue tells becomes a version of its directory table.

Law: a message is deleted when what it tells of is in the catalog, and not before. Messages may come
twice, late or in any order: each only names a path, and the store is asked what is there now. What
is no event of the store is laid aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from headwater.catalog.store.directory_changes import volume_not_found
from headwater.catalog.store.storable_paths import require_storable
from headwater.catalog.volumes import DirectoryChange, DirectoryFile, Volume, VolumeMessage
from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.files.directory import directory_file, look_time, stored_volume
from headwater.files.listing import is_unfinished
from headwater.files.volumes import OpenVolume, opened
from headwater.queues.object_events import MalformedMessage, objects_in, path_below
from headwater.queues.open_queue import open_queue
from headwater.queues.queue import Queue, QueueMessage
from headwater.runtime.clock import now
from headwater.runtime.failpoints import reach
from headwater.runtime.open_lake import OpenLake
from headwater.storage.addresses import Scheme

QUEUE_TYPES = {Scheme.S3: "AWS_SQS", Scheme.OSS: "ALICLOUD_MNS"}
"""Which queue tells of the files of a store."""

_AT_ONCE = 16
_TRIES = 5
# So few that what was received first is deleted before the queue delivers it again.
_MOST_MESSAGES = 1_000


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look at the queue did."""

    change: DirectoryChange = field(default_factory=DirectoryChange)
    more: bool = False
    """Whether the queue may have more messages."""


@dataclass(slots=True)
class _Received:
    """Messages under way, and the paths they tell of."""

    messages: dict[str, QueueMessage] = field(default_factory=dict)
    paths: dict[str, None] = field(default_factory=dict)
    malformed: list[VolumeMessage] = field(default_factory=list)


class DirectoryEvents:
    """Listens to the queue of a volume; keeps it open between looks.

    The volume may get another connection meanwhile, so that each look asks for it.
    """

    def __init__(self, lake: OpenLake, volume: Volume) -> None:
        self._lake = lake
        self._volume = volume
        self._queue: Queue | None = None

    def look(self, *, wait_seconds: int) -> Looked:
        """Take in what the queue tells, waiting for the first message; nothing is no error."""
        volume = self._lake.store.volumes.by_id(self._volume.id)
        if volume is None:
            raise volume_not_found(self._volume)
        files = opened(self._lake, volume)
        try:
            return self._look(files, wait_seconds)
        except HeadwaterError:
            # Keys or the queue may be others by the next look.
            self.close()
            raise
        finally:
            files.store.close()

    def close(self) -> None:
        """End the connections; messages that were not deleted come again."""
        if self._queue is not None:
            self._queue.close()
            self._queue = None

    def _look(self, files: OpenVolume, wait_seconds: int) -> Looked:
        if self._queue is None:
            self._queue = volume_queue(files)
        queue = self._queue
        received = _receive(queue, files, wait_seconds)
        if not received.messages:
            return Looked()
        reach("directory.received")
        self._lake.store.volume_messages.set_aside(self._volume, received.malformed)
        change = self._take_in(files, list(received.paths))
        reach("directory.stored")
        queue.delete(list(received.messages.values()))
        return Looked(change, more=True)

    def _take_in(self, files: OpenVolume, paths: Sequence[str]) -> DirectoryChange:
        """Store what is there now; if others looked later meanwhile, look again."""
        if not paths:
            return DirectoryChange()
        volume = stored_volume(files)
        store = self._lake.store.directory_files
        with self._lake.locks.hold(f"directory:{volume.id}"):
            for _ in range(_TRIES):
                looked_at = look_time(self._lake, volume)
                looked = dict(zip(paths, _present(files, paths), strict=True))
                change = store.patch(volume, looked, looked_at=looked_at)
                if not change.late:
                    return change
        raise TransientError("DIRECTORY_BUSY", volume=f"{volume.schema}.{volume.name}")


def volume_queue(files: OpenVolume) -> Queue:
    """The queue that a volume names; nothing is asked of a server yet."""
    assert files.connection is not None
    told = stored_volume(files).notification or {}
    name = told["queue_name"]
    by_sqs = told["queue_type"] == QUEUE_TYPES[Scheme.S3]
    return open_queue(
        files.connection,
        sqs_queue=name if by_sqs else None,
        mns_queue=None if by_sqs else name,
    )


def _receive(queue: Queue, files: OpenVolume, wait_seconds: int) -> _Received:
    """Messages until there are none, or enough; only the first are waited for."""
    received = _Received()
    wait = wait_seconds
    while len(received.messages) < _MOST_MESSAGES:
        messages = queue.receive(wait_seconds=wait)
        wait = 0
        fresh = [message for message in messages if message.id not in received.messages]
        # A message that comes again has a new receipt, by which it is deleted.
        received.messages.update((message.id, message) for message in messages)
        if not fresh:
            break
        for message in fresh:
            _read(files, message, received)
    return received


def _read(files: OpenVolume, message: QueueMessage, received: _Received) -> None:
    try:
        events = objects_in(message.body, source=files.address.scheme)
        for event in events:
            path = path_below(event, files.address)
            if path is not None and not is_unfinished(path):
                require_storable(path)
                received.paths[path] = None
    except MalformedMessage as problem:
        reason = str(problem)
    except UserError as problem:
        reason = problem.message
    else:
        return
    received.malformed.append(VolumeMessage(message.id, message.body, reason, now()))


def _present(files: OpenVolume, paths: Sequence[str]) -> list[DirectoryFile | None]:
    """What the store says about the files now: an event is only a hint."""
    with ThreadPoolExecutor(min(_AT_ONCE, len(paths))) as pool:
        found = pool.map(files.store.head, paths)
        return [None if file is None else directory_file(files, file) for file in found]
