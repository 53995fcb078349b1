"""COPY INTO a table against the same files read and written to Delta by plain Spark.

Both read the same local files with the same columns in the same Spark session and overwrite a Delta
table with the same properties. Headwater also lists the volume, checks that text is UTF-8 and keeps
the load history. The targets are rates, written as the time they allow. HEADWATER_BENCH_BYTES makes
the large cases smaller for a quick look.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import headwater
from bench.measure import Contender, duel
from bench.outcome import Findings, Outcome, times_rival
from bench.profiling import print_profile
from bench.scratch import Scratch

LEAST_RATE = 0.9
LEAST_RATE_OF_SMALL_FILES = 3.0
BYTES = int(os.environ.get("HEADWATER_BENCH_BYTES", 2_000_000_000))
SMALL_FILES = 20_000
_ROUNDS = 3
_MOST_SECONDS = 600.0
_FILES = 16
_SMALL_FILE_SETTINGS = {
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "10000",
    "spark.sql.files.openCostInBytes": str(4 << 20),
}
SCHEMA = "id BIGINT, name STRING, city STRING, amount DECIMAL(12,2), at TIMESTAMP, score DOUBLE"
# About 84 bytes a row as CSV, 45 as Parquet.
ROW = (
    "SELECT id, concat('customer ', id % 99991) AS name, "
    "element_at(array('Berlin', 'São Paulo', 'Shanghai', 'Lagos'), CAST(id % 4 + 1 AS INT)) "
    "AS city, CAST(id % 1000000 / 100 AS DECIMAL(12,2)) AS amount, "
    "timestampadd(SECOND, id % 86400, TIMESTAMP '2026-01-01 00:00:00') AS at, "
    "rand(1) AS score FROM range({rows}) "
)


def run(scratch: Scratch) -> Findings:
    """Measure large CSV, large Parquet and many small files."""
    outcomes: list[Outcome] = []
    with closing(headwater.connect(scratch.folder / "copy")) as connection:
        spark = connection.session.state.spark()._session
        connection.sql(f"CREATE TABLE ours ({SCHEMA})")
        for name, make in (("csv", _make_large), ("parquet", _make_large), ("small", _make_small)):
            scratch.say(f"making {name} files")
            folder = scratch.folder / name
            make(spark, folder, name)
            outcomes.append(_compare(scratch, connection, spark, folder=folder, name=name))
    return Findings(tuple(outcomes))


def _make_large(spark: Any, folder: Path, name: str) -> None:
    rows = BYTES // (83 if name == "csv" else 45)
    frame = spark.sql(ROW.format(rows=rows)).repartition(_FILES)
    frame.write.format(name).option("compression", "none").save(f"file:{folder}")


def _make_small(spark: Any, folder: Path, name: str) -> None:
    folder.mkdir()
    line = "{0},customer {0},Berlin,12.50,2026-01-01 00:00:00,0.5\n"
    for number in range(SMALL_FILES):
        text = "".join(line.format(number * 20 + i) for i in range(18))
        (folder / f"f{number:05}.csv").write_text(text)


def _compare(
    scratch: Scratch, connection: headwater.Connection, spark: Any, *, folder: Path, name: str
) -> Outcome:
    file_format = "PARQUET" if name == "parquet" else "CSV"
    size = sum(path.stat().st_size for path in folder.iterdir())
    files = len([path for path in folder.iterdir() if path.suffix in (".csv", ".parquet")])
    connection.sql("CREATE STORAGE CONNECTION IF NOT EXISTS local TYPE FILE")
    connection.sql(
        f"CREATE EXTERNAL VOLUME v_{name} LOCATION 'file://{folder}/' USING CONNECTION local"
    )
    copy = f"COPY OVERWRITE ours FROM VOLUME v_{name} USING {file_format}"

    def ours() -> None:
        connection.sql(copy)

    def theirs() -> None:
        with _spark_defaults(spark):
            plain()

    def plain() -> None:
        reader = spark.read.schema(SCHEMA) if file_format == "CSV" else spark.read
        paths = [f"file:{path}" for path in sorted(folder.iterdir()) if path.name[0] not in "_."]
        frame = reader.format(file_format.lower()).load(paths)
        frame.write.format("delta").mode("overwrite").save(f"file:{scratch.folder}/plain-{name}")

    scratch.say(f"{name}: {files:,} files, {size / 1e9:.2f} GB, {_ROUNDS} rounds")
    found = duel(
        Contender("Headwater", ours),
        Contender("plain Spark", theirs),
        rounds=_ROUNDS,
        warm_ups=1,
        most_seconds=_MOST_SECONDS,
    )
    require_same(connection, spark, f"file:{scratch.folder}/plain-{name}")
    if scratch.profile:
        print_profile(name, ours, times=1)
    rate = LEAST_RATE_OF_SMALL_FILES if name == "small" else LEAST_RATE
    case = f"COPY of {files:,} {file_format} files, {size / 1e9:.2f} GB"
    return times_rival(case, found, most=1 / rate)


@contextmanager
def _spark_defaults(spark: Any) -> Iterator[None]:
    """The rival is Spark as it comes: without what Headwater sets for many small files."""
    ours = {name: spark.conf.get(name) for name in _SMALL_FILE_SETTINGS}
    for name, value in _SMALL_FILE_SETTINGS.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in ours.items():
            spark.conf.set(name, value)


def require_same(connection: headwater.Connection, spark: Any, plain: str) -> None:
    """Fail unless the table `ours` and the Delta table at `plain` hold the same rows."""
    sums = "count(*), sum(id), sum(amount), count(DISTINCT name)"
    ours = connection.sql(f"SELECT {sums} FROM ours").rows[0]
    theirs = tuple(spark.read.format("delta").load(plain).selectExpr(*_split(sums)).first())
    assert ours == theirs, f"{ours} is not {theirs}"


def _split(sums: str) -> list[str]:
    return sums.split(", ")
