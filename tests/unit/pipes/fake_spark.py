"""A fake of Spark, for fault injection only: pipes run whole, down to where Spark commits.

It reads the lines of files and writes a Delta commit by hand, with the stamp it was given. Like
Delta, it does nothing when the log has that transaction, or a later one of the same application. A
test decides what becomes of a commit: it can fail, fail afterwards, or come when its process is
dead.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from headwater.catalog.objects import Table, TableColumn
from headwater.errors import UserError
from headwater.lake.delta_log.files import LOG_FOLDER, commit_name
from headwater.lake.file_scan import FileScan
from headwater.names import QualifiedName
from headwater.runtime.open_lake import OpenLake
from headwater.sql.edits import EditedText
from headwater.tables.commits import Author
from headwater.tables.create import attach, new_table

BROKEN = "broken"
"""A line that cannot be read."""
_LOCATION = re.compile(r"CREATE TABLE (\S+) USING delta LOCATION '(.+)'")
_SELECT = re.compile(r"SELECT .* FROM `(\w+)`")
_INSERT = re.compile(r"INSERT INTO (\S+) .* FROM `(\w+)`")


@dataclass(frozen=True, slots=True)
class Insert:
    """A commit that is ready to be written."""

    table: Path
    rows: tuple[str, ...]
    note: str
    transaction: tuple[str, int] | None

    def commit(self) -> bool:
        """Write it, unless the table has its transaction; says whether it did."""
        log = self.table / LOG_FOLDER
        if self.transaction is not None and self._taken(log):
            return False
        name = f"part-{uuid.uuid4().hex}.csv"
        (self.table / name).write_text("".join(f"{row}\n" for row in self.rows))
        actions = [
            {
                "commitInfo": {
                    "timestamp": time.time_ns() // 1_000_000,
                    "operation": "WRITE",
                    "operationParameters": {"mode": "Append"},
                    "operationMetrics": {"numOutputRows": str(len(self.rows))},
                    "userMetadata": self.note,
                }
            },
            {
                "add": {
                    "path": name,
                    "partitionValues": {},
                    "size": 1,
                    "dataChange": True,
                    "stats": json.dumps({"numRecords": len(self.rows)}),
                }
            },
        ]
        if self.transaction is not None:
            application, number = self.transaction
            actions.append({"txn": {"appId": application, "version": number}})
        number = len(list(log.glob("*.json")))
        with (log / commit_name(number)).open("x") as file:
            file.write("".join(json.dumps(action) + "\n" for action in actions))
        return True

    def _taken(self, log: Path) -> bool:
        assert self.transaction is not None
        application, number = self.transaction
        return any(
            txn["appId"] == application and txn["version"] >= number for txn in _actions(log, "txn")
        )


@dataclass(slots=True)
class FakeSpark:
    """What the sessions of one lake share; each of them gets a `FakeConnection`."""

    commit: Callable[[Insert], object] = Insert.commit
    locations: dict[str, Path] = field(default_factory=dict)
    inserts: int = 0
    """How often all files were read to be inserted."""

    def of(self, lake: OpenLake) -> OpenLake:
        """The lake, with this in the place of Spark."""
        lake.new_spark = lambda: FakeConnection(self)  # type: ignore[method-assign, return-value]
        lake.engine.reach = lambda *about: None  # type: ignore[method-assign]
        return lake


@dataclass(slots=True)
class FakeConnection:
    """The part of `SparkConnection` that COPY uses."""

    shared: FakeSpark
    _views: dict[str, FileScan] = field(default_factory=dict)
    _note: str = ""
    _question: Callable[[], None] = lambda: None
    _transaction: tuple[str, int] | None = None

    def execute(self, sql: str) -> None:
        if found := _LOCATION.fullmatch(sql):
            self.shared.locations[found[1]] = Path(found[2])

    def use_database(self, name: str) -> None:
        pass

    def create_file_view(self, name: str, scan: FileScan) -> None:
        self._views[name] = scan

    def drop_view(self, name: str) -> None:
        self._views.pop(name, None)

    def columns_of(self, query: EditedText) -> tuple[TableColumn, ...]:
        scan = self._views[query.text.rpartition("`")[0].rpartition("`")[2]]
        return tuple(TableColumn(name=name, type=kind) for name, kind in scan.columns)

    def definitions_of(self, query: EditedText) -> tuple[tuple[TableColumn, str], ...]:
        return tuple((column, column.type) for column in self.columns_of(query))

    def read_all(self, query: EditedText) -> None:
        found = _SELECT.fullmatch(query.text)
        assert found is not None, query.text
        for path in self._views[found[1]].paths:
            _lines(path)

    @contextmanager
    def commit_note(
        self,
        note: str,
        question: Callable[[], None],
        *,
        transaction: tuple[str, int] | None = None,
    ) -> Iterator[None]:
        self._note, self._question, self._transaction = note, question, transaction
        try:
            yield
        finally:
            self._note, self._transaction = "", None

    def command(self, text: EditedText) -> None:
        found = _INSERT.fullmatch(text.text)
        assert found is not None, text.text
        self.shared.inserts += 1
        rows = tuple(row for path in self._views[found[2]].paths for row in _lines(path))
        table = self.shared.locations[found[1]]
        self._question()
        self.shared.commit(Insert(table, rows, self._note, self._transaction))


def _lines(path: str) -> list[str]:
    try:
        rows = Path("/" + path.removeprefix("file:").lstrip("/")).read_text().splitlines()
    except FileNotFoundError:
        raise UserError("FAILED_READ_FILE", text=f"no file at {path}: it is gone") from None
    if BROKEN in rows:
        raise UserError("FAILED_READ_FILE", text=f"cannot read {path}: {BROKEN}")
    return rows


def _actions(log: Path, kind: str) -> Iterator[dict[str, object]]:
    for path in sorted(log.glob("*.json")):
        for line in path.read_text().splitlines():
            action = json.loads(line)
            if kind in action:
                yield action[kind]


def table_of(
    lake: OpenLake,
    name: str = "t",
    *,
    column: str = "line",
    properties: Mapping[str, str] = MappingProxyType({}),
) -> Table:
    """A new table with one column of text."""
    author = Author("the-test", "tester")
    table = new_table(lake, QualifiedName("headwater", "public", name), author=author)
    log = Path(lake.location(table)) / LOG_FOLDER
    log.mkdir(parents=True)
    field = {"name": column, "type": "string", "nullable": True, "metadata": {}}
    actions = [
        {"commitInfo": {"timestamp": time.time_ns() // 1_000_000, "operation": "CREATE TABLE"}},
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {
            "metaData": {
                "id": uuid.uuid4().hex,
                "schemaString": json.dumps({"type": "struct", "fields": [field]}),
                "partitionColumns": [],
                "configuration": dict(properties),
            }
        },
    ]
    (log / commit_name(0)).write_text("".join(json.dumps(action) + "\n" for action in actions))
    return attach(lake, table)


def rows_of(lake: OpenLake, table: Table) -> list[str]:
    """All rows of a table, sorted."""
    folder = Path(lake.location(table))
    added = [str(add["path"]) for add in _actions(folder / LOG_FOLDER, "add")]
    return sorted(row for name in added for row in (folder / name).read_text().splitlines())
