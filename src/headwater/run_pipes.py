"""The loop of pipes over sessions: each batch runs as a job of the pipe's owner, tagged with it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from headwater.errors import HeadwaterError
from headwater.files.loads import recover_loads
from headwater.names import QualifiedName
from headwater.pipes.batches import Batch
from headwater.pipes.loop import PipeLoop, Told
from headwater.pipes.open_pipe import OpenPipe
from headwater.pipes.settling import recover_batches
from headwater.runtime.open_lake import OpenLake
from headwater.session import Session
from headwater.session_pool import SessionPool
from headwater.sql.privileges import Securable
from headwater.statements.owner_rights import owner_of
from headwater.tables.recovery import recover
from headwater.upkeep.left_overs import recover_exports


@dataclass(slots=True)
class PipeSessions:
    """Sessions for batches, one per batch that runs at the same time."""

    lake: OpenLake
    tell: Callable[[OpenPipe, Batch, str], None] = lambda pipe, batch, message: None
    _pool: SessionPool = field(init=False)

    def __post_init__(self) -> None:
        self._pool = SessionPool(self.lake)

    def run(self, pipe: OpenPipe, batch: Batch) -> None:
        """Run a pipe's statement over a batch."""
        with self._pool.session(pipe.pipe.id) as session:
            _dress(session, pipe)
            result = session.run(pipe.text, batch=batch)
            self.tell(pipe, batch, result.message or "")
            self.lake.background.submit(self._read_state, pipe)

    def _read_state(self, pipe: OpenPipe) -> None:
        """Behind the back of the pipe, so that its next batch need not wait for it."""
        with suppress(HeadwaterError):
            self.lake.registrar.read_state(self.lake.location(pipe.target))

    def cancel(self) -> None:
        """Cancel the batches that run now."""
        self._pool.cancel()

    def close(self) -> None:
        """Give all sessions back."""
        self._pool.close()


def pipe_loop(
    lake: OpenLake, sessions: PipeSessions, *, tell: Callable[[Told], None] = lambda told: None
) -> PipeLoop:
    """The loop over the pipes of a lake."""
    return PipeLoop(lake, sessions.run, lambda: recover_lake(lake), tell)


def recover_lake(lake: OpenLake) -> None:
    """What a process that held the lake before left behind."""
    recover_exports(lake, recover(lake))
    recover_loads(lake)
    recover_batches(lake)


def _dress(session: Session, opened: OpenPipe) -> None:
    """Make a session the pipe's: its names, its owner, its tag, its virtual cluster."""
    pipe = opened.pipe
    state = session.state
    state.workspace, state.schema = pipe.workspace, pipe.body_schema
    name = QualifiedName(pipe.workspace, pipe.schema, pipe.name)
    store = state.lake.store
    state.become(owner_of(store, Securable.PIPE, name, creator=pipe.creator))
    state.vcluster = opened.properties.virtual_cluster.upper()
    state.settings["query_tag"] = f"pipe.{pipe.workspace}.{pipe.schema}.{pipe.name}"
