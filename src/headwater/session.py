"""Text to parse to handler to Result, every statement a job; nothing clever.

A `Session` is one connection's view of a lake. Statements that need Spark run one after the other
in a session; those that do not, such as SHOW or CANCEL JOB, run at any time from any thread.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from headwater.access.grants import Identity
from headwater.catalog.jobs import Job, JobState, TableUse, job_id
from headwater.catalog.objects import TableVersion
from headwater.config import Config
from headwater.errors import HeadwaterError, InterfaceError, InternalError, UserError
from headwater.files.loads import recover_loads
from headwater.pipes.batches import Batch
from headwater.pipes.settling import begin_batch, recover_batches
from headwater.refresh.pins import WavePins
from headwater.result import WARNING, Result
from headwater.runtime.admission import Request
from headwater.runtime.clock import now
from headwater.runtime.clusters import Place
from headwater.runtime.open_lake import (
    DEFAULT_SCHEMA,
    OpenLake,
    acquire_lake,
    release_lake,
    share_lake,
)
from headwater.sql.masking import mask, mask_words, masked_with_span, secret_values
from headwater.sql.parse import Statement, parse
from headwater.sql.places import place_named
from headwater.sql.settings import TIME_ZONE_KEY
from headwater.sql.split import pieces_of
from headwater.sql.targets import written_table
from headwater.sql.tokens import tokenize
from headwater.statements.auditing import audit_denied, audit_end
from headwater.statements.authorize import authorize
from headwater.statements.cluster_use import cluster_of, kind_of, only_looks
from headwater.statements.compaction_after import compaction_after, small_files_only
from headwater.statements.context import Context, SessionState
from headwater.statements.dispatch import execute, execute_relation
from headwater.tables.job_reads import tables_read
from headwater.tables.recovery import recover
from headwater.tables.versions import bytes_written
from headwater.upkeep.cleaning import upkeep_if_due
from headwater.upkeep.left_overs import recover_exports

_log = logging.getLogger(__name__)
_ENTROPY = 36**12
_QUOTED = re.compile(r"`([^`]+)`")
_BATCHES = "batches"


class Session:
    """Runs statements on a lake."""

    def __init__(self, path: str | Path, *, create: bool = True, **arguments: Any) -> None:
        self._open(*acquire_lake(path, create=create, **arguments))
        try:
            recover_exports(self._lake, recover(self._lake))
            recover_loads(self._lake)
            recover_batches(self._lake)
            upkeep_if_due(self._lake)
        except BaseException:
            self.close()
            raise

    @classmethod
    def beside(cls, lake: OpenLake, *, identity: Identity | None = None) -> Session:
        """One more session on a lake that is open in this process, of somebody else perhaps."""
        session = cls.__new__(cls)
        session._open(share_lake(lake), lake.config)
        if identity is not None:
            session.state.become(identity)
        return session

    def _open(self, lake: OpenLake, config: Config) -> None:
        self._lake = lake
        self._closed = False
        self._running: list[str] = []
        self.pool: str | None = None
        """A pool of Spark's scheduler with the smallest share, for work that can wait."""
        self.state = SessionState(
            lake, user=config.user, workspace=config.workspace, schema=DEFAULT_SCHEMA
        )
        if config.time_zone != self._lake.config.time_zone:
            self.state.settings[TIME_ZONE_KEY] = config.time_zone

    @property
    def lake(self) -> OpenLake:
        """The lake this session works on."""
        return self._lake

    @property
    def place(self) -> str:
        """Where the lake is, for people to read."""
        return f"lake {self._lake.folder.path}"

    @property
    def schema(self) -> str:
        """The current schema."""
        return self.state.schema

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def close(self) -> None:
        """Give the lake back; calling it again does nothing."""
        if not self._closed:
            self._closed = True
            release_lake(self._lake)

    def statements(self, script: str) -> Iterator[Result]:
        """Run the statements of a script one after the other, giving each result as it comes."""
        for piece in pieces_of(script):
            yield self.run(piece.text)

    def run(
        self,
        text: str,
        *,
        batch: Batch | None = None,
        wave: WavePins | None = None,
        announce: Callable[[str], None] | None = None,
    ) -> Result:
        """Run one statement as a job; over the batch of a pipe, or at the versions of a wave.

        `announce` is told the job's id before the job starts.
        """
        if self._closed:
            raise InterfaceError("the connection is closed")
        job = self._new_job(text)
        if announce is not None:
            announce(job.id)
        try:
            tokens = tokenize(text)
            statement = parse(text, tokens)
        except UserError as error:
            self._lake.store.jobs.start(job)
            raise self._failed(job, text, error) from None
        job = replace(job, kind=kind_of(type(statement)), output_tables=self._targets(statement))
        context = Context(
            self.state, job.id, text, tokens, execute_relation, batch=batch, wave=wave
        )
        self._authorize(job, context, statement)
        self._running.append(job.id)
        try:
            cluster = cluster_of(context, statement)
            if cluster is None:
                if only_looks(job.kind):
                    self._lake.store.jobs.start_later(job)
                else:
                    self._lake.store.jobs.start(job)
                return self._finish(job, context, statement)
            job = replace(job, vcluster=cluster)
            with self._place(job, text, batch) as place:
                if not place.reached:
                    job = replace(job, state=JobState.QUEUED)
                self._lake.store.jobs.start(job)
                result = self._finish(job, context, statement, place)
            self._compact_after(context, statement, cluster)
            return result
        finally:
            self._running.remove(job.id)

    def _authorize(self, job: Job, context: Context, statement: Statement) -> None:
        """Refuse what the session's identity may not do; a refusal is a job that failed."""
        try:
            authorize(context, statement)
        except UserError as error:
            self._lake.store.jobs.start(job)
            audit_denied(context, statement)
            raise self._failed(job, context.text, error) from None

    def _compact_after(self, context: Context, statement: Statement, cluster: str) -> None:
        """Compact what a statement wrote, if the session asks for it; the statement is done."""
        with suppress(HeadwaterError):
            text = compaction_after(context, statement, cluster)
            if text is not None:
                with small_files_only(self.state):
                    self.run(text)

    def _place(self, job: Job, text: str, batch: Batch | None) -> Place:
        """A place on the job's cluster; one rule bounds the batches of pipes and all other jobs."""
        request = Request(job.id)
        if batch is not None:
            share = self._lake.config.pipe_batches_at_once
            request = Request(job.id, group=_BATCHES, share=share)
        try:
            return self._lake.clusters.enter(job.workspace, job.vcluster, request)
        except HeadwaterError as error:
            self._lake.store.jobs.start(job)
            if batch is not None:
                begin_batch(self._lake, batch, job.id)
            raise self._failed(job, text, error) from error.__cause__

    def _arrive(self, job: Job, place: Place | None) -> None:
        """Wait for the place, if there is one to wait for, and go to its pool."""
        if place is None:
            if not only_looks(job.kind):
                self._lake.engine.start_job(job.id)
            return
        place.wait()
        if job.state is JobState.QUEUED:
            self._lake.store.jobs.advance(replace(job, state=JobState.RUNNING))
        if self.pool is not None:
            self._lake.engine.start_job(job.id, (self.pool, 1))
            return
        mapped = self._lake.config.cluster_pools.get(place.cluster.name)
        own = (place.cluster.name, place.cluster.weight)
        self._lake.engine.start_job(job.id, (mapped, None) if mapped else own)

    def _finish(
        self, job: Job, context: Context, statement: Statement, place: Place | None = None
    ) -> Result:
        text = context.text
        try:
            if context.batch is not None:
                # Before any waiting: whatever ends the wait must find this try beside earlier ones.
                begin_batch(self._lake, context.batch, job.id)
            self._arrive(job, place)
            result = _with_warnings(execute(context, statement), context.reads.warnings)
        except HeadwaterError as error:
            audit_end(context, statement, ok=False)
            shown = error if place is None else place.better(error)
            raise self._failed(job, text, shown) from error.__cause__
        except KeyboardInterrupt:
            self._lake.cancel_job(job.id)
            self._record(job, JobState.CANCELLED, error="interrupted")
            raise
        except Exception as error:
            bug = InternalError("BUG", problem=repr(error), detail=repr(error))
            raise self._failed(job, text, self._lake.engine.lost() or bug) from error
        audit_end(context, statement, ok=True)
        return self._succeeded(job, result)

    def _new_job(self, text: str) -> Job:
        at = now()
        settings = self.state.settings
        return Job(
            id=job_id(at, secrets.randbelow(_ENTROPY)),
            state=JobState.RUNNING,
            workspace=self.state.workspace,
            schema=self.state.schema,
            creator=self.state.user,
            text=mask(text),
            started_at=at,
            instance=self._lake.instance.id,
            vcluster=self.state.vcluster,
            query_tag=mask(settings.get("query_tag", "")),
            priority=int(settings.get("priority", "0")),
            settings={key: _masked_value(key, value) for key, value in settings.items()},
        )

    def _targets(self, statement: Statement) -> tuple[TableUse, ...]:
        """What the job writes, known before it starts: recovery looks there after a crash."""
        name = written_table(statement)
        if name is None:
            return ()
        full = name.qualified(workspace=self.state.workspace, schema=self.state.schema)
        table = self._lake.store.tables.get(full.workspace, full.schema, full.name)
        return (TableUse(full.full, table_id=table.id if table else None),)

    def _succeeded(self, job: Job, result: Result) -> Result:
        produced = result.rowcount if result.returns_rows else None
        made = self._lake.store.versions.by_job(job.id) if job.output_tables else []
        counts: dict[str, Any] = {"rows_produced": produced}
        if made:
            version = made[-1][1]
            written = _written(self._lake, job.output_tables[0], made)
            counts |= {
                "rows_inserted": version.rows_inserted,
                "rows_updated": version.rows_updated,
                "rows_deleted": version.rows_deleted,
                "output_tables": (written,),
                "output_bytes": written.bytes,
            }
        self._record(job, JobState.SUCCEED, **counts)
        made_here = isinstance(result.source, list)
        zone = self.state.time_zone if made_here else result.time_zone
        return replace(result, job_id=job.id, time_zone=zone)

    def _failed(self, job: Job, text: str, error: HeadwaterError) -> HeadwaterError:
        """The error with its place in the text, recorded with the job; no secret in either."""
        cancelled = error.condition == "JOB_CANCELLED"
        if cancelled:
            error = UserError("JOB_CANCELLED", job_id=job.id)
        span = error.span or place_named(text, _names_in(error))
        error.statement, error.span = masked_with_span(text, span)
        hidden = secret_values(text)
        error.replace_text(lambda shown: mask_words(shown, hidden))
        state = JobState.CANCELLED if cancelled else JobState.FAILED
        self._record(job, state, error=f"{error.condition}: {error.message}")
        return error

    def _record(self, job: Job, state: JobState, **changes: Any) -> None:
        finished = replace(job, state=state, ended_at=now(), **changes)
        store, engine = self._lake.store, self._lake.engine
        store.jobs.finish(finished)
        if engine.started and self.state.spark_started and not only_looks(job.kind):
            self._lake.background.submit(_measure, self._lake, job.id)

    def progress(self) -> tuple[int, int]:
        """Finished and known pieces of the statement running now: Spark tasks, or files of PUT.

        From any thread.
        """
        if not self._running:
            return (0, 0)
        job = self._running[-1]
        return self._lake.transfers.get(job) or self._lake.engine.progress(job)

    def cancel(self) -> None:
        """Cancel what runs now; from any thread."""
        for running in list(self._running):
            self._lake.store.jobs.request_cancel(running)
            self._lake.cancel_job(running)


