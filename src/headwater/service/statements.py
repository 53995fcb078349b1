"""The statements of all clients: they wait in two lines, run on threads, and are kept for a while.

Invariants: a long query never keeps SHOW waiting, because quick statements have threads of their
own; what waits, runs and is kept is bounded (`line.py`, `keeping.py`).
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from headwater.catalog.jobs import JobState
from headwater.errors import HeadwaterError, InternalError, TransientError, UserError
from headwater.runtime.open_lake import OpenLake
from headwater.service.events import Events
from headwater.service.identity import Identity, may_see
from headwater.service.keeping import Kept, to_forget
from headwater.service.lanes import Lane
from headwater.service.limits import Limits
from headwater.service.line import Line
from headwater.service.statement import Statement, Work, size_of
from headwater.sql.masking import mask

_CANCELLED = "JOB_CANCELLED"
_ASK_AGAIN_SECONDS = 0.25
_SLACK = 200
"""How many more than allowed are remembered before they are looked through."""

Measure = Callable[[Statement], None]


class Statements:
    """Takes statements from several threads, runs them, and remembers them."""

    def __init__(self, lake: OpenLake, limits: Limits, events: Events) -> None:
        self._lake = lake
        self._limits = limits
        self._events = events
        self._lock = threading.Lock()
        self._known: dict[str, Statement] = {}
        self._lines = {
            Lane.QUICK: Line[Statement](limits.quick, limits.waiting),
            Lane.COMPUTING: Line[Statement](limits.computing, limits.waiting),
        }
        self._pools = {
            lane: ThreadPoolExecutor(line.most_running, thread_name_prefix=f"headwater-{lane}")
            for lane, line in self._lines.items()
        }
        self.ended: Measure = lambda statement: None
        """Told of each statement that has ended."""
        self._kept_bytes = 0
        self.refused = 0
        """How many were turned away because too many waited."""

    def submit(
        self,
        owner: Identity,
        work: Work,
        *,
        text: str,
        lane: Lane,
        session: str | None = None,
        turns: Iterable[str] = (),
    ) -> Statement:
        """Take a statement on; TOO_MANY_STATEMENTS when its line is full."""
        id = secrets.token_hex(16)
        statement = Statement(id, owner, mask(text), lane, work, session)
        with self._lock:
            line = self._lines[lane]
            if line.full:
                self.refused += 1
                raise TransientError("TOO_MANY_STATEMENTS", waiting=line.waiting)
            self._known[id] = statement
            # Spark runs the statements of a session one after the other; SHOW runs at any time.
            line.join(statement, turns if lane is Lane.COMPUTING else ())
        self._tell(statement)
        self._start_ready(lane)
        return statement

    def find(self, id: str, identity: Identity) -> Statement:
        """A statement that the asker may see."""
        found = self._known.get(id)
        if found is None or not may_see(identity, found.owner.user):
            raise UserError("STATEMENT_NOT_FOUND", statement=id)
        return found

    def cancel(self, statement: Statement) -> None:
        """Ask a statement to stop; one that waits has stopped at once."""
        if statement.cancel_asked or statement.ended:
            return
        statement.cancel_asked = True
        with self._lock:
            waited = self._lines[statement.lane].withdraw(statement)
        if waited:
            self._end(statement, JobState.CANCELLED, UserError(_CANCELLED, job_id=statement.id))
            return
        threading.Thread(
            target=self._insist, args=(statement,), name="headwater-cancel", daemon=True
        ).start()

    def progress(self, statement: Statement) -> tuple[int, int]:
        """Finished and known pieces of what it runs now."""
        if statement.ended or not statement.job_ids:
            return 0, 0
        job = statement.job_ids[-1]
        return self._lake.transfers.get(job) or self._lake.engine.progress(job)

    def counts(self) -> dict[Lane, tuple[int, int]]:
        """How many wait and run, by lane."""
        with self._lock:
            return {lane: (line.waiting, line.running) for lane, line in self._lines.items()}

    def kept_bytes(self) -> int:
        """What the results of ended statements take in memory."""
        return self._kept_bytes

    def forget(self, statement: Statement) -> None:
        """Let go of one that has ended, and of its results."""
        assert statement.ended
        with self._lock:
            if self._known.pop(statement.id, None) is not None:
                self._kept_bytes -= statement.bytes

    def forget_old(self) -> None:
        """Forget ended statements that are too old, or too many."""
        gone = to_forget(self._kept(), self._limits)
        with self._lock:
            for id in gone:
                self._known.pop(id, None)
            ended = (s for s in self._known.values() if s.ended)
            self._kept_bytes = sum(statement.bytes for statement in ended)

    def wait_until_idle(self, seconds: float) -> bool:
        """Whether all statements have ended, after waiting for them for a while."""
        deadline = time.monotonic() + seconds
        for statement in list(self._known.values()):
            if not statement.done.wait(max(0.0, deadline - time.monotonic())):
                return False
        return True

    def cancel_all(self) -> None:
        """Ask all to stop."""
        for statement in list(self._known.values()):
            self.cancel(statement)

    def close(self) -> None:
        """Let the threads go."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)

    def _kept(self) -> list[Kept]:
        now = time.monotonic()
        with self._lock:
            known = list(self._known.values())
        return [
            Kept(s.id, s.bytes, now - s.ended_at, s.fetched)
            for s in known
            if s.ended_at is not None
        ]

    def _start_ready(self, lane: Lane) -> None:
        while True:
            with self._lock:
                statement = self._lines[lane].next()
            if statement is None:
                return
            self._pools[lane].submit(self._run, statement)

    def _run(self, statement: Statement) -> None:
        statement.state = JobState.RUNNING
        self._tell(statement)
        state, error = JobState.SUCCEED, None
        try:
            self._collect(statement)
        except HeadwaterError as known:
            cancelled = known.condition == _CANCELLED
            state, error = JobState.CANCELLED if cancelled else JobState.FAILED, known
        except BaseException as unknown:
            # The session has reported bugs of statements; this is one of the service.
            state, error = JobState.FAILED, InternalError("BUG", problem=mask(repr(unknown)))
        with self._lock:
            self._lines[statement.lane].leave(statement)
        self._end(statement, state, error)
        self._start_ready(statement.lane)

    def _collect(self, statement: Statement) -> None:
        most = self._limits.result_bytes
        with closing(statement.work(statement)) as results:
            for result in results:
                statement.results.append(result)
                statement.bytes += size_of(result)
                if statement.bytes > most:
                    size, statement.bytes = statement.bytes, 0
                    statement.results.clear()
                    raise UserError("RESULT_TOO_LARGE_TO_KEEP", bytes=size, most=most)

    def _end(self, statement: Statement, state: JobState, error: HeadwaterError | None) -> None:
        if statement.end(state, error):
            self._tell(statement)
            self.ended(statement)
            self._kept_bytes += statement.bytes
            many = len(self._known) > self._limits.statements + _SLACK
            if many or self._kept_bytes > self._limits.result_bytes:
                self.forget_old()

    def _insist(self, statement: Statement) -> None:
        """Cancel its job until it has ended: a job may be between two pieces of Spark's work."""
        while True:
            for job in statement.job_ids[-1:]:
                self._lake.store.jobs.request_cancel(job)
                self._lake.cancel_job(job)
            if statement.done.wait(_ASK_AGAIN_SECONDS):
                return

    def _tell(self, statement: Statement) -> None:
        lane, state = statement.lane.value, statement.state.value
        data = {"statement": statement.id, "state": state, "lane": lane}
        self._events.publish("statement", data, owner=statement.owner.user)
