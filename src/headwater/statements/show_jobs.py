"""SHOW JOBS: what ran in the last seven days."""

from __future__ import annotations

from datetime import timedelta

from headwater.catalog.jobs import JobEntry
from headwater.result import Column, Result, Row
from headwater.runtime.clock import now
from headwater.sql.jobs import MOST_JOBS, ShowJobs
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.visibility import sees_job

_DAYS = 7
_EXECUTION_TIME = 6
FILTERED_COLUMNS = (
    Column("job_id", "string"),
    Column("status", "string"),
    Column("creator", "string"),
    Column("priority", "int"),
    Column("start_time", "timestamp"),
    Column("end_time", "timestamp"),
    Column("execution_time", "interval day to second"),
    Column("vcluster_name", "string"),
    Column("job_text", "string"),
    Column("query_tag", "string"),
)
COLUMNS = tuple(
    Column(c.name, "bigint") if c.name == "execution_time" else c for c in FILTERED_COLUMNS
)


def show_jobs(context: Context, statement: ShowJobs) -> Result:
    """Newest first; `execution_time` is an interval in WHERE and milliseconds in the result."""
    tail = statement.filter
    plain = tail.like is None and tail.where is None and statement.vcluster is None
    plain = plain and context.session.identity.sees_all
    limit = (tail.limit if plain else None) or MOST_JOBS
    jobs = context.store.jobs.listing(since=now() - timedelta(days=_DAYS), limit=limit)
    if statement.vcluster is not None:
        jobs = [job for job in jobs if job.vcluster.lower() == statement.vcluster.lower()]
    rows = [_row(context, job) for job in jobs if sees_job(context, job.creator)]
    clusters = ("vcluster_name",)
    kept = filtered(context, FILTERED_COLUMNS, rows, tail, like_column=0, any_case=clusters)
    return Result.from_rows(COLUMNS, [_printed(row) for row in kept.rows])


def _row(context: Context, job: JobEntry) -> Row:
    return (
        job.id,
        job.state,
        job.creator,
        job.priority,
        context.session.local(job.started_at),
        context.session.local(job.ended_at),
        (job.ended_at or now()) - job.started_at,
        job.vcluster,
        job.text,
        job.query_tag,
    )


def _printed(row: Row) -> Row:
    milliseconds = row[_EXECUTION_TIME] // timedelta(milliseconds=1)
    return (*row[:_EXECUTION_TIME], milliseconds, *row[_EXECUTION_TIME + 1 :])
