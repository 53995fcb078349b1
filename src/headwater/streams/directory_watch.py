"""Looking at the queues of volumes that streams watch, side by side, as often as pipes look.

A queue that fails is tried again when it is due; the error is told, and whoever reads a stream of
the volume meets it too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field

from headwater.catalog.volumes import Volume
from headwater.errors import HeadwaterError, InternalError
from headwater.runtime.open_lake import OpenLake
from headwater.streams.directory_events import DirectoryEvents, Looked


@dataclass(slots=True)
class _Watched:
    """A volume as this process looks at its queue."""

    volume: Volume
    events: DirectoryEvents
    due_at: float = 0.0
    future: Future[Looked] | None = None
    idle: bool = False
    trouble: str | None = None


@dataclass(slots=True)
class DirectoryWatch:
    """The queues of a lake's volumes; `woken` is called when a look has ended."""

    lake: OpenLake
    woken: Callable[[], None] = lambda: None
    _watched: dict[str, _Watched] = field(default_factory=dict)
    _read_at: float | None = None

    def tend(self, pool: Executor, *, patience: int, until_idle: bool = False) -> bool:
        """Begin the looks that are due; says whether one is under way or finds more.

        A look waits up to `patience` seconds for a message. With `until_idle`, a queue that was
        found empty is left alone.
        """
        self._find_volumes()
        for watched in self._watched.values():
            self._collect(watched)
            if watched.future is None and self._is_due(watched, until_idle=until_idle):
                self._begin(watched, pool, patience)
        return any(
            watched.future is not None or not watched.idle for watched in self._watched.values()
        )

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is wrong with queues whose last look failed."""
        return tuple(watched.trouble for watched in self._watched.values() if watched.trouble)

    def close(self) -> None:
        """Give up connections."""
        for watched in self._watched.values():
            watched.events.close()
        self._watched.clear()
        self._read_at = None

    def _find_volumes(self) -> None:
        """Ask the catalog for the volumes, no oftener than queues are looked at."""
        at = time.monotonic()
        if self._read_at is not None and at - self._read_at < self.lake.config.pipe_poll_seconds:
            return
        found = {volume.id: volume for volume in self.lake.store.volumes.with_watched_queues()}
        self._read_at = at
        for volume_id in self._watched.keys() - found.keys():
            future = self._watched[volume_id].future
            if future is None or future.done():
                self._watched.pop(volume_id).events.close()
        for volume_id in found.keys() - self._watched.keys():
            volume = found[volume_id]
            events = DirectoryEvents(self.lake, volume)
            self._watched[volume_id] = _Watched(volume, events)

    def _is_due(self, watched: _Watched, *, until_idle: bool) -> bool:
        return not watched.idle if until_idle else time.monotonic() >= watched.due_at

    def _begin(self, watched: _Watched, pool: Executor, patience: int) -> None:
        watched.due_at = time.monotonic() + self.lake.config.pipe_poll_seconds
        watched.future = pool.submit(watched.events.look, wait_seconds=patience)
        watched.future.add_done_callback(lambda _: self.woken())

    def _collect(self, watched: _Watched) -> None:
        future = watched.future
        if future is None or not future.done():
            return
        watched.future = None
        error = future.exception()
        if error is not None:
            watched.trouble = _told(watched.volume, error)
            watched.idle = True
            return
        more = future.result().more
        watched.trouble, watched.idle = None, not more
        if more:
            watched.due_at = 0.0


def _told(volume: Volume, error: BaseException) -> str:
    if not isinstance(error, HeadwaterError):
        error = InternalError("BUG", problem=repr(error))
    return f"the queue of volume {volume.schema}.{volume.name}: {error.condition}: {error.message}"
