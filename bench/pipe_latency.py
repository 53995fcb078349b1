"""From a small file that is dropped into a folder to its rows in the table, with a 1 s poll.

The loop runs on a thread of this process. Each file comes at a random moment of the loop's second,
complete, by a rename. Its rows can be queried when the commit is in the catalog; a SELECT from
another connection then has to count them. Plain Spark, told the name of the same file, reads and
appends it in the same run: that is what the machine needs for the work alone.
HEADWATER_BENCH_FILES makes it shorter for a quick look.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import headwater
from bench.loop_thread import running_pipes
from bench.measure import Samples
from bench.outcome import Findings, below, shown
from bench.scratch import Scratch

MOST_SECONDS = 1.5
FILES = int(os.environ.get("HEADWATER_BENCH_FILES", 30))
_WARM_UPS = 3
_SEED = 20_261_115
_LOOK_EVERY = 0.005
_PATIENCE = 120.0
_COLUMNS = "id BIGINT, name STRING"
_PIPE = (
    "CREATE PIPE p VIRTUAL_CLUSTER = 'DEFAULT' INGEST_MODE = 'LIST_PURGE' "
    "AS COPY INTO t FROM VOLUME v USING CSV PURGE = TRUE"
)


@dataclass(frozen=True, slots=True)
class _Taken:
    """Seconds from the drop to the start of the batch, to its commit, and to a SELECT's answer."""

    waiting: float
    queryable: float
    answered: float


def run(scratch: Scratch) -> Findings:
    """Drop files one by one and watch the catalog."""
    folder = scratch.folder / "latency-in"
    folder.mkdir()
    with (
        closing(headwater.connect(scratch.folder / "latency", pipe_poll_seconds=1)) as connection,
        closing(headwater.connect(scratch.folder / "latency", pipe_poll_seconds=1)) as reader,
    ):
        connection.sql(f"CREATE TABLE t ({_COLUMNS})")
        connection.sql("CREATE STORAGE CONNECTION local TYPE FILE")
        connection.sql(
            f"CREATE EXTERNAL VOLUME v LOCATION 'file://{folder}/' USING CONNECTION local"
        )
        connection.sql(_PIPE)
        scratch.say(f"dropping {_WARM_UPS} + {FILES} files, seed {_SEED}")
        with running_pipes(connection):
            taken = _drop_all(reader, folder)
        plain = _plain(scratch, connection.session.state.spark()._session)
    ours = Samples("pipe", tuple(each.queryable for each in taken))
    case = f"drop to queryable, {FILES} files, 1 s poll"
    return Findings((below(case, ours, limit=MOST_SECONDS, rival=plain),), (_split(taken),))


def _drop_all(reader: headwater.Connection, folder: Path) -> list[_Taken]:
    moments = random.Random(_SEED)
    taken = []
    for number in range(_WARM_UPS + FILES):
        time.sleep(moments.uniform(0.0, 1.0))
        taken.append(_drop(reader, folder, number))
    return taken[_WARM_UPS:]


def _drop(reader: headwater.Connection, folder: Path, number: int) -> _Taken:
    store = reader.session.lake.store
    table = store.tables.get(reader.session.lake.config.workspace, "public", "t")
    assert table is not None
    before = store.versions.last(table.id)
    path = _written(folder.with_name("latency-file"), number)
    dropped_at, started = datetime.now(UTC), time.perf_counter()
    path.rename(folder / f"f{number}.csv")
    while (version := store.versions.last(table.id)) == before:
        assert time.perf_counter() - started < _PATIENCE, "the file does not come"
        time.sleep(_LOOK_EVERY)
    queryable = time.perf_counter() - started
    rows = reader.sql("SELECT count(*) FROM t").rows[0][0]
    answered = time.perf_counter() - started
    assert rows == 10 * (number + 1), f"{rows} rows after {number + 1} files"
    assert version is not None
    assert version.job_id is not None
    job = store.jobs.get(version.job_id)
    assert job is not None
    return _Taken((job.started_at - dropped_at).total_seconds(), queryable, answered)


def _written(path: Path, number: int) -> Path:
    lines = (f"{10 * number + line},customer {line}\n" for line in range(10))
    path.write_text("".join(lines))
    return path


def _plain(scratch: Scratch, spark: Any) -> Samples:
    file = _written(scratch.folder / "latency-plain.csv", 0)
    seconds = []
    for _ in range(_WARM_UPS + FILES):
        started = time.perf_counter()
        frame = spark.read.schema(_COLUMNS).csv(f"file:{file}")
        frame.write.format("delta").mode("append").save(f"file:{scratch.folder}/latency-plain")
        seconds.append(time.perf_counter() - started)
    return Samples("plain Spark", tuple(seconds[_WARM_UPS:]))


def _split(taken: list[_Taken]) -> str:
    waiting = statistics.median(each.waiting for each in taken)
    batch = statistics.median(each.queryable - each.waiting for each in taken)
    answer = statistics.median(each.answered - each.queryable for each in taken)
    return (
        f"waiting for the loop {shown(waiting)}, batch to its commit {shown(batch)}, "
        f"then SELECT count(*) {shown(answer)}; medians"
    )
