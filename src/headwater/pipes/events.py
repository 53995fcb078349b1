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
from datetime import datetime

from headwater.files.volumes import OpenVolume, opened
from headwater.pipes.batches import Batch
from headwater.pipes.choosing import MEGABYTE, Choice, is_temporary
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
        self._left: _Received | None = None
        """What was received and did not fit into the last batch."""
        self._healing = Listing(lake, pipe, since=self._remembered_since)
        self._healed_at: float | None = None

    def look(self, number: int) -> Look:
        """The files that the next messages tell of."""
        volume = opened(self._lake, volume_of(self._lake, self._pipe))
        try:
            if self._left is None and self._heals():
                return self._healing.look(number)
            received = self._left or self._receive(volume)
            self._left = None
            files = self._present(volume, list(received.paths))
            wanted = new_files(self._lake, self._pipe, volume, files)
        finally:
            volume.store.close()
        if not wanted:
            # Their files are loaded, broken, gone, or none of ours: nothing to wait for.
            self._delete(received.messages)
            return Look(more=bool(received.messages))
        config = self._lake.config
        choice = Choice(config.pipe_files_per_batch, config.pipe_megabytes_per_batch * MEGABYTE)
        choice.take(wanted)
        if choice.full:
            # A message tells of several files: they all go when the last file is in the table.
            rest = {file.path: None for file in wanted[len(choice.files) :]}
            self._left = _Received(received.messages, rest)
        else:
            self._under_way = received.messages
        batch = file_batch(self._pipe, volume, number, choice.files)
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
        self._left = None

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

    def _remembered_since(self) -> datetime | None:
        """Older files may have been loaded and forgotten; None where nothing can have been.

        What came while the pipe stood still for longer than the history lasts is newer than its
        last batch.
        """
        pipe = self._lake.store.pipes.by_id(self._pipe.pipe.id) or self._pipe.pipe
        oldest = now() - self._lake.load_history_retention
        if pipe.created_at >= oldest or pipe.last_batch_at is None:
            return None
        return min(oldest, pipe.last_batch_at)

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
