"""The loop of pipes over sessions: each batch runs as a job of the pipe's owner, tagged with it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from headwater.errors import HeadwaterError
from headwater.files.loads import recover_loads
from headwater.pipes.batches import Batch
from headwater.pipes.loop import PipeLoop, Told
from headwater.pipes.open_pipe import OpenPipe
from headwater.pipes.settling import recover_batches
from headwater.runtime.open_lake import OpenLake
from headwater.session import Session
from headwater.tables.recovery import recover


@dataclass(slots=True)
class PipeSessions:
    """Sessions for batches, one per batch that runs at the same time."""

    lake: OpenLake
    tell: Callable[[OpenPipe, Batch, str], None] = lambda pipe, batch, message: None
    _free: list[Session] = field(default_factory=list)
    _all: list[Session] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, pipe: OpenPipe, batch: Batch) -> None:
        """Run a pipe's statement over a batch."""
        session = self._take()
        try:
            _dress(session, pipe)
            result = session.run(pipe.text, batch=batch)
            self.tell(pipe, batch, result.message or "")
            self.lake.background.submit(self._read_state, pipe)
        finally:
            with self._lock:
                self._free.append(session)

    def _read_state(self, pipe: OpenPipe) -> None:
        """Behind the back of the pipe, so that its next batch need not wait for it."""
        with suppress(HeadwaterError):
            self.lake.registrar.read_state(self.lake.location(pipe.target))

    def _take(self) -> Session:
        with self._lock:
            if self._free:
                return self._free.pop()
            session = Session.beside(self.lake)
            self._all.append(session)
            return session

    def cancel(self) -> None:
        """Cancel the batches that run now."""
        with self._lock:
            sessions = list(self._all)
        for session in sessions:
            session.cancel()

    def close(self) -> None:
        """Give all sessions back."""
        for session in self._all:
            session.close()


def pipe_loop(
    lake: OpenLake, sessions: PipeSessions, *, tell: Callable[[Told], None] = lambda told: None
) -> PipeLoop:
    """The loop over the pipes of a lake."""
    return PipeLoop(lake, sessions.run, lambda: _recover(lake), tell)


def run_until_idle(lake: OpenLake) -> None:
    """Run every pipe until none has anything left to load."""
    sessions = PipeSessions(lake)
    try:
        pipe_loop(lake, sessions).run_until_idle()
    finally:
        sessions.close()


def _recover(lake: OpenLake) -> None:
    """What a process that held the lake before left behind."""
    recover(lake)
    recover_loads(lake)
    recover_batches(lake)


def _dress(session: Session, opened: OpenPipe) -> None:
    """Make a session the pipe's: its names, its owner, its tag, its virtual cluster."""
    pipe = opened.pipe
    state = session.state
    state.user, state.workspace, state.schema = pipe.creator, pipe.workspace, pipe.body_schema
    state.vcluster = opened.properties.virtual_cluster
    state.settings["query_tag"] = f"pipe.{pipe.workspace}.{pipe.schema}.{pipe.name}"
