"""What pipes cost while nothing arrives: the CPU time of the process that runs the loop.

Fifty pipes over empty folders with the default poll; Spark is not started, as idle pipes do not
need it. Then 64 pipes of which one has a folder of 100,000 local files that are all loaded already;
`pipe_million` has ten times as many in a bucket. Memory is compared with that after the first looks
at all files, as long before as the measurement takes.
HEADWATER_BENCH_SECONDS and HEADWATER_BENCH_KNOWN_FILES make it shorter for a quick look.
"""

from __future__ import annotations

import gc
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import headwater
from bench.loop_thread import running_pipes
from bench.machine import memory_megabytes
from bench.outcome import Findings, Outcome
from bench.scratch import Scratch
from headwater.catalog.load_history import SourceFile
from headwater.pipes.loop import Told
from headwater.storage.addresses import parse_location
from headwater.storage.open_store import open_store

MOST_SHARE = 0.05
MOST_GROWTH_MEGABYTES = 20.0
SECONDS = float(os.environ.get("HEADWATER_BENCH_SECONDS", 60))
KNOWN_FILES = int(os.environ.get("HEADWATER_BENCH_KNOWN_FILES", 100_000))
_IDLE_PIPES = 50
_MANY_PIPES = 64
_PATIENCE = 300.0
_PIPE = (
    "CREATE PIPE p{0} VIRTUAL_CLUSTER = 'DEFAULT' INGEST_MODE = 'LIST_PURGE' "
    "AS COPY INTO t FROM VOLUME v{0} USING CSV PURGE = TRUE"
)


@dataclass(frozen=True, slots=True)
class _Cost:
    """CPU seconds per second, and by how many megabytes the process grew."""

    share: float
    growth: float


@dataclass(slots=True)
class _AllLooked:
    """Set when every pipe has been looked at and none is at work."""

    pipes: int
    event: threading.Event = field(default_factory=threading.Event)
    _begun: bool = False

    def __call__(self, told: Told) -> None:
        self._begun = self._begun or told.busy > 0
        if self._begun and told.busy == 0 and told.pipes == self.pipes:
            self.event.set()


def run(scratch: Scratch) -> Findings:
    """Measure both lakes."""
    scratch.say(f"{_IDLE_PIPES} idle pipes, {SECONDS:.0f} s")
    idle = _measure(scratch, "idle", _IDLE_PIPES, known_files=0)
    scratch.say(f"{_MANY_PIPES} pipes, one over {KNOWN_FILES:,} known files, {SECONDS:.0f} s")
    many = _measure(scratch, "many", _MANY_PIPES, known_files=KNOWN_FILES)
    share = f"{idle.share:.1%} of a core"
    growth = f"{many.growth:.1f} MB"
    return Findings(
        (
            Outcome(
                f"{_IDLE_PIPES} idle pipes",
                share,
                "",
                share,
                f"< {MOST_SHARE:.0%} of a core",
                idle.share < MOST_SHARE,
            ),
            Outcome(
                f"memory of {_MANY_PIPES} pipes, {KNOWN_FILES:,} known files",
                growth,
                "",
                growth,
                f"<= {MOST_GROWTH_MEGABYTES:.0f} MB",
                many.growth <= MOST_GROWTH_MEGABYTES,
            ),
        ),
        (
            f"{_MANY_PIPES} pipes, one of them over {KNOWN_FILES:,} files that are loaded"
            f" already: {many.share:.1%} of a core",
        ),
    )


def _measure(scratch: Scratch, name: str, pipes: int, *, known_files: int) -> _Cost:
    lake = scratch.folder / f"pipes-{name}"
    shutil.copytree(scratch.cold_lake, lake)
    folder = scratch.folder / f"pipes-{name}-in"
    with closing(headwater.connect(lake)) as connection:
        connection.sql("CREATE STORAGE CONNECTION local TYPE FILE")
        for number in range(pipes):
            _make_pipe(connection, folder / str(number), number)
        if known_files:
            _make_known(connection, folder / "0", known_files)
        looked = _AllLooked(pipes)
        with running_pipes(connection, looked):
            assert looked.event.wait(_PATIENCE), "the first looks do not end"
            if known_files:
                # Each connection to the catalog fills its own cache once, and each thread its heap.
                time.sleep(SECONDS)
            gc.collect()
            memory, cpu, started = memory_megabytes(), time.process_time(), time.monotonic()
            time.sleep(SECONDS)
            share = (time.process_time() - cpu) / (time.monotonic() - started)
            gc.collect()
            growth = memory_megabytes() - memory
        assert not connection.session.lake.engine.started, "an idle pipe has started Spark"
    return _Cost(share, growth)


def _make_pipe(connection: headwater.Connection, folder: Path, number: int) -> None:
    folder.mkdir(parents=True)
    connection.sql(
        f"CREATE EXTERNAL VOLUME v{number} LOCATION 'file://{folder}/' USING CONNECTION local"
    )
    connection.sql(_PIPE.format(number))


def _make_known(connection: headwater.Connection, folder: Path, files: int) -> None:
    """Files that the load history has as loaded."""
    for number in range(files):
        (folder / f"f{number:07}.csv").touch()
    lake = connection.session.lake
    table = lake.store.tables.get(lake.config.workspace, "public", "t")
    assert table is not None
    history = lake.store.load_history
    history.record_intent(table.id, "bench", _sources(folder))
    assert history.confirm("bench", 0) == files


def _sources(folder: Path) -> Iterator[SourceFile]:
    url = f"file://{folder}/"
    with closing(open_store(parse_location(url), None)) as store:
        for page in store.list():
            for file in page:
                yield SourceFile(url + file.path, file.size, file.modified_at, file.etag)
