"""SHOW JOBS, DESC JOB and CANCEL JOB."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import quote_literal, show_identifier
from headwater.sql.cursor import Cursor
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter

MOST_JOBS = 10_000


@dataclass(frozen=True, slots=True)
class ShowJobs:
    """SHOW JOBS [IN VCLUSTER vc] [LIKE|WHERE] [LIMIT 1..10000]."""

    vcluster: str | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        scope = f" IN VCLUSTER {show_identifier(self.vcluster)}" if self.vcluster else ""
        return f"SHOW JOBS{scope}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class DescJob:
    """DESC JOB '<id>'."""

    job_id: str

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DESC JOB {quote_literal(self.job_id)}"


@dataclass(frozen=True, slots=True)
class CancelJob:
    """CANCEL JOB '<id>'."""

    job_id: str

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"CANCEL JOB {quote_literal(self.job_id)}"


def parse_show_jobs(cursor: Cursor) -> ShowJobs:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "JOBS")
    vcluster: str | None = None
    if cursor.accept("IN"):
        cursor.expect("VCLUSTER")
        vcluster = cursor.name("a virtual cluster")
    start = cursor.token.start
    tail = parse_show_filter(cursor)
    if tail.limit is not None and not 1 <= tail.limit <= MOST_JOBS:
        cursor.fail(f"SHOW JOBS takes a LIMIT from 1 to {MOST_JOBS}", start=start)
    return ShowJobs(vcluster, tail)


def _job_id(cursor: Cursor) -> str:
    """An id, with or without quotes; unquoted it is a number that runs into letters."""
    if cursor.token.kind == "string":
        return cursor.advance().value
    start = cursor.token.start
    if cursor.token.kind not in ("number", "word", "quoted"):
        cursor.fail_expected("a job id in quotes")
    while cursor.token.kind in ("number", "word", "quoted"):
        cursor.advance()
    return cursor.text[start : cursor.tokens[cursor.position - 1].end].strip("`")


def parse_desc_job(cursor: Cursor) -> DescJob:
    """Read the statement; the cursor stands before DESC."""
    cursor.one_of(("DESC", "DESCRIBE"))
    cursor.expect("JOB")
    job_id = _job_id(cursor)
    cursor.expect_end()
    return DescJob(job_id)


def parse_cancel_job(cursor: Cursor) -> CancelJob:
    """Read the statement; the cursor stands before CANCEL."""
    cursor.expect("CANCEL", "JOB")
    job_id = _job_id(cursor)
    cursor.expect_end()
    return CancelJob(job_id)
