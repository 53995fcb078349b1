"""EVENT_NOTIFICATION: a queue tells of new files; they stay where they are.

Law: a message is deleted when its files are in the table, and not before. Messages may come twice,
late or in any order: what was loaded is known by the load history. What is no event of the store is
laid aside and counted. Events that were lost are healed by a listing now and then, if it is wanted.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from headwater.files.volumes import OpenVolume, opened
from headwater.pipes.batches import Batch
from headwater.pipes.choosing import is_temporary
from headwater.pipes.known_files import new_files
from headwater.pipes.listing import Listing, file_batch, pending_of, still_there, volume_of
from headwater.pipes.open_pipe import OpenPipe
from headwater.pipes.sources import Look
from headwater.queues.object_events import MalformedMessage, ObjectEvent, objects_in, path_below
from headwater.queues.open_queue import open_queue
from headwater.queues.queue import Queue, QueueMessage
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.storage.store import FileInfo

_AT_ONCE = 16


@dataclass(slots=True)
class _Received:
    """Messages under way, and the files they tell of by path."""

    messages: list[QueueMessage] = field(default_factory=list)
    paths: dict[str, None] = field(default_factory=dict)


class Events:
    """Listens to the pipe's queue."""

    def __init__(self, lake: OpenLake, pipe: OpenPipe, *, wait_seconds: int) -> None:
        self._lake = lake
        self._pipe = pipe
        self._wait_seconds = wait_seconds
        self._queue: Queue | None = None
        self._under_way: list[QueueMessage] = []
        self._healing = Listing(lake, pipe)
        self._healed_at: float | None = None

    def look(self, number: int) -> Look:
        """The files that the next messages tell of."""
        volume = opened(self._lake, volume_of(self._lake, self._pipe))
        try:
            if self._heals():
                return self._healing.look(number)
            received = self._receive(volume)
            files = self._present(volume, list(received.paths))
            wanted = new_files(self._lake, self._pipe, volume, files)
        finally:
            volume.store.close()
        if not wanted:
            # Their files are loaded, broken, gone, or none of ours: nothing to wait for.
            self._delete(received.messages)
            return Look(more=bool(received.messages))
        self._under_way = received.messages
        batch = file_batch(self._pipe, volume, number, wanted)
        return Look(batch, more=True, pending=pending_of(wanted))

    def again(self, batch: Batch) -> Batch | None:
        """The batch without files that are gone, or not what they were."""
        return still_there(self._lake, self._pipe, batch)

    def done(self, batch: Batch) -> None:
        """The files are in the table: now the messages may go."""
        self._delete(self._under_way)
        self._under_way = []

    def close(self) -> None:
        """End the connections; messages that were not deleted come again."""
        if self._queue is not None:
            self._queue.close()
            self._queue = None
        self._under_way = []

    def _heals(self) -> bool:
        """Whether it is time for a listing; a page by page one goes on until its end."""
        minutes = self._lake.config.pipe_heal_minutes
        if not minutes:
            return False
        if self._healing.is_under_way:
            return True
        if self._healed_at is not None and time.monotonic() - self._healed_at < minutes * 60:
            return False
        self._healed_at = time.monotonic()
        return True

    def _receive(self, volume: OpenVolume) -> _Received:
        """Messages until there are none, or enough for a batch; only the first are waited for."""
        queue = self._open_queue(volume)
        received = _Received()
        wait = self._wait_seconds
        while len(received.paths) < self._lake.config.pipe_files_per_batch:
            messages = queue.receive(wait_seconds=wait)
            if not messages:
                break
            wait = 0
            for message in messages:
                self._take(volume, message, received)
        return received

    def _take(self, volume: OpenVolume, message: QueueMessage, received: _Received) -> None:
        try:
            events = objects_in(message.body, source=volume.address.scheme)
        except MalformedMessage as problem:
            self._set_aside(message, str(problem))
            return
        received.messages.append(message)
        for event in events:
            path = self._path_of(volume, event)
            if path is not None:
                received.paths[path] = None

    def _path_of(self, volume: OpenVolume, event: ObjectEvent) -> str | None:
        """The path in the volume, if a file of the volume was made that a pipe takes."""
        path = path_below(event, volume.address) if event.created else None
        if path is None or (not volume.recursive and "/" in path):
            return None
        ignored = self._pipe.properties.ignore_tmp_file and is_temporary(path)
        return None if ignored else path

    def _present(self, volume: OpenVolume, paths: Sequence[str]) -> list[FileInfo]:
        """What the store says about the files now: an event is only a hint."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return [file for file in pool.map(volume.store.head, paths) if file is not None]

    def _set_aside(self, message: QueueMessage, reason: str) -> None:
        store, pipe_id = self._lake.store, self._pipe.pipe.id
        store.pipe_batches.set_aside(pipe_id, message.id, message.body, reason, now())
        store.pipes.add_counts(pipe_id, malformed_messages=1)
        self._delete([message])

    def _delete(self, messages: Sequence[QueueMessage]) -> None:
        if messages and self._queue is not None:
            self._queue.delete(messages)

    def _open_queue(self, volume: OpenVolume) -> Queue:
        if self._queue is None:
            assert volume.connection is not None
            properties = self._pipe.properties
            self._queue = open_queue(
                volume.connection, sqs_queue=properties.sqs_queue, mns_queue=properties.mns_queue
            )
        return self._queue
