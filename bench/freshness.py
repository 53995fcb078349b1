"""One file a second into a pipe, and a chain of three dynamic tables, refreshed each minute.

Everything that `headwater run` does runs on a thread of this process: the pipe, the schedule and
the upkeep. Each file holds the moment at which it was dropped, and each layer keeps the newest one.
The lag of a layer is largest right before a refresh of it is committed: the time of that commit
less the newest moment that the table held until then. The first refreshes are done before the clock
starts. HEADWATER_BENCH_MINUTES is how long it goes on.
"""

from __future__ import annotations

import os
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import headwater
from bench.loop_thread import running_lake
from bench.outcome import Findings, Outcome, shown
from bench.plain_spark import verify
from bench.scratch import Scratch
from headwater.catalog.objects import Table

MINUTES = float(os.environ.get("HEADWATER_BENCH_MINUTES", "3"))
_ROWS = 10
_REFRESH = "REFRESH INTERVAL 1 MINUTE VCLUSTER DEFAULT"
_LAYERS = {
    "bronze": "SELECT id, kind, dropped FROM events WHERE id >= 0",
    "silver": "SELECT kind, id % 100 AS bucket, COUNT(*) AS events, MAX(dropped) AS dropped"
    " FROM bronze GROUP BY kind, id % 100",
    "gold": "SELECT kind, SUM(events) AS events, MAX(dropped) AS dropped FROM silver GROUP BY kind",
}
_PIPE = (
    "CREATE PIPE p VIRTUAL_CLUSTER = 'DEFAULT' INGEST_MODE = 'LIST_PURGE' "
    "AS COPY INTO events FROM VOLUME v USING CSV PURGE = TRUE"
)


@dataclass(slots=True)
class Lags:
    """The lags of one table, in seconds, each right before one of its commits."""

    newest: float
    """The newest moment that the table holds."""
    version: int
    found: list[float] = field(default_factory=list)


def run(scratch: Scratch) -> Findings:
    """Drop files, and watch the commits of all tables."""
    folder = scratch.folder / "freshness-in"
    folder.mkdir()
    with closing(headwater.connect(scratch.folder / "freshness", pipe_poll_seconds=1)) as lake:
        _create(lake, folder)
        _drop(folder, 0)
        lake.run_until_idle()
        for name in _LAYERS:
            lake.sql(f"REFRESH DYNAMIC TABLE {name}")
        scratch.say(f"dropping a file each second for {MINUTES:g} minutes")
        with running_lake(lake):
            lags, dropped = _watch(lake, folder)
        lake.run_until_idle()
        loaded = lake.sql("SELECT count(*) FROM events").rows[0][0]
        assert loaded == _ROWS * (dropped + 1), f"{loaded} rows of {dropped + 1} files"
        for name in _LAYERS:
            lake.sql(f"REFRESH DYNAMIC TABLE {name}")
        verify(lake, *_LAYERS)
    return Findings(tuple(_outcome(name, found, dropped) for name, found in lags.items()))


def _create(lake: headwater.Connection, folder: Path) -> None:
    lake.sql("CREATE TABLE events (id BIGINT, kind STRING, dropped DOUBLE)")
    lake.sql("CREATE STORAGE CONNECTION local TYPE FILE")
    lake.sql(f"CREATE EXTERNAL VOLUME v LOCATION 'file://{folder}/' USING CONNECTION local")
    lake.sql(_PIPE)
    for name, query in _LAYERS.items():
        lake.sql(f"CREATE DYNAMIC TABLE {name} {_REFRESH} AS {query}")


def _drop(folder: Path, number: int) -> None:
    at = time.time()
    lines = (f"{_ROWS * number + row},kind {row % 5},{at!r}\n" for row in range(_ROWS))
    path = folder.with_name("freshness-file")
    path.write_text("".join(lines))
    path.rename(folder / f"f{number}.csv")


def _watch(lake: headwater.Connection, folder: Path) -> tuple[dict[str, Lags], int]:
    """Drop a file each second, and look at the tables in between."""
    begun, number = time.monotonic(), 0
    lags = {name: Lags(*_newest(lake, name)) for name in ("events", *_LAYERS)}
    while time.monotonic() - begun < MINUTES * 60:
        number += 1
        _drop(folder, number)
        for name, known in lags.items():
            _look(lake, name, known)
        time.sleep(max(0.0, begun + number - time.monotonic()))
    for known in lags.values():
        # What the table would have shown at the end, had somebody asked.
        known.found.append(time.time() - known.newest)
    return lags, number


def _look(lake: headwater.Connection, name: str, known: Lags) -> None:
    last = lake.session.lake.store.versions.last(_table(lake, name).id)
    assert last is not None
    if last.delta_version == known.version:
        return
    known.found.append(last.committed_at.timestamp() - known.newest)
    known.newest, known.version = _newest(lake, name)


def _newest(lake: headwater.Connection, name: str) -> tuple[float, int]:
    """The newest moment in a table, and the version it had before it was asked for."""
    last = lake.session.lake.store.versions.last(_table(lake, name).id)
    assert last is not None
    newest = lake.sql(f"SELECT max(dropped) FROM {name}").rows[0][0]
    return float(newest), last.delta_version


def _table(lake: headwater.Connection, name: str) -> Table:
    found = lake.session.lake.store.tables.get(lake.session.lake.config.workspace, "public", name)
    assert found is not None
    return found


def _outcome(name: str, lags: Lags, files: int) -> Outcome:
    worst, typical = max(lags.found), sorted(lags.found)[len(lags.found) // 2]
    commits = len(lags.found) - 1
    return Outcome(
        f"{name}: lag under one file a second, {files} files, {commits} commits",
        shown(worst),
        "",
        f"maximum {shown(worst)}, median before a commit {shown(typical)}",
        "printed",
        True,
    )
