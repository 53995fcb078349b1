"""One step of a pipe: the batch that was begun before, else the next one; then say what it did.

The order is the promise: intent, commit, load history, deletion of the files, end of the batch,
message to the source. Whatever is cut off is done again from the intent.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto

from headwater.catalog.pipes import Pipe, PipeBatch, PipeKind, PipeStatus
from headwater.errors import HeadwaterError, InternalError, TransientError, UserError
from headwater.pipes.batches import Batch, FileBatch, KafkaBatch, batch_of
from headwater.pipes.latency import latency_after_failure
from headwater.pipes.open_pipe import OpenPipe, open_pipe
from headwater.pipes.open_source import open_source
from headwater.pipes.settling import ENDED_ELSEWHERE, finish_if_committed, settle_batch
from headwater.pipes.sources import Pending, Source
from headwater.runtime.clock import now
from headwater.runtime.failpoints import reach
from headwater.runtime.open_lake import OpenLake

LAKE_LOCKED = "LAKE_LOCKED"
FILES_GONE = "its files are gone"
_NOT_OURS = (LAKE_LOCKED, "LEASE_LOST")

RunBatch = Callable[[OpenPipe, Batch], None]
"""Runs the pipe's statement over a batch, as a job; raises what goes wrong."""


class Outcome(Enum):
    """What a step did."""

    IDLE = auto()
    """There is nothing to do."""
    DONE = auto()
    """A batch was done, and nothing more was seen."""
    MOVED = auto()
    """There is more to do, or to look at."""
    FAILED = auto()
    """It will be tried again."""
    STOPPED = auto()
    """The pipe is paused, INVALID or gone."""


