"""Lakes with a pipe over a folder of this machine, and a fake in the place of Spark."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.unit.pipes.fake_spark import FakeSpark, rows_of, table_of

import headwater
from headwater.catalog.load_history import LoadedFile, LoadStatus
from headwater.catalog.objects import Table
from headwater.catalog.pipes import Pipe, PipeBatch
from headwater.pipes.open_pipe import OpenPipe, open_pipe
from headwater.pipes.steps import Outcome, Stepper
from headwater.run_pipes import PipeSessions
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake

PIPE = (
    "CREATE PIPE p VIRTUAL_CLUSTER = 'default' INGEST_MODE = 'LIST_PURGE' {properties}"
    " AS COPY INTO t FROM VOLUME v (line STRING) USING CSV PURGE = TRUE {options}"
)


@dataclass(slots=True)
class Intake:
    """A lake with table t, volume v over `folder`, and pipe p from one to the other."""

    connection: headwater.Connection
    spark: FakeSpark
    folder: Path
    table: Table
    sessions: PipeSessions = field(init=False)

    def __post_init__(self) -> None:
        self.sessions = PipeSessions(self.lake)

    @property
    def lake(self) -> OpenLake:
        return self.connection.session.lake

    @property
    def pipe(self) -> Pipe:
        found = self.lake.store.pipes.get("headwater", "public", "p")
        assert found is not None
        return found

    @property
    def opened(self) -> OpenPipe:
        return open_pipe(self.lake, self.pipe)

    @property
    def intent(self) -> PipeBatch | None:
        return self.lake.store.pipe_batches.intent(self.pipe.id)

    @property
    def rows(self) -> list[str]:
        return rows_of(self.lake, self.table)

    @property
    def files(self) -> list[str]:
        """What is in the folder now."""
        found = [path for path in self.folder.rglob("*") if path.is_file()]
        return sorted(str(path.relative_to(self.folder)) for path in found)

    def drop(self, *names: str, rows: int = 1) -> None:
        """New files, or others in their place; each row says where it is from."""
        for name in names:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            version = 2 if path.exists() else 1
            path.write_text("".join(f"{name} {version} {row}\n" for row in range(rows)))

    def make_pipe(self, *, properties: str = "", options: str = "") -> Pipe:
        self.connection.sql(PIPE.format(properties=properties, options=options))
        return self.pipe

    def stepper(self) -> Stepper:
        return Stepper(self.lake, self.pipe.id, self.sessions.run)

    def step(self) -> Outcome:
        """One step by a process that has not worked on the pipe before."""
        stepper = self.stepper()
        try:
            return stepper.step()
        finally:
            stepper.close()

    def history(self, path: str) -> list[LoadedFile]:
        """What is known of a path, newest first."""
        url = f"file://{self.folder}/{path}"
        since = now() - self.lake.load_history_retention
        known = self.lake.store.load_history.known(
            self.table.id, [url], since, statuses=list(LoadStatus)
        )
        return known.get(url, [])

    def close(self) -> None:
        self.sessions.close()
        assert not self.lake.engine.started
        self.connection.close()


NewIntake = Callable[..., Intake]


@pytest.fixture
def new_intake(new_lake: Path, tmp_path: Path) -> Iterator[NewIntake]:
    """Makes one with settings of the test's own, such as pipe_files_per_batch."""
    made: list[Intake] = []

    def make(**settings: object) -> Intake:
        lake = shutil.copytree(new_lake, tmp_path / "lake")
        folder = tmp_path / "in"
        folder.mkdir()
        connection = headwater.connect(lake, user="tester", time_zone="UTC", **settings)
        spark = FakeSpark()
        spark.of(connection.session.lake)
        connection.sql(
            "CREATE STORAGE CONNECTION c TYPE FILE;"
            f"CREATE EXTERNAL VOLUME v LOCATION 'file://{folder}/' USING CONNECTION c"
            " RECURSIVE = TRUE"
        )
        made.append(Intake(connection, spark, folder, table_of(connection.session.lake)))
        return made[-1]

    yield make
    for intake in made:
        intake.close()


@pytest.fixture
def intake(new_intake: NewIntake) -> Intake:
    """One with a pipe, and no other settings than the default ones."""
    made = new_intake()
    made.make_pipe()
    return made


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("HEADWATER_PIPES_")]:
        monkeypatch.delenv(name)
