"""A loop of pipes killed at any point: every row once, no file lost, none deleted too early."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.crash.crashing import Crasher
from tests.crash.file_worlds import SCENARIOS, check_world, make_world
from tests.crash.kafka_worlds import check_kafka_world, make_kafka_world
from tests.nightly import often
from tests.servers.kafka_broker import KafkaBroker

pytestmark = [pytest.mark.spark, pytest.mark.crash, pytest.mark.timeout(180)]

TABLES = """
    CREATE TABLE t (id INT, name STRING);
    CREATE TABLE k (id INT, part INT, off BIGINT);
    CREATE TABLE counts (k STRING, n BIGINT);
    CREATE VOLUME v RECURSIVE = TRUE
"""
ROWS = "SELECT id, name FROM t"
# Every failpoint with the plain pipe, and the others where they differ from it.
FILE_CRASHES = {
    "plain": [
        "pipe.discovered",
        "pipe.intent",
        "copy.announced",
        "commit.before",
        "commit.after_delta",
        "copy.confirmed",
        "copy.purged",
        "copy.purged*2",
        "pipe.settled",
        "pipe.told",
    ],
    "continue": ["copy.announced", "copy.announced*2", "commit.before", "commit.after_delta"],
    "query": ["commit.before", "commit.after_delta", "copy.purged"],
    "replaced": ["pipe.intent", "commit.before", "commit.after_delta", "copy.purged"],
    "deleted": ["pipe.intent", "copy.announced", "commit.after_delta"],
    "batches": ["commit.before*2", "commit.after_delta*2", "copy.purged*2", "pipe.told*2"],
}
KAFKA_CRASHES = {
    "copy": [
        "pipe.discovered",
        "pipe.intent",
        "commit.before*2",
        "commit.after_delta",
        "commit.after_delta*2",
        "pipe.settled",
        "pipe.offsets_told",
        "pipe.told*2",
    ],
    "insert": ["commit.before", "commit.after_delta"],
    "merge": ["pipe.intent", "commit.before*2", "commit.after_delta*2", "pipe.settled*2"],
    "stream": ["pipe.intent", "commit.before", "commit.after_delta", "pipe.settled"],
}
# What a batch has left behind differs from one of these points to the next; what happens to the
# pipe in the crash is told apart by one point each.
OFTEN = {
    ("plain", "pipe.intent"),
    ("plain", "copy.announced"),
    ("plain", "commit.before"),
    ("plain", "commit.after_delta"),
    ("plain", "copy.purged"),
    ("plain", "pipe.settled"),
    ("continue", "copy.announced*2"),
    ("query", "commit.before"),
    ("replaced", "commit.after_delta"),
    ("deleted", "pipe.intent"),
    ("batches", "commit.after_delta*2"),
    ("copy", "commit.after_delta"),
    ("copy", "pipe.settled"),
    ("insert", "commit.before"),
    ("merge", "commit.after_delta*2"),
    ("stream", "commit.before"),
    ("stream", "commit.after_delta"),
}
HOUR = 3600
DAY = 24 * HOUR


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, crasher: Crasher) -> Path:
    """A lake with tables and a volume, copied by each test."""
    lake = tmp_path_factory.mktemp("template") / "lake"
    crasher.prepare(lake, TABLES)
    return lake


def crashes(points_of: dict[str, list[str]]) -> list[Any]:
    cases = [(name, at) for name, points in points_of.items() for at in points]
    return often(cases, OFTEN & set(cases))


@pytest.mark.parametrize(("name", "at"), crashes(FILE_CRASHES))
def test_files_after_a_kill(
    template: Path, tmp_path: Path, crasher: Crasher, name: str, at: str
) -> None:
    scenario = SCENARIOS[name]
    world = make_world(template, tmp_path / "lake", scenario)
    crasher.crash_pipes(world.lake, at=at, **world.settings)
    scenario.while_dead(world)
    check_world(world, crasher.run_pipes(world.lake, ROWS, **world.settings))


@pytest.mark.parametrize(("body", "at"), crashes(KAFKA_CRASHES))
def test_messages_after_a_kill(
    template: Path,
    tmp_path: Path,
    crasher: Crasher,
    kafka_broker: KafkaBroker,
    body: str,
    at: str,
) -> None:
    """More messages come while the process is dead: they are no part of the cut-off batch."""
    topic = f"crash-{body}-{at.replace('*', '-')}"
    world = make_kafka_world(
        template, tmp_path / "lake", kafka_broker, topic, body, per_partition=3
    )
    world.produce(5)
    crasher.crash_pipes(world.lake, at=at)
    world.produce(2)
    check_kafka_world(world, crasher.run_pipes(world.lake, world.select))


@pytest.mark.parametrize(
    ("first", "second"),
    often(
        [
            ("copy.announced", "commit.before"),
            ("commit.before", "commit.after_delta"),
            ("commit.after_delta", "copy.confirmed"),
            ("copy.confirmed", "copy.purged*2"),
            ("copy.purged", "pipe.settled"),
        ],
        [("copy.confirmed", "copy.purged*2")],
    ),
)
def test_files_after_a_kill_in_the_recovery(
    template: Path, tmp_path: Path, crasher: Crasher, first: str, second: str
) -> None:
    world = make_world(template, tmp_path / "lake", SCENARIOS["plain"])
    crasher.crash_pipes(world.lake, at=first)
    crasher.crash_pipes(world.lake, at=second)
    check_world(world, crasher.run_pipes(world.lake, ROWS))


@pytest.mark.parametrize(
    ("first", "second"),
    often(
        [("pipe.intent", "commit.after_delta"), ("commit.after_delta", "pipe.settled")],
        [("pipe.intent", "commit.after_delta")],
    ),
)
def test_messages_after_a_kill_in_the_recovery(
    template: Path,
    tmp_path: Path,
    crasher: Crasher,
    kafka_broker: KafkaBroker,
    first: str,
    second: str,
) -> None:
    world = make_kafka_world(
        template, tmp_path / "lake", kafka_broker, f"twice-{first}", "merge", per_partition=3
    )
    world.produce(5)
    crasher.crash_pipes(world.lake, at=first)
    crasher.crash_pipes(world.lake, at=second)
    check_kafka_world(world, crasher.run_pipes(world.lake, world.select))


@pytest.mark.parametrize("shift", often([10 * DAY, -10 * DAY], [10 * DAY]))
def test_the_clock_jumps_between_crash_and_restart(
    template: Path, tmp_path: Path, crasher: Crasher, shift: int
) -> None:
    world = make_world(template, tmp_path / "lake", SCENARIOS["batches"])
    crasher.crash_pipes(world.lake, at="copy.purged*2", **world.settings)
    world.forgotten = shift > 0
    rows = crasher.run_pipes(world.lake, ROWS, clock=(shift,), **world.settings)
    check_world(world, rows)


def test_a_clock_that_jumps_all_the_time(template: Path, tmp_path: Path, crasher: Crasher) -> None:
    world = make_world(template, tmp_path / "lake", SCENARIOS["batches"])
    clock = (0, 2 * HOUR, -2 * HOUR, DAY, -DAY)
    check_world(world, crasher.run_pipes(world.lake, ROWS, clock=clock, **world.settings))
