"""A pipe over CSV files of 128 MB against the same files read and appended to Delta by plain Spark.

Both run in the same process and Spark session. Files have new names in each round, as a pipe loads
a name once. The pipe looks for them, keeps the load history, runs one batch and deletes the files;
plain Spark is told their names. The target is a rate, written as the time it allows.
HEADWATER_BENCH_BYTES makes it smaller for a quick look.
"""

from __future__ import annotations

import os
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import headwater
from bench.copy_files import ROW, SCHEMA, require_same
from bench.measure import Contender, duel
from bench.outcome import Findings, times_rival
from bench.profiling import print_profile
from bench.scratch import Scratch

LEAST_RATE = 0.9
BYTES = int(os.environ.get("HEADWATER_BENCH_BYTES", 2_000_000_000))
_FILE_BYTES = 128_000_000
_BYTES_PER_ROW = 83
_ROUNDS = 3
_WARM_UPS = 1
_MOST_SECONDS = 600.0
_PIPE = (
    "CREATE PIPE p VIRTUAL_CLUSTER = 'DEFAULT' INGEST_MODE = 'LIST_PURGE' "
    "AS COPY INTO ours FROM VOLUME v USING CSV PURGE = TRUE"
)


def run(scratch: Scratch) -> Findings:
    """Make the files once, then load them in turn."""
    files, arriving = scratch.folder / "pipe-files", scratch.folder / "pipe-arriving"
    arriving.mkdir()
    with closing(headwater.connect(scratch.folder / "pipe")) as connection:
        spark = connection.session.state.spark()._session
        scratch.say("making CSV files")
        rows = BYTES // _BYTES_PER_ROW
        frame = spark.sql(ROW.format(rows=rows)).repartition(max(1, round(BYTES / _FILE_BYTES)))
        frame.write.format("csv").save(f"file:{files}")
        connection.sql(f"CREATE TABLE ours ({SCHEMA})")
        connection.sql("CREATE STORAGE CONNECTION local TYPE FILE")
        connection.sql(
            f"CREATE EXTERNAL VOLUME v LOCATION 'file://{arriving}/' USING CONNECTION local"
        )
        connection.sql(_PIPE)
        return _compare(scratch, connection, spark, files=files, arriving=arriving)


def _compare(
    scratch: Scratch,
    connection: headwater.Connection,
    spark: Any,
    *,
    files: Path,
    arriving: Path,
) -> Findings:
    parts = sorted(files.glob("*.csv"))
    size = sum(path.stat().st_size for path in parts)
    plain = f"file:{scratch.folder}/pipe-plain"
    rounds = count()

    def arrive() -> None:
        number = next(rounds)
        for path in parts:
            (arriving / f"{number}-{path.name}").hardlink_to(path)

    def theirs() -> None:
        frame = spark.read.schema(SCHEMA).csv([f"file:{path}" for path in parts])
        frame.write.format("delta").mode("append").save(plain)

    scratch.say(f"{len(parts)} files, {size / 1e9:.2f} GB, {_ROUNDS} rounds")
    arrive()
    found = duel(
        Contender("pipe", connection.run_until_idle, settle=arrive),
        Contender("plain Spark", theirs),
        rounds=_ROUNDS,
        warm_ups=_WARM_UPS,
        most_seconds=_MOST_SECONDS,
    )
    require_same(connection, spark, plain)
    if scratch.profile:
        print_profile("pipe", connection.run_until_idle, times=1)
    described = connection.sql("DESC PIPE EXTENDED p").rows
    batches = next(value for name, value in described if name == "batches")
    case = f"pipe over {len(parts)} CSV files, {size / 1e9:.2f} GB"
    rate = size / found.ours.median / 1e6
    return Findings(
        (times_rival(case, found, most=1 / LEAST_RATE),),
        (f"{rate:.0f} MB a second, {batches} batches in {_WARM_UPS + _ROUNDS} rounds",),
    )