def _with_warnings(result: Result, warnings: tuple[str, ...]) -> Result:
    if not warnings:
        return result
    said = [result.message] if result.message else []
    return replace(result, message="; ".join([*said, *(WARNING + text for text in warnings)]))


def _measure(lake: OpenLake, job: str) -> None:
    try:
        measures = lake.engine.measures(job)
        if measures.stages:
            lake.store.jobs.measured(job, tables_read(lake, measures.scans), measures.stages)
    except Exception:
        # Nobody waits for this; a profile without figures must not look like one of no work.
        if lake.engine.lost() is None:
            _log.warning("job %s could not be measured", job, exc_info=True)


def _written(lake: OpenLake, use: TableUse, made: list[tuple[str, TableVersion]]) -> TableUse:
    """How much the versions that a job made of its table wrote."""
    table_id, version = made[-1]
    size = bytes_written(lake, table_id, version)
    return replace(use, rows=version.rows_changed, bytes=size)


def _names_in(error: HeadwaterError) -> list[object]:
    """What an error speaks of: its own parameters, else the first name that Spark quotes."""
    quoted = _QUOTED.search(error.message)
    return [*error.parameters.values(), *(quoted.groups() if quoted else ())]


def _masked_value(key: str, value: str) -> str:
    return mask(f"SET {key} = {value}").partition(" = ")[2]
