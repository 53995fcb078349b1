"""A process that seemed dead wakes up, or its Spark goes on: its rows are in the table once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import headwater
from headwater.runtime.clock import now
from tests.crash.crashing import Crasher
from tests.crash.file_worlds import (
    REPLACED,
    REPLACEMENT,
    SCENARIOS,
    check_world,
    make_world,
    replace_one,
)
from tests.crash.kafka_worlds import check_kafka_world, make_kafka_world
from tests.nightly import often
from tests.processes import wait_for
from tests.servers.kafka_broker import KafkaBroker

pytestmark = [pytest.mark.spark, pytest.mark.crash, pytest.mark.timeout(240)]

SHORT_LEASE = {"lease_seconds": 3}
ROWS = "SELECT id, name FROM t"
TABLES = """
    CREATE TABLE t (id INT, name STRING);
    CREATE TABLE k (id INT, part INT, off BIGINT);
    CREATE TABLE counts (k STRING, n BIGINT);
    CREATE VOLUME v RECURSIVE = TRUE
"""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, crasher: Crasher) -> Path:
    """A lake with tables and a volume, copied by each test."""
    lake = tmp_path_factory.mktemp("template") / "lake"
    crasher.prepare(lake, TABLES)
    return lake


def wait_for_the_lake(lake: Path) -> None:
    """Until the lease of a process that stands still is over."""
    with headwater.connect(lake, **SHORT_LEASE) as connection:
        leases = connection.session.lake.store.lease
        held = leases.get()
        assert held is not None
        while not held.expired(now()):
            time.sleep(0.1)
        assert leases.get() == held


@pytest.mark.parametrize(
    "at",
    often(["pipe.discovered", "pipe.intent", "commit.before", "commit.fence"], ["commit.fence"]),
)
def test_a_frozen_process_wakes_up_after_its_batch_was_done(
    template: Path, tmp_path: Path, crasher: Crasher, at: str
) -> None:
    world = make_world(template, tmp_path / "lake", SCENARIOS["plain"])
    frozen = crasher.freeze_pipes(world.lake, at=at, **SHORT_LEASE)
    wait_for_the_lake(world.lake)
    crasher.run_pipes(world.lake, ROWS, **SHORT_LEASE)
    crasher.resume(frozen)
    check_world(world, crasher.run_pipes(world.lake, ROWS, **SHORT_LEASE))


def test_a_frozen_process_wakes_up_while_another_does_its_batch(
    template: Path, tmp_path: Path, crasher: Crasher
) -> None:
    world = make_world(template, tmp_path / "lake", SCENARIOS["plain"])
    first = crasher.freeze_pipes(world.lake, at="commit.before", **SHORT_LEASE)
    wait_for_the_lake(world.lake)
    second = crasher.freeze_pipes(world.lake, at="commit.before", **SHORT_LEASE)
    crasher.resume(first)
    crasher.resume(second)
    check_world(world, crasher.run_pipes(world.lake, ROWS, **SHORT_LEASE))


def test_messages_of_a_frozen_process_count_once(
    template: Path, tmp_path: Path, crasher: Crasher, kafka_broker: KafkaBroker
) -> None:
    world = make_kafka_world(
        template, tmp_path / "lake", kafka_broker, "frozen", "merge", per_partition=3
    )
    world.produce(5)
    first = crasher.freeze_pipes(world.lake, at="commit.before", **SHORT_LEASE)
    wait_for_the_lake(world.lake)
    second = crasher.freeze_pipes(world.lake, at="commit.before", **SHORT_LEASE)
    crasher.resume(first)
    world.produce(2)
    crasher.resume(second)
    check_kafka_world(world, crasher.run_pipes(world.lake, world.select, **SHORT_LEASE))


def test_what_spark_goes_on_to_do_for_a_killed_process_is_not_committed(
    template: Path, tmp_path: Path, crasher: Crasher
) -> None:
    """Spark writes the files of the batch to the end, then nobody is there to say that it may."""
    world = make_world(template, tmp_path / "lake", SCENARIOS["slow"])
    crasher.crash_pipes(world.lake, at="while reading")
    wait_for(lambda: written(world.lake), "Spark to write the rows")
    # It commits in less than a second, where it may.
    time.sleep(5)
    assert not world.committed()
    check_world(world, crasher.run_pipes(world.lake, ROWS))


def written(lake: Path) -> bool:
    return any((lake / "tables" / "public").glob("t-*/*.parquet"))


@pytest.mark.parametrize("second_at", often(["pipe.intent", "commit.before"], ["commit.before"]))
def test_a_file_replaced_while_its_late_commit_overtakes_the_next_try(
    template: Path, tmp_path: Path, crasher: Crasher, second_at: str
) -> None:
    """The next try is without the file; the commit of the first one, which has it, is the one."""
    world = make_world(template, tmp_path / "lake", SCENARIOS["plain"])
    first = crasher.freeze_pipes(world.lake, at="commit.allowed", **SHORT_LEASE)
    wait_for_the_lake(world.lake)
    loaded = world.expected[REPLACED]
    world.drop(REPLACED, REPLACEMENT)
    second = crasher.freeze_pipes(world.lake, at=second_at, **SHORT_LEASE)
    crasher.resume(first)
    assert world.committed(), "Delta refused what was to come late"
    world.expected[REPLACED] = loaded
    world.left.add(REPLACED)
    crasher.resume(second)
    check_world(world, crasher.run_pipes(world.lake, ROWS, **SHORT_LEASE))


def test_a_file_replaced_before_the_late_commit_of_what_it_was(
    template: Path, tmp_path: Path, crasher: Crasher
) -> None:
    """The rows it had are in the table, so the pipe leaves the new file alone, as always."""
    world = make_world(template, tmp_path / "lake", SCENARIOS["plain"])
    first = crasher.freeze_pipes(world.lake, at="copy.announced", **SHORT_LEASE)
    wait_for_the_lake(world.lake)
    second = crasher.freeze_pipes(world.lake, at="pipe.discovered", **SHORT_LEASE)
    crasher.resume(first)
    replace_one(world)
    crasher.resume(second)
    check_world(world, crasher.run_pipes(world.lake, ROWS, **SHORT_LEASE))
