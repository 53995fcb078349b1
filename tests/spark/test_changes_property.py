"""Random histories: what is read as changed is what full snapshots say has changed.

Each history works on a small table with duplicates and NULLs, of which every version is read whole.
Changes of random ranges, and of the pieces they are split into, are computed anew from these
snapshots by other means. Repeat one with HEADWATER_CHANGES_SEED=<seed>; `make fuzz SEEDS=100` runs
as many new ones.

With row ids, a row is the same as before if its id is: a row that RESTORE brings back is inserted
if it was not there, and updated if it was there with other values.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.nightly import often
from tests.seeds import seeds

from headwater.catalog.objects import TableColumn
from headwater.errors import SchemaError, UserError
from headwater.lake.changes.ranges import ChangeRange, Reader, Wanted
from headwater.lake.changes.read import ChangedTable, Changes, read_changes
from headwater.lake.spark_session import SparkConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

STEPS = 8
KINDS = ("insert", "insert", "update", "update", "delete", "delete", "merge", "overwrite")
KINDS += ("restore", "optimize", "truncate", "add")
# It draws a statement of each kind, each of which finds something to do.
SEED = 2795419
SIGNS = {"INSERT": 1, "UPDATE_AFTER": 1, "DELETE": -1, "UPDATE_BEFORE": -1}
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Shape:
    """A kind of table: its columns, each with values to choose from, and how it is made."""

    columns: str
    values: str
    clauses: str = ""
    properties: tuple[str, ...] = ()


SHAPES = {
    "plain": Shape("id INT, v STRING", "{id}, {text}"),
    "partitioned": Shape(
        "id INT, v STRING, p STRING", "{id}, {text}, {text}", "PARTITIONED BY (p)"
    ),
    "mapped": Shape(
        "id INT, v STRING, `a b` DATE",
        "{id}, {text}, DATE '2026-11-{day}'",
        properties=("'delta.columnMapping.mode' = 'name'",),
    ),
    "nested": Shape(
        "id INT, v STRING, m MAP<STRING, INT>, j VARIANT, s STRUCT<x: INT, l: ARRAY<VARIANT>>",
        "{id}, {text}, map('k', {id}, 'l', 1), parse_json('{{\"a\": [{day}]}}'),"
        " named_struct('x', {id}, 'l', array(parse_json('{day}')))",
        properties=("'delta.enableDeletionVectors' = 'false'",),
    ),
}


@dataclass
class Version:
    """The whole table at one version, with ids and the versions that wrote the rows."""

    columns: tuple[str, ...]
    rows: list[Row] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    written: list[int] = field(default_factory=list)

    def add(self, text: str, row_id: int, written: int) -> None:
        """A row, as a JSON document."""
        self.rows.append(row_of(text, self.columns))
        self.ids.append(row_id)
        self.written.append(written)

    def seen_as(self, columns: tuple[str, ...]) -> list[Row]:
        """The rows with the columns of another version."""
        places = [self.columns.index(c) if c in self.columns else None for c in columns]
        return [tuple(None if i is None else row[i] for i in places) for row in self.rows]

    def by_id(self, columns: tuple[str, ...]) -> dict[int, tuple[Row, int]]:
        """Rows with the version that wrote them."""
        seen = self.seen_as(columns)
        return dict(zip(self.ids, zip(seen, self.written, strict=True), strict=True))


def row_of(text: str, columns: tuple[str, ...]) -> Row:
    """The values of a JSON document, which leaves out what is NULL."""
    values = json.loads(text)
    return tuple(
        json.dumps(values[column], sort_keys=True) if column in values else None
        for column in columns
    )


def drawn(source: random.Random) -> list[str]:
    """The kinds of statements of a history, in order, after rows have come."""
    return [source.choice(KINDS) for _ in range(STEPS)]


class History:
    """A table, the statements that changed it, and what it was after each of them."""

    def __init__(self, spark: Any, folder: Path, shape: Shape, *, tracked: bool, seed: int) -> None:
        self.spark = spark
        self.connection = SparkConnection(spark)
        self.folder = folder
        self.table = f"delta.`{folder}`"
        self.shape = shape
        self.tracked = tracked
        self.random = random.Random(seed)
        self.said: list[str] = []
        self.columns: list[tuple[str, ...]] = []
        self.versions: list[Version] = []
        self.names = count()
        properties = (*shape.properties, f"'delta.enableRowTracking' = '{str(tracked).lower()}'")
        self.run(
            f"CREATE TABLE {self.table} ({shape.columns}) USING delta {shape.clauses}"
            f" TBLPROPERTIES ({', '.join(properties)})"
        )

    def run(self, statement: str) -> None:
        self.said.append(statement)
        self.spark.sql(statement)
        newest = max(int(p.stem) for p in (self.folder / "_delta_log").glob("*.json"))
        while len(self.columns) <= newest:
            frame = self.spark.sql(f"SELECT * FROM {self.table} VERSION AS OF {len(self.columns)}")
            self.columns.append(tuple(frame.columns))

    def look_back(self) -> None:
        """Reads every version whole, all of them in one query."""
        hidden = "_metadata.row_id, _metadata.row_commit_version" if self.tracked else "0, 0"
        found = self.spark.sql(
            " UNION ALL ".join(
                f"SELECT {version}, {hidden}, to_json(struct(*))"
                f" FROM {self.table} VERSION AS OF {version}"
                for version in range(len(self.columns))
            )
        ).collect()
        self.versions = [Version(columns) for columns in self.columns]
        for version, row_id, written, text in found:
            self.versions[version].add(text, row_id, written)

    def live(self) -> None:
        """All that happens to the table."""
        kinds = drawn(self.random)
        self._insert()
        for kind in kinds:
            getattr(self, f"_{kind}")()
        self.look_back()

    def values(self, rows: int) -> str:
        columns = self.columns[-1]
        made = []
        for _ in range(rows):
            base = self.shape.values.format(
                id=self.random.choice(["1", "2", "3", "4", "5", "NULL"]),
                text=self.random.choice(["'a'", "'b'", "NULL"]),
                day=self.random.randint(10, 12),
            )
            added = [self.random.choice(["0", "1"]) for c in columns if c.startswith("n")]
            made.append(f"({', '.join([base, *added])})")
        return ", ".join(made)

    def some(self) -> str:
        return self.random.choice(
            ["id = 1", "id IN (2, 3)", "v = 'a'", "id IS NULL", "v IS NULL AND id > 2", "id > 3"]
        )

    def _insert(self) -> None:
        self.run(f"INSERT INTO {self.table} VALUES {self.values(self.random.randint(1, 5))}")

    def _update(self) -> None:
        value = self.random.choice(["'a'", "'b'", "NULL", "v"])
        self.run(f"UPDATE {self.table} SET v = {value} WHERE {self.some()}")

    def _delete(self) -> None:
        self.run(f"DELETE FROM {self.table} WHERE {self.some()}")

    def _merge(self) -> None:
        columns = ", ".join(f"`{column}`" for column in self.columns[-1])
        key = self.random.randint(1, 5)
        one = f"SELECT * FROM VALUES {self.values(1)} AS s({columns})"
        self.run(
            f"MERGE INTO {self.table} t USING ({one}) s ON t.id = {key}"
            " WHEN MATCHED AND t.v = 'a' THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v"
            " WHEN NOT MATCHED THEN INSERT *"
        )

    def _overwrite(self) -> None:
        self.run(f"INSERT OVERWRITE {self.table} VALUES {self.values(4)}")

    def _restore(self) -> None:
        self.run(
            f"RESTORE TABLE {self.table} TO VERSION AS OF"
            f" {self.random.randrange(len(self.columns))}"
        )

    def _optimize(self) -> None:
        self.run(f"OPTIMIZE {self.table}")

    def _truncate(self) -> None:
        self.run(f"DELETE FROM {self.table}")

    def _add(self) -> None:
        self.run(f"ALTER TABLE {self.table} ADD COLUMNS (n{next(self.names)} INT)")

    def changes(self, start: int, end: int, wanted: Wanted) -> tuple[Changes, list[Row]]:
        """What is read, as type, version and row."""
        frame = self.spark.sql(f"SELECT * FROM {self.table} VERSION AS OF {end}")
        columns = tuple(TableColumn(name, kind) for name, kind in frame.dtypes)
        found = read_changes(
            self.connection,
            ChangedTable(str(self.folder), columns),
            ChangeRange(start, end),
            wanted,
            new_view=lambda: f"changes_{next(self.names)}",
        )
        listed = ", ".join(f"`{name}`" for name in self.columns[end])
        rows = self.spark.sql(
            f"SELECT __change_type, __delta_version, to_json(struct({listed})) FROM {found.sql}"
        ).collect()
        for view in found.views:
            self.connection.drop_view(view)
        return found, [(kind, at, row_of(text, self.columns[end])) for kind, at, text in rows]


def expected_net(history: History, start: int, end: int) -> Counter[Row]:
    """By the ids of the rows at both ends."""
    columns = history.versions[end].columns
    before, after = (history.versions[v].by_id(columns) for v in (start, end))
    found: Counter[Row] = Counter()
    for row_id in before.keys() | after.keys():
        old, new = before.get(row_id), after.get(row_id)
        if old is None:
            found["INSERT", came_at(history, row_id, start, end), new[0]] += 1
        elif new is None:
            found["DELETE", old[1], old[0]] += 1
        elif old[0] != new[0]:
            found["UPDATE_BEFORE", old[1], old[0]] += 1
            found["UPDATE_AFTER", came_at(history, row_id, start, end), new[0]] += 1
    return found


def came_at(history: History, row_id: int, start: int, end: int) -> int:
    """The version that wrote the row as it is at the end, or the RESTORE that brought it back."""
    written = dict(zip(history.versions[end].ids, history.versions[end].written, strict=True))
    if written[row_id] > start:
        return written[row_id]
    for version in range(end, start, -1):
        earlier = history.versions[version - 1]
        if (row_id, written[row_id]) not in zip(earlier.ids, earlier.written, strict=True):
            return version
    raise AssertionError("the row was there all the time")


def expected_every(history: History, start: int, end: int) -> Counter[Row]:
    """By the ids of the rows before and after each commit."""
    columns = history.versions[end].columns
    found: Counter[Row] = Counter()
    for earlier, later in pairwise(range(start, end + 1)):
        before, after = (history.versions[v].by_id(columns) for v in (earlier, later))
        for row_id in before.keys() | after.keys():
            old, new = before.get(row_id), after.get(row_id)
            if old is None:
                found["INSERT", later, new[0]] += 1
            elif new is None:
                found["DELETE", old[1], old[0]] += 1
            elif old[0] != new[0]:
                found["UPDATE_BEFORE", old[1], old[0]] += 1
                found["UPDATE_AFTER", later, new[0]] += 1
    return found


def check_net(history: History, start: int, end: int) -> None:
    try:
        found, rows = history.changes(start, end, Wanted.NET)
    except SchemaError as error:
        check_schema_changed(history, error)
        return
    columns = history.versions[end].columns
    table = Counter(history.versions[start].seen_as(columns))
    for kind, _, row in rows:
        table[row] += SIGNS[kind]
    assert {row: n for row, n in table.items() if n} == Counter(history.versions[end].rows)
    if found.insert_only:
        assert {kind for kind, _, _ in rows} <= {"INSERT"}
    if found.minimal:
        signs: dict[Row, set[int]] = {}
        for kind, _, row in rows:
            signs.setdefault(row, set()).add(SIGNS[kind])
        assert all(len(both) == 1 for both in signs.values())
    if history.tracked:
        assert found.reader is not Reader.FILE_DIFFERENCE
        assert Counter(rows) == expected_net(history, start, end)


def check_single(history: History, start: int, end: int, wanted: Wanted) -> None:
    try:
        found, rows = history.changes(start, end, wanted)
    except SchemaError as error:
        check_schema_changed(history, error)
        return
    except UserError as error:
        check_untracked(history, error)
        return
    if history.tracked:
        every = expected_every(history, start, end)
        inserts = Counter({row: n for row, n in every.items() if row[0] == "INSERT"})
        assert Counter(rows) == (every if wanted is Wanted.EVERY else inserts)
        return
    assert found.insert_only
    columns = history.versions[end].columns
    expected: Counter[Row] = Counter()
    for earlier, later in pairwise(range(start, end + 1)):
        before, after = (Counter(history.versions[v].seen_as(columns)) for v in (earlier, later))
        assert not before - after
        expected.update({("INSERT", later, row): n for row, n in (after - before).items()})
    assert Counter(rows) == expected


def check_untracked(history: History, error: UserError) -> None:
    assert error.condition == "CHANGES_NOT_TRACKED"
    assert not history.tracked


def check_schema_changed(history: History, error: SchemaError) -> None:
    """Only a step that takes one column and brings another may end a range."""
    assert error.condition == "CHANGES_SCHEMA_CHANGED"
    version = error.parameters["version"]
    before, after = (set(history.versions[v].columns) for v in (version - 1, version))
    assert before - after
    assert after - before


def test_every_run_has_every_kind_of_statement():
    assert {"insert", *drawn(random.Random(SEED))} == set(KINDS)


@pytest.mark.parametrize("seed", seeds("HEADWATER_CHANGES_SEED", [SEED]))
@pytest.mark.parametrize(
    ("shape", "tracked"),
    often(
        [
            ("plain", True),
            ("partitioned", False),
            ("mapped", True),
            ("nested", True),
            ("nested", False),
        ],
        [("partitioned", False), ("nested", True)],
    ),
)
def test_changes_are_what_snapshots_say(spark, tmp_path, shape, tracked, seed):
    print(f"HEADWATER_CHANGES_SEED={seed}")
    history = History(spark, tmp_path / "t", SHAPES[shape], tracked=tracked, seed=seed)
    history.live()
    print("\n".join(f"{n}: {text}" for n, text in enumerate(history.said)))
    newest = len(history.versions) - 1
    assert newest == STEPS + 1 or seed != SEED, "a statement has found nothing to do"
    cuts = sorted(history.random.sample(range(newest + 1), k=min(3, newest + 1)))
    # The pieces of a range, and the whole of it.
    for start, end in [*pairwise(cuts), (cuts[0], cuts[-1])]:
        print(f"({start}, {end}]")
        check_net(history, start, end)
    print(f"({cuts[0]}, {newest}]")
    check_single(history, cuts[0], newest, Wanted.EVERY)
    check_single(history, cuts[0], newest, Wanted.INSERTED)
