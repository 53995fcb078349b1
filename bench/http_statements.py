"""Statements through a service on this machine against the same in this process.

The service is a process of its own. SHOW goes to one lake both ways; rows come from `range`, as an
Arrow table, each way from a Spark of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from time import monotonic, sleep

import headwater
from bench.measure import Contender, duel
from bench.outcome import Findings, more_than_rival, shown, times_rival
from bench.scratch import Scratch, rows_of
from headwater.client.local_service import LocalService, find_service

MOST_SECONDS_MORE = 0.010
MOST_TIMES = 1 / 0.7
ROWS = 1_000_000
_TEXT = f"SELECT id, id * 2 AS d, CAST(id AS STRING) AS s, id / 2 AS x FROM range({ROWS})"
_PATIENCE_SECONDS = 120


def run(scratch: Scratch) -> Findings:
    """Measure a metadata statement and a large result."""
    path = scratch.folder / "served"
    headwater.connect(path).close()
    with (
        serving(path) as (service, _),
        closing(headwater.connect(path)) as embedded,
        closing(headwater.connect(service.url, token=service.token)) as remote,
    ):
        scratch.say("SHOW SCHEMAS over HTTP and in this process")
        show = duel(
            Contender("over HTTP", rows_of(remote, "SHOW SCHEMAS")),
            Contender("embedded", rows_of(embedded, "SHOW SCHEMAS")),
            rounds=200,
            warm_ups=20,
        )
        scratch.say(f"{ROWS:,} rows as Arrow over HTTP and in this process")
        assert remote.sql(_TEXT).to_arrow().num_rows == ROWS
        there, here = list[str](), list[str]()
        many = duel(
            Contender("over HTTP", lambda: _taken(remote, there)),
            Contender("embedded", lambda: _taken(embedded, here)),
            rounds=15,
            warm_ups=4,
            most_seconds=90,
        )
        took = _job_seconds(embedded)
    outcomes = (
        more_than_rival("SHOW SCHEMAS over HTTP", show, most=MOST_SECONDS_MORE),
        times_rival(f"{ROWS:,} rows as Arrow over HTTP", many, most=MOST_TIMES),
    )
    of_jobs = [shown(median(took[id] for id in ids)) for ids in (there, here)]
    note = f"the jobs themselves took {of_jobs[0]} in the service, {of_jobs[1]} in this process"
    return Findings(outcomes, (note,))


def _taken(connection: headwater.Connection, jobs: list[str]) -> object:
    result = connection.sql(_TEXT)
    jobs.append(result.job_id)
    return result.to_arrow()


def _job_seconds(connection: headwater.Connection) -> dict[str, float]:
    """What Spark and the session took for each job, without any HTTP."""
    jobs = connection.sql("SHOW JOBS").to_dicts()
    return {job["job_id"]: job["execution_time"] / 1000 for job in jobs}


@contextmanager
def serving(path: Path) -> Iterator[tuple[LocalService, subprocess.Popen[bytes]]]:
    """A service on a lake, in a process of its own."""
    command = [sys.executable, "-m", "headwater.cli.main", "serve", "--lake", str(path)]
    process = subprocess.Popen(
        [*command, "--port", "0", "--no-loop"], stderr=subprocess.DEVNULL, env=os.environ
    )
    try:
        deadline = monotonic() + _PATIENCE_SECONDS
        while (service := find_service(path)) is None:
            assert process.poll() is None, "the service has ended"
            assert monotonic() < deadline, "waited in vain for the service"
            sleep(0.2)
        yield service, process
    finally:
        process.terminate()
        process.wait()