@dataclass(slots=True)
class Stepper:
    """One pipe as this process works on it; keeps its source between steps."""

    lake: OpenLake
    pipe_id: str
    run: RunBatch
    patience: int = 1
    """How many seconds a look may wait for something to come."""
    _source: Source | None = None
    _opened: OpenPipe | None = None

    def step(self) -> Outcome:
        """Do the next batch, if there is one; errors become the pipe's state.

        That another process holds the lake, or held it meanwhile, is no failure of the pipe.
        """
        pipe = self._running()
        if pipe is None:
            return Outcome.STOPPED
        try:
            return self._step(pipe)
        except HeadwaterError as error:
            if error.condition in _NOT_OURS:
                self.close()
                return Outcome.FAILED
            return self._failed(pipe, error)
        except Exception as error:
            return self._failed(pipe, InternalError("BUG", problem=repr(error)))

    def _running(self) -> Pipe | None:
        pipe = self.lake.store.pipes.by_id(self.pipe_id)
        return pipe if pipe is not None and pipe.status is PipeStatus.RUNNING else None

    def _step(self, pipe: Pipe) -> Outcome:
        opened = self._reopened(pipe)
        assert self._source is not None
        intent = self.lake.store.pipe_batches.intent(pipe.id)
        if intent is not None:
            batch, more = self._again(pipe, intent), True
        else:
            look = self._source.look(pipe.batch + 1)
            self._note(pipe, look.pending)
            batch, more = self._after_others(look.batch), look.more
        if pipe.refresh_requested_at is not None:
            self.lake.store.pipes.take_refresh(pipe.id, pipe.refresh_requested_at)
        if batch is None:
            if pipe.failures:
                self.lake.store.pipes.record_success(pipe.id, now())
            return Outcome.MOVED if more else Outcome.IDLE
        if self._running() is None:
            # Paused during the look, which may have found what came only after that.
            return Outcome.STOPPED
        reach("pipe.discovered")
        self._do(opened, batch)
        # Where others tried before, it may be their files that are loaded, and these wait.
        return Outcome.MOVED if more or batch.jobs else Outcome.DONE

    def _again(self, pipe: Pipe, intent: PipeBatch) -> Batch | None:
        """The batch of an intent without a commit; if nothing of it is left, it is over.

        It may be another process's that holds the lake, or may have been committed late.
        """
        assert self._source is not None
        self.lake.writer.ensure()
        begun = batch_of(pipe.id, intent.number, intent.payload)
        if finish_if_committed(self.lake, pipe, intent):
            self._source.done(begun)
            return None
        batch = self._source.again(begun)
        if batch is None:
            self.lake.store.pipe_batches.fail(pipe.id, intent.number, FILES_GONE)
        return batch

    def _after_others(self, batch: Batch | None) -> Batch | None:
        """A new batch whose number another one had that nobody could do again.

        Who began that one may not be dead, and commit it: then its files are loaded, not these.
        """
        if not isinstance(batch, FileBatch):
            return batch
        for before in self.lake.store.pipe_batches.of(batch.pipe_id, limit=1):
            if (before.number, before.error) == (batch.number, FILES_GONE):
                begun = batch_of(batch.pipe_id, batch.number, before.payload)
                assert isinstance(begun, FileBatch)
                tried = begun.of_files(batch.files)
                return replace(batch, jobs=tried.jobs, earlier=tried.earlier)
        return batch

    def _do(self, opened: OpenPipe, batch: Batch) -> None:
        pipe = opened.pipe
        try:
            self.run(opened, batch)
        except HeadwaterError as error:
            loaded = self._after_failure(opened, batch, error)
            if loaded is None:
                raise
        else:
            loaded = settle_batch(self.lake, pipe, batch, opened.target)
        self._note(pipe, Pending())
        assert self._source is not None
        if loaded == batch:
            self._source.done(batch)
        else:
            # These files are not in the table: the source must not forget them.
            self.close()
        reach("pipe.told")

    def _after_failure(self, opened: OpenPipe, batch: Batch, error: HeadwaterError) -> Batch | None:
        """A commit may be there although something failed; if so, what it holds.

        Without one the intent is over: the statement has ended in this process, so nobody can
        commit the batch any more. Files that a process before this one began to load stay an
        intent: it may not be dead yet. If another process has the lake by now, it is the other's to
        say.
        """
        self.lake.writer.ensure()
        intent = self.lake.store.pipe_batches.intent(opened.pipe.id)
        if intent is None:
            after = self.lake.store.pipes.by_id(opened.pipe.id)
            if after is not None and after.batch >= batch.number:
                # No wonder that it failed: the files are loaded and gone.
                raise TransientError("LEASE_LOST", reason=ENDED_ELSEWHERE)
            return None
        jobs = intent.payload["jobs"]
        if any(self.lake.store.versions.by_job(job) for job in jobs):
            return settle_batch(self.lake, opened.pipe, batch, opened.target)
        if len(jobs) == 1 or isinstance(batch, KafkaBatch):
            self.lake.store.pipe_batches.fail(opened.pipe.id, batch.number, error.message)
        return None

    def _reopened(self, pipe: Pipe) -> OpenPipe:
        """With the source as it was, unless the pipe changed."""
        opened = open_pipe(self.lake, pipe)
        before = self._opened
        changed = (
            before is None
            or before.pipe.modified_at != pipe.modified_at
            or before.target.id != opened.target.id
            # Who asks for a look does not mean one that goes on where the last one stopped.
            or pipe.refresh_requested_at is not None
        )
        if self._source is None or changed:
            self.close()
            self._source = open_source(self.lake, opened, patience=self.patience)
        self._opened = opened
        return opened

    def _note(self, pipe: Pipe, pending: Pending) -> None:
        counters = pipe.counters
        known = (counters.pending_files, counters.pending_bytes, counters.oldest_pending_at)
        if known != (pending.files, pending.bytes, pending.oldest_at):
            self.lake.store.pipes.set_pending(
                pipe.id, files=pending.files, bytes=pending.bytes, oldest_at=pending.oldest_at
            )

    def _failed(self, pipe: Pipe, error: HeadwaterError) -> Outcome:
        """Count a failure that may pass; another one stops the pipe."""
        self.close()
        # Whoever cancels a job of a pipe does not mean the pipe.
        cancelled = error.condition == "JOB_CANCELLED"
        transient = cancelled or isinstance(error, TransientError | InternalError)
        limit = self.lake.config.pipe_failures
        if self._opened is not None and pipe.kafka_group is not None:
            limit = self._opened.properties.max_skip_batches
        try:
            if pipe.kind is PipeKind.KAFKA:
                self.lake.store.pipes.set_latency(pipe.id, latency_after_failure(pipe.latency))
            after = self.lake.store.pipes.record_failure(
                pipe.id,
                now(),
                f"{error.condition}: {error.message}",
                limit=max(1, limit),
                transient=transient,
                jitter=random.random(),  # noqa: S311 - spreads retries, hides nothing
            )
        except UserError:
            return Outcome.STOPPED  # it was dropped while its batch ran
        return Outcome.FAILED if after.status is PipeStatus.RUNNING else Outcome.STOPPED

    def close(self) -> None:
        """Give up the source's connections."""
        if self._source is not None:
            self._source.close()
            self._source = None
