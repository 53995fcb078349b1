"""The sample of live data: made, grown by plain INSERT jobs, stopped and dropped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

from headwater.catalog.objects import Table
from headwater.errors import HeadwaterError, TransientError
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.sample.events import events
from headwater.sample.state import (
    SampleState,
    forget_state,
    growth,
    read_state,
    write_state,
)
from headwater.sample.texts import (
    CREATE_SCHEMA,
    CREATE_SCHEMA_OF_DOCUMENTS,
    CREATE_TABLE,
    CREATE_VIEW,
    DROP_TABLE,
    DROP_VIEW,
    NAME,
    NAME_OF_DOCUMENTS,
    insert_text,
)
from headwater.session_pool import SessionPool

TAG = "sample"
DEFAULT_RATE = 60
DEFAULT_SEED = 1
_HISTORY = 500
_HISTORY_TIME = timedelta(hours=1)
_EVERY = 10.0
_LOOK = 2.0


@dataclass(slots=True)
class SampleSession:
    """The session that makes the sample and lets it grow."""

    lake: OpenLake
    _pool: SessionPool = field(init=False)

    def __post_init__(self) -> None:
        self._pool = SessionPool(self.lake)

    def run(self, text: str) -> None:
        """Run a statement of the sample, as a job."""
        with self._pool.session(TAG) as session:
            session.state.settings["query_tag"] = TAG
            session.run(text)

    def cancel(self) -> None:
        """Cancel the statement that runs now."""
        self._pool.cancel()

    def close(self) -> None:
        """Give the session back."""
        self._pool.close()


Run = Callable[[str], None]


def sample_table(lake: OpenLake) -> Table | None:
    """The table of the sample, if there is one."""
    return lake.store.tables.get(NAME.workspace, NAME.schema, NAME.name)


def _view(lake: OpenLake) -> Table | None:
    name = NAME_OF_DOCUMENTS
    return lake.store.tables.get(name.workspace, name.schema, name.name)


def start_sample(lake: OpenLake, *, rate: int, seed: int = DEFAULT_SEED) -> SampleState:
    """Note that the sample is to grow; one that is there goes on from where it is."""
    before = read_state(lake.store)
    if before is None or sample_table(lake) is None:
        state = SampleState(rate, seed, 0, now() - _HISTORY_TIME)
    else:
        state = replace(before, rate=rate, running=True, until=now())
    write_state(lake.store, state)
    return state


def make_sample(lake: OpenLake, run: Run) -> None:
    """Make what is not there: the table, with the events of the last hour, and the view."""
    state, there = read_state(lake.store), sample_table(lake) is not None
    if state is None or (there and _view(lake) is not None):
        return
    lake.writer.ensure()
    for name in (NAME, NAME_OF_DOCUMENTS):
        lake.store.workspaces.ensure(name.workspace)
    for text in (CREATE_SCHEMA, CREATE_TABLE, CREATE_SCHEMA_OF_DOCUMENTS, CREATE_VIEW):
        run(text)
    if not there:
        grow_sample(lake, run, count=_HISTORY, spread=_HISTORY_TIME)


def grow_sample(
    lake: OpenLake, run: Run, *, count: int, spread: timedelta = timedelta(seconds=1)
) -> None:
    """Add so many events, whose times lie between a while ago and now."""
    state = read_state(lake.store)
    assert state is not None
    at = now()
    run(insert_text(events(state.seed, state.next, count, since=at - spread, until=at)))
    # Afterwards: if the process dies in between, the same events come again, with later times.
    write_state(lake.store, replace(state, next=state.next + count, until=at))


def stop_sample(lake: OpenLake) -> None:
    """Let it not grow any more."""
    state = read_state(lake.store)
    if state is not None:
        write_state(lake.store, replace(state, running=False))


def drop_sample(lake: OpenLake, run: Run) -> None:
    """Drop the table; it can be brought back as any other."""
    if sample_table(lake) is not None:
        if _view(lake) is not None:
            run(DROP_VIEW)
        run(DROP_TABLE)
    forget_state(lake.store)


@dataclass(slots=True)
class SampleLoop:
    """Lets the sample grow while `headwater run` is at work, if somebody has started it."""

    lake: OpenLake
    run: Run

    def run_forever(self, stop: threading.Event) -> None:
        """Grow it every few seconds until `stop` is set."""
        while not stop.is_set():
            stop.wait(self.step())

    def step(self) -> float:
        """Add what is due, and say for how many seconds to rest."""
        try:
            state = read_state(self.lake.store)
            if state is None or not state.running or self.lake.writer.fencing is None:
                return _LOOK
            if sample_table(self.lake) is None:
                make_sample(self.lake, self.run)
                return _EVERY
            self._grow(state)
        except TransientError:
            return _LOOK
        except HeadwaterError:
            # Somebody has changed the table so that it does not fit; the job says so.
            return _EVERY
        return _EVERY

    def _grow(self, state: SampleState) -> None:
        due = growth(state, now())
        if due is None:
            return
        made = events(state.seed, due.first, due.count, since=due.since, until=due.after.until)
        self.run(insert_text(made))
        write_state(self.lake.store, due.after)
