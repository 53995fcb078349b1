"""A lake whose Spark never starts, tables whose log is written by hand, and a clock to move."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import headwater
from headwater.catalog.objects import Operation, Table
from headwater.lake.delta_log.files import LOG_FOLDER, commit_name
from headwater.lake.delta_log.stamp import Stamp
from headwater.names import QualifiedName
from headwater.runtime.open_lake import OpenLake
from headwater.tables.commits import Author
from headwater.tables.create import attach, new_table
from headwater.tables.versions import catch_up

START = datetime(2026, 11, 1, 12, tzinfo=UTC)
_MODULES = ("upkeep.lookout", "upkeep.loop", "upkeep.cleaning", "streams.table_horizon")


@dataclass(slots=True)
class Clock:
    """The time of the test."""

    at: datetime = START

    def __call__(self) -> datetime:
        return self.at

    def forward(self, **passed: float) -> None:
        """Let time pass."""
        self.at += timedelta(**passed)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that upkeep looks at."""
    made = Clock()
    for module in _MODULES:
        monkeypatch.setattr(f"headwater.{module}.now", made)
    return made


@pytest.fixture
def lake(new_lake: Path, tmp_path: Path) -> Iterator[headwater.Connection]:
    """An empty lake, where three small files are many."""
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    with headwater.connect(folder, user="tester", upkeep_small_files=3) as connection:
        yield connection
        assert not connection.session.lake.engine.started


@dataclass(slots=True)
class HandMade:
    """A table of the lake; each commit adds files and may remove others."""

    lake: OpenLake
    clock: Clock
    table: Table
    files: dict[str, int] = field(default_factory=dict)
    """The live files with their sizes, oldest first."""

    def commit(
        self,
        *places: str | None,
        operation: Operation = Operation.INSERT_INTO,
        size: int = 1000,
        removes: int = 0,
        job: str | None = None,
    ) -> Table:
        """Add a file to each place; a compaction changes no row."""
        changes = operation is not Operation.COMPACTION
        gone = list(self.files)[:removes]
        at = int(self.clock.at.timestamp() * 1000)
        note = Stamp(job or uuid.uuid4().hex, operation.value, "tester", 1).to_json()
        info = {"timestamp": at, "operation": "WRITE", "userMetadata": note}
        actions: list[object] = [{"commitInfo": info}]
        for path in gone:
            removed = {"path": path, "dataChange": changes, "deletionTimestamp": at}
            actions.append({"remove": removed})
            del self.files[path]
        for place in places:
            path = f"part-{uuid.uuid4().hex}.parquet"
            self.files[path] = size
            values = {"p": place} if self.table.shape.partition_columns else {}
            added = {"path": path, "partitionValues": values, "size": size}
            stats = {"dataChange": changes, "modificationTime": at, "stats": '{"numRecords": 1}'}
            actions.append({"add": added | stats})
        number = self.table.shape.delta_version + 1
        write_commit(Path(self.lake.location(self.table)), number, actions)
        self.table = catch_up(self.lake, self.table)
        return self.table


def write_commit(folder: Path, number: int, actions: list[object]) -> None:
    """Write a commit of a log."""
    text = "".join(json.dumps(action) + "\n" for action in actions)
    (folder / LOG_FOLDER / commit_name(number)).write_text(text)


def hand_made(
    lake: headwater.Connection, clock: Clock, name: str = "t", **about: object
) -> HandMade:
    """A new table; `partitions` is the type of its partition column p, others are properties."""
    own = lake.session.lake
    partition = about.pop("partitions", None)
    made = new_table(own, QualifiedName("headwater", "public", name), author=Author("j", "tester"))
    folder = Path(own.location(made))
    (folder / LOG_FOLDER).mkdir(parents=True)
    columns = {"line": "string"} | ({} if partition is None else {"p": str(partition)})
    fields = [
        {"name": column, "type": kind, "nullable": True, "metadata": {}}
        for column, kind in columns.items()
    ]
    metadata = {
        "id": uuid.uuid4().hex,
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": [] if partition is None else ["p"],
        "configuration": {key: str(value) for key, value in about.items()},
    }
    info = {"timestamp": int(clock.at.timestamp() * 1000), "operation": "CREATE TABLE"}
    protocol = {"minReaderVersion": 1, "minWriterVersion": 2}
    write_commit(folder, 0, [{"commitInfo": info}, {"protocol": protocol}, {"metaData": metadata}])
    return HandMade(own, clock, attach(own, made))
