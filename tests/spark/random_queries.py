"""Random SELECTs over three small tables: every construct that dynamic tables maintain.

Every query gives the same rows for the same data: orders are total, and no sums are of floats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

TABLES = {
    "r": (("a", "int"), ("b", "int"), ("s", "text"), ("n", "number")),
    "t": (("a", "int"), ("c", "int"), ("u", "text")),
    "v": (("b", "int"), ("c", "int"), ("z", "array")),
}
DEFINITIONS = {
    "r": "a INT, b INT, s STRING, n DECIMAL(8,2)",
    "t": "a INT, c INT, u STRING",
    "v": "b INT, c INT, z ARRAY<INT>",
}
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Column:
    """A column in scope, as an expression writes it."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Relation:
    """Something that stands after FROM, and the columns it gives."""

    text: str
    columns: tuple[Column, ...]


class RandomQueries:
    """Makes one SELECT after the other from a seed."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._names = 0

    def query(self) -> str:
        """A SELECT whose columns have distinct names."""
        return self._select(0)[0]

    def _select(self, depth: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        """The text of a SELECT with the names and kinds of its columns."""
        shapes: list[Callable[[int], tuple[str, tuple[tuple[str, str], ...]]]] = [
            self._plain,
            self._plain,
            self._grouped,
            self._grouped,
            self._windowed,
            self._combined,
            self._distinct,
            self._top,
            self._exploded,
            self._with,
            self._recursive,
        ]
        return self._random.choice(shapes)(depth)

    def _plain(self, depth: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        relation = self._relation(depth)
        items = [self._value(relation.columns) for _ in range(self._random.randint(1, 3))]
        outputs = [(self._name(), kind) for _, kind in items]
        shown = ", ".join(
            f"{text} AS {out[0]}" for (text, _), out in zip(items, outputs, strict=True)
        )
        where = self._where(relation, depth)
        return f"SELECT {shown} FROM {relation.text}{where}", tuple(outputs)

    def _grouped(self, depth: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        relation = self._relation(depth)
        scalars = [c for c in relation.columns if c.kind != "array"]
        keys = self._random.sample(scalars, k=min(len(scalars), self._random.choice([0, 1, 1, 2])))
        named = [(self._name(), key) for key in keys]
        calls = [self._call(relation.columns) for _ in range(self._random.randint(1, 3))]
        outputs = [(name, key.kind) for name, key in named]
        outputs += [(self._name(), kind) for _, kind in calls]
        texts = [key.text for key in keys] + [text for text, _ in calls]
        shown = ", ".join(f"{text} AS {out[0]}" for text, out in zip(texts, outputs, strict=True))
        group = ""
        if keys:
            listed = ", ".join(key.text for key in keys)
            form = self._random.choice(["{}", "{}", "{}", "ROLLUP ({})", "CUBE ({})"])
            group = " GROUP BY " + form.format(listed)
        having = ""
        if keys and self._random.random() < 0.3:
            having = f" HAVING count(*) > {self._random.randint(0, 2)}"
        where = self._where(relation, depth)
        return f"SELECT {shown} FROM {relation.text}{where}{group}{having}", tuple(outputs)

    def _windowed(self, depth: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        relation = self._relation(depth, plain=True)
        scalars = [c for c in relation.columns if c.kind != "array"]
        part = self._random.choice(scalars)
        total = ", ".join(c.text for c in scalars)
        over = f"(PARTITION BY {part.text} ORDER BY {total})"
        whole = f"(PARTITION BY {part.text})"
        call, kind = self._random.choice(
            [
                (f"row_number() OVER {over}", "int"),
                (f"rank() OVER {over}", "int"),
                (f"count(*) OVER {whole}", "int"),
                (f"max({self._of(scalars, 'int')}) OVER {whole}", "int"),
                (f"lag({self._of(scalars, 'int')}) OVER {over}", "int"),
            ]
        )
        outputs = [(self._name(), c.kind) for c in scalars[:2]] + [(self._name(), kind)]
        texts = [c.text for c in scalars[:2]] + [call]
        shown = ", ".join(f"{text} AS {out[0]}" for text, out in zip(texts, outputs, strict=True))
        qualify = ""
        if self._random.random() < 0.4:
            qualify = f" QUALIFY row_number() OVER {over} = 1"
        return f"SELECT {shown} FROM {relation.text}{qualify}", tuple(outputs)

    def _combined(self, depth: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        word = self._random.choice(
            [
                "UNION ALL",
                "UNION ALL",
                "UNION",
                "INTERSECT",
                "EXCEPT",
                "EXCEPT ALL",
                "INTERSECT ALL",
            ]
        )
        names = (self._name(), self._name())
        sides = []
        for _ in range(2):
            relation = self._relation(depth, plain=True)
            ints = [self._of(relation.columns, "int") for _ in names]
            shown = ", ".join(f"{text} AS {name}" for text, name in zip(ints, names, strict=True))
            sides.append(f"SELECT {shown} FROM {relation.text}{self._where(relation, depth)}")
        return f"{sides[0]} {word} {sides[1]}", tuple((name, "int") for name in names)

    def _distinct(self, depth: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        text, outputs = self._plain(depth)
        if any(kind == "array" for _, kind in outputs):
            return text, outputs
        return text.replace("SELECT ", "SELECT DISTINCT ", 1), outputs

    def _top(self, depth: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        text, outputs = self._select(depth + 1) if depth < _DEEPEST else self._plain(depth)
        order = ", ".join(name for name, _ in outputs)
        limit = self._random.randint(1, 4)
        return f"SELECT * FROM ({text}) ORDER BY {order} LIMIT {limit}", outputs

    def _exploded(self, depth: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        outer = self._random.choice(["", " OUTER"])
        names = (self._name(), self._name())
        view = f"LATERAL VIEW{outer} explode(z) x AS e"
        text = f"SELECT v.b AS {names[0]}, e AS {names[1]} FROM v {view}"
        return text, ((names[0], "int"), (names[1], "int"))

    def _with(self, depth: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        if depth >= 1:
            return self._grouped(depth)
        inner, outputs = self._select(_DEEPEST)
        name = self._name()
        first = outputs[0][0]
        out = (self._name(), "int"), (self._name(), "int")
        text = (
            f"WITH {name} AS ({inner}) SELECT x.{first} IS NULL AS {self._name()},"
            f" count(*) AS {out[0][0]}, count(y.{first}) AS {out[1][0]} FROM {name} x"
            f" LEFT JOIN {name} y ON x.{first} = y.{first} GROUP BY x.{first}"
        )
        return text, out

    def _recursive(self, depth: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        """From the rows of one table two steps through another."""
        start, step, name = self._table(), self._table(), self._name()
        value, steps, out = self._name(), self._name(), (self._name(), self._name())
        text = (
            f"WITH RECURSIVE {name} ({value}, {steps}) AS"
            f" (SELECT {self._of(start.columns, 'int')}, 0 FROM {start.text}"
            f" WHERE {self._condition(start, _DEEPEST)}"
            f" UNION ALL SELECT {self._of(step.columns, 'int')}, {name}.{steps} + 1 FROM {name}"
            f" JOIN {step.text} ON {name}.{value} = {self._of(step.columns, 'int')}"
            f" WHERE {name}.{steps} < 2)"
            f" SELECT {value} AS {out[0]}, {steps} AS {out[1]} FROM {name}"
        )
        return text, ((out[0], "int"), (out[1], "int"))

    def _lateral(self) -> Relation:
        """The rows of a table, each with some of another."""
        left, right, name = self._table(), self._table(), self._name()
        names = (self._name(), self._name())
        tie = f"{self._of(right.columns, 'int')} = {self._of(left.columns, 'int')}"
        value = self._of(right.columns, "int")
        total = ", ".join(column.text for column in right.columns if column.kind != "array")
        word, body = self._random.choice(
            [
                (" JOIN", f"SELECT {value}, {self._of(left.columns, 'int')} + 1"),
                (" LEFT JOIN", f"SELECT {value}, 1"),
                (" JOIN", f"SELECT count({value}), max({value})"),
                (" LEFT JOIN", f"SELECT {value}, {value} + 1"),
            ]
        )
        query = f"{body} FROM {right.text} WHERE {tie}"
        if "count" not in body and self._random.random() < 0.5:
            # Rows that are equal but in what is not shown are all the same to the table.
            query += f" ORDER BY {value}, {total} LIMIT {self._random.randint(1, 2)}"
        text = f"{left.text}{word} LATERAL ({query}) {name} ({', '.join(names)}) ON true"
        columns = tuple(Column(f"{name}.{shown}", "int") for shown in names)
        return Relation(text, left.columns + columns)

    def _relation(self, depth: int, *, plain: bool = False) -> Relation:
        choice = self._random.random()
        if plain or depth >= _DEEPEST or choice < 0.4:
            return self._table()
        if choice < 0.6:
            text, outputs = self._select(depth + 1)
            name = self._name()
            columns = tuple(Column(f"{name}.{out}", kind) for out, kind in outputs)
            return Relation(f"({text}) {name}", columns)
        return self._lateral() if choice < 0.7 else self._join(depth)

    def _join(self, depth: int) -> Relation:
        left, right = self._relation(depth + 1), self._relation(depth + 1)
        word = self._random.choice(
            [
                "JOIN",
                "JOIN",
                "LEFT JOIN",
                "RIGHT JOIN",
                "FULL JOIN",
                "LEFT SEMI JOIN",
                "LEFT ANTI JOIN",
            ]
        )
        a, b = self._of(left.columns, "int"), self._of(right.columns, "int")
        on = f"{a} = {b}"
        if self._random.random() < 0.3:
            on += f" AND {self._of(left.columns, 'int')} <= {self._of(right.columns, 'int')} + 1"
        text = f"{left.text} {word} {right.text} ON {on}"
        if word.endswith(("SEMI JOIN", "ANTI JOIN")):
            return Relation(text, left.columns)
        return Relation(text, left.columns + right.columns)

    def _table(self) -> Relation:
        table = self._random.choice(sorted(TABLES))
        name = self._name()
        columns = tuple(Column(f"{name}.{column}", kind) for column, kind in TABLES[table])
        return Relation(f"{table} {name}", columns)

    def _where(self, relation: Relation, depth: int) -> str:
        if self._random.random() < 0.4:
            return ""
        return f" WHERE {self._condition(relation, depth)}"

    def _condition(self, relation: Relation, depth: int) -> str:
        mine = self._of(relation.columns, "int")
        choice = self._random.random()
        if choice < 0.45 or depth >= _DEEPEST:
            sign = self._random.choice(["=", "<", ">=", "<>", "<=>"])
            return f"{mine} {sign} {self._random.randint(0, 3)}"
        if choice < 0.55:
            return f"{mine} IS {self._random.choice(['', 'NOT '])}NULL"
        other = self._table()
        theirs = self._of(other.columns, "int")
        word = self._random.choice(["IN", "IN", "NOT IN"])
        correlated = f"{self._of(other.columns, 'int')} = {mine}"
        forms = [
            f"{mine} {word} (SELECT {theirs} FROM {other.text})",
            f"{mine} {word} (SELECT {theirs} FROM {other.text} WHERE {theirs} IS NOT NULL)",
            f"EXISTS (SELECT 1 FROM {other.text} WHERE {correlated})",
            f"NOT EXISTS (SELECT 1 FROM {other.text} WHERE {correlated})",
            f"{mine} > (SELECT min({theirs}) FROM {other.text})",
            f"{mine} >= (SELECT count(*) FROM {other.text} WHERE {correlated})",
            f"({mine} = 1 OR EXISTS (SELECT 1 FROM {other.text} WHERE {correlated}))",
            f"{mine} <= (SELECT {theirs} FROM {other.text} WHERE {correlated}"
            f" ORDER BY {theirs} LIMIT 1)",
        ]
        return self._random.choice(forms)

    def _value(self, columns: tuple[Column, ...]) -> tuple[str, str]:
        found = self._random.choice(columns)
        if found.kind == "int" and self._random.random() < 0.4:
            number = self._random.randint(0, 3)
            return self._random.choice(
                [
                    (f"coalesce({found.text}, {number})", "int"),
                    (f"CASE WHEN {found.text} > {number} THEN 1 ELSE {found.text} END", "int"),
                    (f"{found.text} + {number}", "int"),
                ]
            )
        return found.text, found.kind

    def _call(self, columns: tuple[Column, ...]) -> tuple[str, str]:
        mine = self._of(columns, "int")
        numbers = [c.text for c in columns if c.kind == "number"]
        forms = [
            ("count(*)", "int"),
            (f"count({mine})", "int"),
            (f"sum({mine})", "int"),
            (f"min({mine})", "int"),
            (f"max({mine})", "int"),
            (f"count(DISTINCT {mine})", "int"),
            (f"sum({mine}) FILTER (WHERE {mine} > 1)", "int"),
            (f"CAST(avg({mine}) * 1000 AS INT)", "int"),
            (f"size(collect_list({mine}))", "int"),
            (f"median({mine}) > 1", "flag"),
        ]
        forms += [(f"sum({text})", "number") for text in numbers]
        forms += [(f"avg({text})", "number") for text in numbers]
        return self._random.choice(forms)

    def _of(self, columns: tuple[Column, ...] | list[Column], kind: str) -> str:
        found = [column.text for column in columns if column.kind == kind]
        return self._random.choice(found) if found else str(self._random.randint(0, 2))

    def _name(self) -> str:
        self._names += 1
        return f"x{self._names}"


def random_rows(random: Random, table: str, count: int) -> str:
    """Rows for INSERT .. VALUES, with NULLs and many that are equal."""
    makers: dict[str, Callable[[], str]] = {
        "int": lambda: random.choice(["NULL", "0", "1", "1", "2", "3"]),
        "text": lambda: random.choice(["NULL", "'x'", "'y'"]),
        "number": lambda: random.choice(["NULL", "0.50", "1.25", "-2.00"]),
        "array": lambda: random.choice(["NULL", "array()", "array(1)", "array(1, NULL, 2)"]),
    }
    cast = {"array": "CAST({} AS ARRAY<INT>)", "int": "CAST({} AS INT)"}
    rows = []
    for _ in range(count):
        values = (cast.get(kind, "{}").format(makers[kind]()) for _, kind in TABLES[table])
        rows.append(f"({', '.join(values)})")
    return ", ".join(rows)


def random_dml(random: Random, table: str) -> str:
    """A statement that changes a table, or changes nothing."""
    column = random.choice([name for name, kind in TABLES[table] if kind == "int"])
    number = random.randint(0, 3)
    forms = [
        f"INSERT INTO {table} VALUES {random_rows(random, table, random.randint(1, 3))}",
        f"INSERT INTO {table} VALUES {random_rows(random, table, 1)}",
        f"DELETE FROM {table} WHERE {column} = {number}",
        f"UPDATE {table} SET {column} = {random.randint(0, 3)} WHERE {column} <=> {number}",
        f"UPDATE {table} SET {column} = NULL WHERE {column} = {number}",
        f"INSERT OVERWRITE {table} VALUES {random_rows(random, table, 3)}",
        f"OPTIMIZE {table}",
    ]
    return random.choices(forms, weights=[6, 4, 3, 3, 1, 1, 1])[0]
