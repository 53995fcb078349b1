"""A loop of pipes killed at any point: every row once, no file lost, none deleted too early."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.crashing import Crasher
from tests.crash.file_worlds import SCENARIOS, check_world, make_world

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


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, crasher: Crasher) -> Path:
    """A lake with tables and a volume, copied by each test."""
    lake = tmp_path_factory.mktemp("template") / "lake"
    crasher.prepare(lake, TABLES)
    return lake


@pytest.mark.parametrize(
    ("name", "at"), [(name, at) for name, points in FILE_CRASHES.items() for at in points]
)
def test_files_after_a_kill(
    template: Path, tmp_path: Path, crasher: Crasher, name: str, at: str
) -> None:
    scenario = SCENARIOS[name]
    world = make_world(template, tmp_path / "lake", scenario)
    crasher.crash_pipes(world.lake, at=at, **world.settings)
    scenario.while_dead(world)
    check_world(world, crasher.run_pipes(world.lake, ROWS, **world.settings))
