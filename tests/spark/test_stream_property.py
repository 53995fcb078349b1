"""Random histories: what streams hand out, step by step, adds up to the table as it is.

The oracle is the table itself, read in full after every step, and a list of what the test inserted;
it shares nothing with the reading of changes.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import headwater

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

Row = tuple[object, ...]
_STEPS = 9
_CREATE = {
    "plain": "CREATE TABLE src (k INT, v STRING)",
    "partitioned": "CREATE TABLE src (k INT, v STRING) PARTITIONED BY (v)",
}


class World:
    """A table, its streams, and what they must have handed out."""

    def __init__(self, connection: headwater.Connection, seed: int, create: str) -> None:
        self.sql = connection.sql
        self.random = random.Random(seed)
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
        self.inserted.update(row for _, row in given)
        return ", ".join(text for text, _ in given)

    def condition(self) -> str:
        return self.random.choice(["k = 1", "k IS NULL", "v = 'a'", "k > 1", "true"])

    def insert(self) -> None:
        self.do(f"INSERT INTO src VALUES {self.values()}")

    def update(self) -> None:
        new = self.random.choice(["k = k + 1", "v = 'b'", "v = NULL", "k = k"])
        self.do(f"UPDATE src SET {new} WHERE {self.condition()}")

    def delete(self) -> None:
        self.do(f"DELETE FROM src WHERE {self.condition()}")

    def merge(self) -> None:
        text, row = self.value()
        names = "k, v" + (", w" if self.wide else "")
        known = self.table()
        if not any(r[0] == row[0] and r[0] is not None for r in known):
            self.inserted[row] += 1
        self.do(
            f"MERGE INTO src t USING (SELECT * FROM VALUES {text} AS x({names})) n ON t.k = n.k "
            f"WHEN MATCHED THEN UPDATE SET t.v = 'merged' "
            f"WHEN NOT MATCHED THEN INSERT ({names}) VALUES (n.{names.replace(', ', ', n.')})"
        )

    def overwrite(self) -> None:
        self.do(f"INSERT OVERWRITE src VALUES {self.values()}")

    def truncate(self) -> None:
        self.do("TRUNCATE TABLE src")

    def optimize(self) -> None:
        self.do("OPTIMIZE src")

    def widen(self) -> None:
        if not self.wide:
            self.do("ALTER TABLE src ADD COLUMN w INT")
            self.wide = True
            for bag in (self.inserted, self.mirror, self.appended):
                widened = Counter({(*row, None): n for row, n in bag.items()})
                bag.clear()
                bag.update(widened)

    def table(self) -> Counter[Row]:
        return Counter(self.sql("SELECT * FROM src").rows)

    def consume(self) -> None:
        """Take what the streams have into tables that only serve to consume them."""
        for row in self.sql("SELECT * FROM s"):
            self.mirror[row[3:]] += 1 if row[0] in ("INSERT", "UPDATE_AFTER") else -1
        self.appended.update(row[3:] for row in self.sql("SELECT * FROM every"))
        self.do("INSERT INTO log SELECT 1 FROM s JOIN every ON false")
        assert self.sql("SELECT * FROM s").rows == []
        assert self.sql("SELECT * FROM every").rows == []

    def check(self) -> None:
        assert not [row for row, count in self.mirror.items() if count < 0], "more deleted than was"
        assert +self.mirror == self.table()
        assert self.appended == self.inserted


@pytest.mark.parametrize("seed", range(int(os.environ.get("HEADWATER_SEEDS", "2"))))
def test_streams_add_up_to_the_table(seed: int, tmp_path: Path) -> None:
    with headwater.connect(tmp_path) as connection:
        world = World(connection, seed, list(_CREATE.values())[seed % len(_CREATE)])
        steps: list[Callable[[], None]] = [world.insert, world.insert, world.update, world.delete]
        steps += [world.merge, world.overwrite, world.truncate, world.optimize, world.widen]
        try:
            world.insert()
            for _ in range(_STEPS):
                world.random.choice(steps)()
                if world.random.random() < 0.4:
                    world.consume()
                    world.check()
            world.consume()
            world.check()
        except BaseException:
            print(f"seed {seed}\n" + ";\n".join(world.statements))
            raise
