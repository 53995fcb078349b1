"""The store's jobs: one record per executed statement.

Invariants: a stored job only ever moves along `jobs.NEXT_STATES`; a finished one never changes. Who
asks for jobs in this process finds those that `start_later` has not stored yet.
"""

from __future__ import annotations

import builtins
import threading
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, delete, insert, select, update

from headwater.catalog.jobs import (
    FINAL_STATES,
    Job,
    JobEntry,
    JobState,
    SparkStage,
    TableUse,
    may_follow,
)
from headwater.catalog.store.database import Database
from headwater.catalog.store.model import jobs
from headwater.errors import InternalError

_FIELDS = tuple(field.name for field in fields(Job))
_ADVANCE = update(jobs).where(
    jobs.c.id == bindparam("this_job"), jobs.c.state.in_(bindparam("before", expanding=True))
)


class Jobs:
    """Records jobs and finds them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._late: dict[str, Job] = {}
        self._late_lock = threading.Lock()

    def start(self, job: Job, *, connection: Connection | None = None) -> None:
        """Adds a job."""
        with self._database.write(connection) as own:
            own.execute(insert(jobs), _values(job))

    def start_later(self, job: Job) -> None:
        """Adds a job that will have ended in a moment and writes nothing: stored once, then.

        It is stored before that if somebody asks, as every heartbeat does. If the process dies
        first there is no trace of it.
        """
        with self._late_lock:
            self._late[job.id] = job

    def advance(self, job: Job, *, connection: Connection | None = None) -> None:
        """Stores a job in its new state; JOB_STATE_ILLEGAL when that may not follow the old one."""
        before = [state for state in JobState if may_follow(state, job.state)]
        with self._database.write(connection) as own:
            found_by = {"this_job": job.id, "before": before}
            if own.execute(_ADVANCE, {**found_by, **_values(job)}).rowcount:
                return
            found = own.execute(select(jobs.c.state).where(jobs.c.id == job.id)).scalar()
        raise InternalError(
            "JOB_STATE_ILLEGAL", job=job.id, before=found or "unknown", after=job.state
        )

    def finish(self, job: Job, *, connection: Connection | None = None) -> None:
        """Stores a job in its final state; JOB_STATE_ILLEGAL when it is none or may not follow."""
        if job.state not in FINAL_STATES:
            raise InternalError(
                "JOB_STATE_ILLEGAL", job=job.id, before="finishing", after=job.state
            )
        ended = replace(job, ended_at=job.ended_at or self._database.clock())
        if connection is None and self._take_late(job.id):
            self.start(ended)
        else:
            self.advance(ended, connection=connection)

    def _take_late(self, id: str) -> bool:
        with self._late_lock:
            return self._late.pop(id, None) is not None

    def _store_late(self) -> None:
        # Under the lock to the end: a job that ends meanwhile must find its row.
        with self._late_lock:
            if self._late:
                with self._database.write() as own:
                    own.execute(insert(jobs), [_values(job) for job in self._late.values()])
                self._late.clear()

    def measured(
        self, id: str, input_tables: Sequence[TableUse], stages: Sequence[SparkStage] = ()
    ) -> None:
        """Adds to a finished job what Spark did, which is known only a moment after it ended."""
        values = {
            "stages": [stage.to_dict() for stage in stages],
            "input_tables": [asdict(use) for use in input_tables],
            "input_rows": sum(use.rows or 0 for use in input_tables),
            "input_bytes": sum(use.bytes or 0 for use in input_tables),
        }
        with self._database.write() as own:
            own.execute(update(jobs).where(jobs.c.id == id).values(values))

    def get(self, id: str, *, connection: Connection | None = None) -> Job | None:
        """The job with that id, or None."""
        if connection is None and id in self._late:
            self._store_late()
        with self._database.read(connection) as own:
            row = own.execute(select(jobs).where(jobs.c.id == id)).one_or_none()
        return None if row is None else _job(row)

    def list(
        self, *, since: datetime | None = None, limit: int | None = None
    ) -> builtins.list[Job]:
        """Jobs that started at `since` or later, newest first."""
        self._store_late()
        query = select(jobs).order_by(jobs.c.started_at.desc(), jobs.c.id.desc()).limit(limit)
        if since is not None:
            query = query.where(jobs.c.started_at >= since)
        with self._database.read() as own:
            rows = own.execute(query).all()
        return [_job(row) for row in rows]

    def listing(
        self, *, since: datetime, limit: int, creator: str | None = None
    ) -> builtins.list[JobEntry]:
        """What SHOW JOBS tells of the jobs that started at `since` or later, newest first."""
        self._store_late()
        columns = [jobs.c[field.name] for field in fields(JobEntry)]
        query = select(*columns).where(jobs.c.started_at >= since)
        if creator is not None:
            query = query.where(jobs.c.creator == creator)
        newest = query.order_by(jobs.c.started_at.desc(), jobs.c.id.desc()).limit(limit)
        with self._database.read() as own:
            rows = own.execute(newest).all()
        return [JobEntry(*row) for row in rows]

    def unfinished(self) -> builtins.list[Job]:
        """Jobs that have not reached a final state, oldest first."""
        self._store_late()
        with self._database.read() as own:
            rows = own.execute(_unfinished()).all()
        return [_job(row) for row in rows]

    def failed(self, kind: str, *, since: datetime) -> builtins.list[Job]:
        """Jobs of a kind that did not succeed and ended at `since` or later, oldest first."""
        query = select(jobs).where(
            jobs.c.kind == kind,
            jobs.c.state.in_([JobState.FAILED, JobState.CANCELLED]),
            jobs.c.ended_at >= since,
        )
        with self._database.read() as own:
            rows = own.execute(query.order_by(jobs.c.started_at, jobs.c.id)).all()
        return [_job(row) for row in rows]

    def request_cancel(self, id: str) -> bool:
        """Asks the job's process to cancel it; False when it is unknown or already finished."""
        if id in self._late:
            self._store_late()
        statement = update(jobs).where(jobs.c.id == id, jobs.c.state.in_(_unfinished_states()))
        with self._database.write() as own:
            changed = own.execute(statement.values(cancel_requested_at=self._database.clock()))
            return changed.rowcount == 1

    def cancel_requested(self, instance: str) -> builtins.list[str]:
        """The ids of a process's unfinished jobs that somebody asked to cancel."""
        self._store_late()
        query = select(jobs.c.id).where(
            jobs.c.state.in_(_unfinished_states()),
            jobs.c.cancel_requested_at.is_not(None),
            jobs.c.instance == instance,
        )
        with self._database.read() as own:
            return builtins.list(own.execute(query.order_by(jobs.c.id)).scalars())

    def delete_before(self, when: datetime) -> int:
        """Forgets the jobs that ended before `when`, and says how many."""
        # A job ends after it started; the first condition lets the index find the rows.
        statement = delete(jobs).where(
            jobs.c.started_at < when, jobs.c.ended_at < when, jobs.c.state.in_(FINAL_STATES)
        )
        with self._database.write() as own:
            return own.execute(statement).rowcount


def _unfinished_states() -> builtins.list[JobState]:
    return [state for state in JobState if state not in FINAL_STATES]


def _values(job: Job) -> dict[str, Any]:
    return {
        **{name: getattr(job, name) for name in _FIELDS},
        "settings": dict(job.settings),
        "input_tables": [asdict(use) for use in job.input_tables],
        "output_tables": [asdict(use) for use in job.output_tables],
        "stages": [stage.to_dict() for stage in job.stages],
    }


def _job(row: Row[Any]) -> Job:
    stored = {name: getattr(row, name) for name in _FIELDS}
    stored["state"] = JobState(row.state)
    stored["input_tables"] = tuple(TableUse(**use) for use in row.input_tables)
    stored["output_tables"] = tuple(TableUse(**use) for use in row.output_tables)
    stored["stages"] = tuple(SparkStage.from_dict(stage) for stage in row.stages or ())
    return Job(**stored)


@cache
def _unfinished() -> Select[Any]:
    query = select(jobs).where(jobs.c.state.in_(_unfinished_states()))
    return query.order_by(jobs.c.started_at, jobs.c.id)
