"""Lakes with a pipe over files, and what must be true of them whatever was killed meanwhile."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import headwater
from headwater.catalog.load_history import LoadStatus
from headwater.catalog.pipes import BatchState, Pipe, PipeStatus
from headwater.lake.delta_log.stamp import BatchMark
from headwater.runtime.open_lake import OpenLake
from headwater.tables.versions import newest_batch

Row = tuple[Any, ...]
FILES = {
    "a/1.csv": "1,one\n2,two\n",
    "a/2.csv": "3,three\n",
    "b/3.csv": "4,four\n5,five\n",
    "b/4.csv": "6,six\n",
}
REPLACED = "a/1.csv"
REPLACEMENT = "7,new\n8,newer\n"
BROKEN = "b/broken.csv"
COPY = "COPY INTO t FROM VOLUME v USING CSV PURGE = TRUE"


@dataclass(slots=True)
class FileWorld:
    """A lake whose pipe `p` loads the volume `v`; `expected` rows, and files that stay."""

    lake: Path
    settings: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, list[Row]] = field(default_factory=dict)
    """The rows that each file brings into the table."""
    forgotten: bool = False
    """Whether more time has passed than the load history remembers."""
    left: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)

    @property
    def volume(self) -> Path:
        return self.lake / "volumes" / "named" / "public" / "v"

    def drop(self, path: str, text: str) -> None:
        """Put a file into the volume at once, as stores do."""
        file = self.volume / path
        file.parent.mkdir(parents=True, exist_ok=True)
        shelf = self.lake / "dropped"
        shelf.write_text(text)
        shelf.rename(file)
        self.expected[path] = rows_of(text)

    def committed(self) -> bool:
        """Whether a batch is in the Delta log."""
        logs = (self.lake / "tables" / "public").glob("t-*/_delta_log/*.json")
        return any('\\"batch\\"' in log.read_text() for log in logs)

    def connect(self) -> headwater.Connection:
        return headwater.connect(self.lake, **self.settings)


def rows_of(text: str) -> list[Row]:
    pairs = [line.split(",") for line in text.splitlines()]
    return [(int(number), name) for number, name in pairs]


def drop_another(world: FileWorld) -> None:
    world.drop("a/9.csv", "9,nine\n")


def replace_one(world: FileWorld) -> None:
    """A file gets other contents; what was loaded from it stays, and so does it."""
    was_loaded = world.committed()
    loaded = world.expected[REPLACED]
    world.drop(REPLACED, REPLACEMENT)
    if was_loaded:
        world.expected[REPLACED] = loaded
        world.left.add(REPLACED)


def delete_one(world: FileWorld) -> None:
    (world.volume / REPLACED).unlink(missing_ok=True)
    if not world.committed():
        del world.expected[REPLACED]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A pipe, and what happens to its files while its process is dead."""

    body: str = COPY
    while_dead: Callable[[FileWorld], None] = drop_another
    settings: tuple[tuple[str, Any], ...] = ()
    broken: bool = False


SCENARIOS = {
    "plain": Scenario(),
    "continue": Scenario(f"{COPY} ON_ERROR = CONTINUE", broken=True),
    "query": Scenario(
        "COPY INTO t FROM (SELECT id, lower(name) FROM VOLUME v (id INT, name STRING) USING CSV)"
        " PURGE = TRUE"
    ),
    "replaced": Scenario(while_dead=replace_one),
    "deleted": Scenario(while_dead=delete_one),
    "slow": Scenario(
        "COPY INTO t FROM (SELECT id,"
        " if(reflect('java.lang.Thread', 'sleep', 1500L) = '', '', name)"
        " FROM VOLUME v (id INT, name STRING) USING CSV) PURGE = TRUE"
    ),
    "batches": Scenario(settings=(("pipe_files_per_batch", 2),)),
}


def make_world(template: Path, lake: Path, scenario: Scenario) -> FileWorld:
    """A copy of a lake with a table and a volume, with files and the scenario's pipe."""
    shutil.copytree(template, lake)
    world = FileWorld(lake, dict(scenario.settings))
    for path, text in FILES.items():
        world.drop(path, text)
    if scenario.broken:
        world.drop(BROKEN, "10,ten\n")
        (world.volume / BROKEN).write_text("eleven,11\n")
        del world.expected[BROKEN]
        world.left.add(BROKEN)
        world.failed.add(BROKEN)
    with world.connect() as connection:
        connection.sql(
            "CREATE PIPE p VIRTUAL_CLUSTER = 'default' INGEST_MODE = 'LIST_PURGE' AS "
            + scenario.body
        )
    return world


def check_world(world: FileWorld, rows: Sequence[Row]) -> None:
    """What must be true of a lake with a pipe over files that has nothing left to do."""
    expected = sorted(row for rows in world.expected.values() for row in rows)
    assert sorted(rows) == expected
    with world.connect() as connection:
        _check(connection.session.lake, world)


def _check(lake: OpenLake, world: FileWorld) -> None:
    pipe = pipe_of(lake)
    there = [path for path in world.volume.rglob("*") if path.is_file()]
    assert {str(path.relative_to(world.volume)) for path in there} == world.left
    check_batches(lake, pipe)
    if not world.forgotten:
        assert _paths(lake, LoadStatus.LOADED) == set(world.expected)
        assert _paths(lake, LoadStatus.LOAD_FAILED) == world.failed
    assert lake.store.load_history.pending() == []
    assert lake.store.load_history.pending_purges() == []
    assert pipe.counters.rows == sum(len(rows) for rows in world.expected.values())
    assert pipe.counters.files == len(world.expected)
    assert pipe.counters.failed_files == len(world.failed)


def check_batches(lake: OpenLake, pipe: Pipe) -> BatchMark:
    """The numbers of a pipe are those of its commits, without gaps, and nothing is under way."""
    assert (pipe.status, pipe.failures) == (PipeStatus.RUNNING, 0)
    batches = lake.store.pipe_batches.of(pipe.id)
    done = sorted(batch.number for batch in batches if batch.state is BatchState.DONE)
    assert done == list(range(1, pipe.batch + 1))
    assert lake.store.pipe_batches.all_intents() == []
    target = lake.store.tables.get_by_id(pipe.target_id)
    assert target is not None
    mark = newest_batch(lake, target, pipe.id)
    assert mark is not None
    assert mark.number == pipe.batch
    assert lake.store.jobs.unfinished() == []
    return mark


def pipe_of(lake: OpenLake) -> Pipe:
    """The only pipe of a lake."""
    found = lake.store.pipes.get("headwater", "public", "p")
    assert found is not None
    return found


def _paths(lake: OpenLake, status: LoadStatus) -> set[str]:
    """The files that the load history has with a status."""
    folder = "/named/public/v/"
    jobs = [job.id for job in lake.store.jobs.list()]
    found = [entry for job in jobs for entry in lake.store.load_history.of_job(job)]
    return {entry.file.path.partition(folder)[2] for entry in found if entry.status is status}
