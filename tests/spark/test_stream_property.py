"""Random histories: what streams hand out, step by step, adds up to the table as it is.

The oracle is the table itself, read in full after every step, and a model of it in plain Python; it
shares nothing with the reading of changes.

Repeat one with HEADWATER_STREAM_SEED=<seed>; `make fuzz SEEDS=100` runs as many new ones.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.seeds import seeds

import headwater

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

Row = tuple[Any, ...]
Condition = Callable[[Row], bool]
_STEPS = 9
# Between them these two draw every kind of statement.
_SEEDS = (0, 5)
_KINDS = ("insert", "insert", "update", "delete", "merge", "overwrite", "truncate", "optimize")
_KINDS += ("widen", "restore")
_CREATE = {
    "plain": "CREATE TABLE src (k INT, v STRING)",
    "partitioned": "CREATE TABLE src (k INT, v STRING) PARTITIONED BY (v)",
}
_CONDITIONS: dict[str, Condition] = {
    "k = 1": lambda row: row[0] == 1,
    "k IS NULL": lambda row: row[0] is None,
    "v = 'a'": lambda row: row[1] == "a",
    "k > 1": lambda row: row[0] is not None and row[0] > 1,
    "true": lambda row: True,
}
_UPDATES: dict[str, Callable[[Row], Row]] = {
    "k = k + 1": lambda row: (None if row[0] is None else row[0] + 1, *row[1:]),
    "v = 'b'": lambda row: (row[0], "b", *row[2:]),
    "v = NULL": lambda row: (row[0], None, *row[2:]),
    "k = k": lambda row: row,
}


class World:
    """A table, its streams, and what they must have handed out.

    `rows` is a model of the table in which each row has an id of its own. Only that tells which
    rows a RESTORE brings back, which is to insert them, and which it only changes.
    """

    def __init__(self, connection: headwater.Connection, seed: int, create: str) -> None:
        self.sql = connection.sql
        self.random = random.Random(seed)
        self.rows: dict[int, Row] = {}
        self.ids = count()
        self.past: list[tuple[int, dict[int, Row]]] = []
        self.inserted: Counter[Row] = Counter()
        self.mirror: Counter[Row] = Counter()
        self.appended: Counter[Row] = Counter()
        self.wide = False
        self.statements: list[str] = []
        self.do(create)
        for name, mode in (("s", "STANDARD"), ("every", "APPEND_ONLY")):
            self.do(
                f"CREATE TABLE STREAM {name} ON TABLE src "
                f"WITH PROPERTIES ('TABLE_STREAM_MODE' = '{mode}')"
            )
        self.do("CREATE TABLE log (n INT)")

    def do(self, text: str) -> None:
        self.statements.append(text)
        self.sql(text)

    def remember(self) -> None:
        """Keep the table as it is, for a RESTORE."""
        version = self.sql("DESC HISTORY src LIMIT 1").rows[0][0]
        self.past.append((version, dict(self.rows)))

    def come(self, row: Row) -> None:
        self.rows[next(self.ids)] = row
        self.inserted[row] += 1

    def change(self, which: Condition, new: Callable[[Row], Row]) -> None:
        self.rows = {at: new(row) if which(row) else row for at, row in self.rows.items()}

    def value(self) -> tuple[str, Row]:
        k = self.random.choice([None, 1, 2, 3])
        v = self.random.choice([None, "a", "b"])
        shown = ["NULL" if x is None else repr(x) for x in (k, v)]
        row: Row = (k, v)
        if self.wide:
            shown, row = [*shown, "7"], (*row, 7)
        return f"({', '.join(shown)})", row

    def values(self) -> str:
        given = [self.value() for _ in range(self.random.randint(1, 4))]
        for _, row in given:
            self.come(row)
        return ", ".join(text for text, _ in given)

    def condition(self) -> tuple[str, Condition]:
        return self.random.choice(list(_CONDITIONS.items()))

    def insert(self) -> None:
        self.do(f"INSERT INTO src VALUES {self.values()}")

    def update(self) -> None:
        text, new = self.random.choice(list(_UPDATES.items()))
        where, which = self.condition()
        self.do(f"UPDATE src SET {text} WHERE {where}")
        self.change(which, new)

    def delete(self) -> None:
        where, which = self.condition()
        self.do(f"DELETE FROM src WHERE {where}")
        self.rows = {at: row for at, row in self.rows.items() if not which(row)}

    def merge(self) -> None:
        text, new = self.value()
        names = "k, v" + (", w" if self.wide else "")
        self.do(
            f"MERGE INTO src t USING (SELECT * FROM VALUES {text} AS x({names})) n ON t.k = n.k "
            f"WHEN MATCHED THEN UPDATE SET t.v = 'merged' "
            f"WHEN NOT MATCHED THEN INSERT ({names}) VALUES (n.{names.replace(', ', ', n.')})"
        )
        if new[0] is None or not any(row[0] == new[0] for row in self.rows.values()):
            self.come(new)
        else:
            self.change(lambda row: row[0] == new[0], lambda row: (row[0], "merged", *row[2:]))

    def overwrite(self) -> None:
        self.rows = {}
        self.do(f"INSERT OVERWRITE src VALUES {self.values()}")

    def truncate(self) -> None:
        self.do("TRUNCATE TABLE src")
        self.rows = {}

    def optimize(self) -> None:
        self.do("OPTIMIZE src")

    def restore(self) -> None:
        version, then = self.random.choice(self.past)
        self.do(f"RESTORE TABLE src TO VERSION AS OF {version}")
        self.inserted.update(row for at, row in then.items() if at not in self.rows)
        self.rows = dict(then)

    def widen(self) -> None:
        if not self.wide:
            self.do("ALTER TABLE src ADD COLUMN w INT")
            self.wide = True
            self.rows = {at: (*row, None) for at, row in self.rows.items()}
            # A RESTORE to before would take the column away again.
            self.past.clear()
            for bag in (self.inserted, self.mirror, self.appended):
                widened = Counter({(*row, None): n for row, n in bag.items()})
                bag.clear()
                bag.update(widened)

    def consume(self) -> None:
        """Take what the streams have into tables that only serve to consume them."""
        for row in self.sql("SELECT * FROM s"):
            self.mirror[row[3:]] += 1 if row[0] in ("INSERT", "UPDATE_AFTER") else -1
        self.appended.update(row[3:] for row in self.sql("SELECT * FROM every"))
        self.do("INSERT INTO log SELECT 1 FROM s JOIN every ON false")
        assert self.sql("SELECT * FROM s").rows == []
        assert self.sql("SELECT * FROM every").rows == []

    def check(self) -> None:
        table = Counter(self.sql("SELECT * FROM src").rows)
        assert table == Counter(self.rows.values()), "the model is wrong"
        assert not [row for row, count in self.mirror.items() if count < 0], "more deleted than was"
        assert +self.mirror == table
        assert self.appended == self.inserted


def drawn(source: random.Random) -> list[str]:
    """The kinds of statements of a history, in order."""
    kinds = [source.choice(_KINDS) for _ in range(_STEPS)]
    # Whatever is drawn, what a RESTORE brings back is read once with what was before it.
    kinds.insert(_STEPS - 2, "restore")
    return kinds


def test_every_run_has_every_kind_of_statement() -> None:
    assert {kind for seed in _SEEDS for kind in drawn(random.Random(seed))} == set(_KINDS)


@pytest.mark.parametrize("seed", seeds("HEADWATER_STREAM_SEED", _SEEDS))
def test_streams_add_up_to_the_table(seed: int, tmp_path: Path) -> None:
    print(f"HEADWATER_STREAM_SEED={seed}")
    with headwater.connect(tmp_path) as connection:
        world = World(connection, seed, list(_CREATE.values())[seed % len(_CREATE)])
        chosen = drawn(world.random)
        try:
            world.insert()
            for kind in chosen:
                world.remember()
                getattr(world, kind)()
                if world.random.random() < 0.4:
                    world.consume()
                    world.check()
            world.consume()
            world.check()
        except BaseException:
            print(";\n".join(world.statements))
            raise
