"""SHOW and DESC on a lake with a thousand tables: fast, and without Spark.

Measured twice: before this process has any Spark, which proves that none is needed, and with Spark
running, where the number of Spark jobs must not change.
"""

from __future__ import annotations

import uuid
from contextlib import closing
from dataclasses import replace

import headwater
from bench.measure import Contender, interleave
from bench.outcome import Findings, Outcome, below
from bench.profiling import print_profile
from bench.scratch import Scratch, rows_of
from bench.spark_counters import spark_jobs
from headwater.catalog.jobs import Job, JobState, job_id
from headwater.catalog.objects import Table
from headwater.lake import process
from headwater.runtime.clock import now

MOST_SECONDS = 0.050
TABLES = 1_000
JOBS = 1_000
_ROUNDS = 30
_WARM_UPS = 3
_STATEMENTS = ("SHOW TABLES", "DESC t", "DESC HISTORY t", "SHOW JOBS", "SHOW CREATE TABLE t")


def run(scratch: Scratch) -> Findings:
    """Measure every statement with Spark off and with Spark on."""
    path = scratch.cold_lake
    assert not process.running(), "another benchmark has started Spark already"
    with closing(headwater.connect(path)) as connection:
        scratch.say(f"adding {TABLES:,} tables and {JOBS:,} jobs to the catalog")
        _fill(connection)
        scratch.say("SHOW and DESC before Spark is started")
        outcomes = _measure(connection, "")
        assert not process.running(), "a metadata statement started Spark"
        if scratch.profile:
            for text in _STATEMENTS:
                print_profile(text, rows_of(connection, text), times=20)
        scratch.say("SHOW and DESC with Spark running")
        connection.sql("SELECT count(*) FROM t")
        connection.session.lake.flush_background()
        spark = connection.session.state.spark()._session
        before = spark_jobs(spark)
        outcomes += _measure(connection, ", Spark running")
        ran = spark_jobs(spark) - before
    assert ran == 0, f"metadata statements ran {ran} Spark jobs"
    note = f"{TABLES + 1:,} tables; Spark not started by the first five, {ran} Spark jobs in all"
    return Findings(tuple(outcomes), (note,))


def _measure(connection: headwater.Connection, suffix: str) -> list[Outcome]:
    contenders = [
        Contender(
            text,
            rows_of(connection, text),
            settle=connection.session.lake.flush_background,
        )
        for text in _STATEMENTS
    ]
    found = interleave(contenders, rounds=_ROUNDS, warm_ups=_WARM_UPS)
    return [below(samples.name + suffix, samples, limit=MOST_SECONDS) for samples in found]


def _fill(connection: headwater.Connection) -> None:
    """Copies of `t` and its versions under other names, and jobs, in one transaction."""
    lake = connection.session.lake
    model = lake.store.tables.get(lake.config.workspace, "public", "t")
    assert model is not None
    first = lake.store.versions.first(model.id)
    with lake.store.begin() as transaction:
        for number in range(TABLES):
            copy: Table = replace(model, id=uuid.uuid4().hex[:12], name=f"table_{number:04}")
            lake.store.tables.begin_create(copy, connection=transaction)
            lake.store.tables.activate(copy, first, connection=transaction)
        for number in range(JOBS):
            lake.store.jobs.start(_job(connection, number), connection=transaction)


def _job(connection: headwater.Connection, number: int) -> Job:
    state, at = connection.session.state, now()
    return Job(
        id=job_id(at, number),
        state=JobState.SUCCEED,
        workspace=state.workspace,
        schema=state.schema,
        creator=state.user,
        text=f"INSERT INTO table_{number:04} VALUES (1, 'one', 1.5)",
        started_at=at,
        ended_at=at,
        instance=state.lake.instance.id,
        kind="INSERT",
    )
