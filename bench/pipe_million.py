"""64 pipes, one of them over a prefix of 1,000,000 objects that are all loaded already.

The bucket is made up (`bench/million_objects.py` says how far), the load history has a row for each
object. Measured are rounds over all objects, the longest look of them, which is how long a pipe
that is to be stopped goes on, a look between two rounds, and the memory of the process from the
first round to the last. The share of a core is that of the loop with all pipes, over its first two
polls.
HEADWATER_BENCH_OBJECTS makes it smaller for a quick look.
"""

from __future__ import annotations

import gc
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime

import headwater
from bench.loop_thread import running_pipes
from bench.machine import memory_megabytes
from bench.million_objects import BUCKET, FULL, MOMENT, SIZE, etag_of, path_of, running_bucket
from bench.outcome import Findings, Outcome, shown
from bench.profiling import print_profile
from bench.scratch import Scratch
from headwater.catalog.load_history import SourceFile
from headwater.pipes.listing import Listing
from headwater.pipes.open_pipe import open_pipe

OBJECTS = int(os.environ.get("HEADWATER_BENCH_OBJECTS", 1_000_000))
MOST_ROUND_SECONDS = 60.0
MOST_LOOK_SECONDS = 10.0
MOST_BETWEEN_SECONDS = 0.5
MOST_GROWTH_MEGABYTES = 20.0
_PIPES = 64
_ROUNDS = 3
_PIPE = (
    "CREATE PIPE p{0} VIRTUAL_CLUSTER = 'DEFAULT' INGEST_MODE = 'LIST_PURGE' "
    "AS COPY INTO t FROM VOLUME v{0} USING CSV PURGE = TRUE"
)


@dataclass(slots=True)
class _Rounds:
    """What rounds over all objects took."""

    rounds: list[float] = field(default_factory=list)
    looks: list[float] = field(default_factory=list)
    between: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


def run(scratch: Scratch) -> Findings:
    """Make the pipes and the history, then go over all objects again and again."""
    lake = scratch.folder / "million"
    shutil.copytree(scratch.cold_lake, lake)
    with running_bucket(OBJECTS) as port, closing(headwater.connect(lake)) as connection:
        scratch.say(f"{OBJECTS:,} rows of load history, {_PIPES} pipes")
        _make_pipes(connection, port)
        _make_known(connection)
        scratch.say(f"{_ROUNDS} rounds over {OBJECTS:,} objects")
        found = _go_over(connection)
        scratch.say("the loop, over two polls")
        share = _share(connection)
        if scratch.profile:
            print_profile("look", _looker(connection), times=1)
    return _findings(found, share)


def _findings(found: _Rounds, share: float) -> Findings:
    growth = found.memory[-1] - found.memory[0]
    case = f"{OBJECTS:,} known objects"
    return Findings(
        (
            _within(f"the first round over {case}", found.rounds[0], MOST_ROUND_SECONDS),
            _within(f"the rounds after it over {case}", max(found.rounds[1:]), MOST_ROUND_SECONDS),
            _within(f"the longest look of {case}", max(found.looks), MOST_LOOK_SECONDS),
            _within(f"a look between two rounds, {case}", max(found.between), MOST_BETWEEN_SECONDS),
            Outcome(
                f"memory, rounds 1 to {_ROUNDS} over {case}",
                f"{growth:.1f} MB",
                "",
                f"{growth:.1f} MB",
                f"<= {MOST_GROWTH_MEGABYTES:.0f} MB",
                growth <= MOST_GROWTH_MEGABYTES,
            ),
        ),
        (
            f"{_PIPES} pipes, one of them over {case}: {share:.1%} of a core over two polls,"
            " of which the first has the first round",
            f"{OBJECTS / found.rounds[0]:,.0f} objects a second while each page is held against the"
            f" history, {OBJECTS / max(found.rounds[1:]):,.0f} while pages are as they were",
        ),
    )


def _within(case: str, seconds: float, limit: float) -> Outcome:
    took = shown(seconds)
    return Outcome(case, took, "", took, f"< {shown(limit)}", seconds < limit)


def _make_pipes(connection: headwater.Connection, port: int) -> None:
    connection.sql(
        "CREATE STORAGE CONNECTION c TYPE S3 ACCESS_KEY = 'k' SECRET_KEY = 's'"
        f" ENDPOINT = 'http://127.0.0.1:{port}' REGION = 'us-east-1'"
    )
    for number in range(_PIPES):
        folder = FULL if number == 0 else f"empty{number}/"
        connection.sql(
            f"CREATE EXTERNAL VOLUME v{number} LOCATION 's3://{BUCKET}/{folder}' USING CONNECTION c"
        )
        connection.sql(_PIPE.format(number))


def _make_known(connection: headwater.Connection) -> None:
    """All objects, as loaded."""
    lake = connection.session.lake
    table = lake.store.tables.get(lake.config.workspace, "public", "t")
    assert table is not None
    history = lake.store.load_history
    history.record_intent(table.id, "bench", _sources())
    assert history.confirm("bench", 0) == OBJECTS


def _sources() -> Iterator[SourceFile]:
    moment = datetime.fromisoformat(MOMENT)
    for number in range(OBJECTS):
        path = f"s3://{BUCKET}/{FULL}{path_of(number)}"
        yield SourceFile(path, SIZE, moment, etag_of(number))


def _listing(connection: headwater.Connection) -> Listing:
    lake = connection.session.lake
    pipe = lake.store.pipes.get(lake.config.workspace, "public", "p0")
    assert pipe is not None
    return Listing(lake, open_pipe(lake, pipe))


def _looker(connection: headwater.Connection) -> object:
    listing = _listing(connection)
    return lambda: listing.look(1)


def _go_over(connection: headwater.Connection) -> _Rounds:
    listing, found = _listing(connection), _Rounds()
    for _ in range(_ROUNDS):
        started, more = time.monotonic(), True
        while more:
            begun = time.monotonic()
            look = listing.look(1)
            found.looks.append(time.monotonic() - begun)
            assert look.batch is None, "a known object was taken for a new one"
            more = look.more
        found.rounds.append(time.monotonic() - started)
        begun = time.monotonic()
        listing.look(1)
        found.between.append(time.monotonic() - begun)
        # As if the rest behind a long round were over.
        listing._rounds._rests_until = 0.0
        gc.collect()
        found.memory.append(memory_megabytes())
    return found


def _share(connection: headwater.Connection) -> float:
    """Of a core, what the loop takes over two polls."""
    seconds = 2 * connection.session.lake.config.pipe_poll_seconds
    with running_pipes(connection):
        cpu, started = time.process_time(), time.monotonic()
        time.sleep(seconds)
        share = (time.process_time() - cpu) / (time.monotonic() - started)
    assert not connection.session.lake.engine.started, "an idle pipe has started Spark"
    return share
