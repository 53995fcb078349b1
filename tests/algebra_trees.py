"""Queries for every construct of the algebra, with the trees they become: `unit/algebra/trees`.

The unit tests compare the trees, tests on Spark the rows. `python -m tests.algebra_trees` takes the
trees that come for the expected ones; read the difference before you commit it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from headwater.algebra.binding import bind
from headwater.algebra.nodes import Query
from headwater.algebra.outline import outline
from headwater.algebra.qualified import Qualified, qualify
from headwater.algebra.rewrites import simplify
from headwater.algebra.sources import Relation, SourceTable, SourceView

FOLDER = Path(__file__).parent / "unit" / "algebra" / "trees"
VIEW = "SELECT k AS id, sum(a) AS total FROM t WHERE a > 5 GROUP BY k"

COLUMNS = {
    "t": (
        ("k", "int"),
        ("a", "int"),
        ("b", "string"),
        ("d", "decimal(10,2)"),
        ("x", "double"),
        ("arr", "array<int>"),
        ("m", "map<string,int>"),
        ("s", "struct<f:int,G:string>"),
        ("day", "date"),
    ),
    "u": (("k", "int"), ("c", "int"), ("e", "string")),
    "v": (("k", "int"), ("g", "string"), ("n", "bigint")),
    "nothing": (("k", "int"), ("c", "int")),
}


class NoTable(Exception):
    """A name that stands for nothing; what the caller raises is the caller's."""


@dataclass(frozen=True, slots=True)
class Case:
    """A query and the outline of its tree."""

    name: str
    text: str
    tree: str


def read_cases() -> dict[str, Case]:
    """All cases of all files, by name."""
    cases: dict[str, Case] = {}
    for file in sorted(FOLDER.glob("*.txt")):
        for case in _cases_of(file):
            assert case.name not in cases, f"two cases are called {case.name}"
            cases[case.name] = case
    return cases


def _cases_of(file: Path) -> Iterator[Case]:
    for record in file.read_text(encoding="utf-8").split("\n\n"):
        head, _, tree = f"{record}\n".partition("\n----\n")
        name, _, text = head.strip().partition("\n")
        yield Case(name.removeprefix("# "), text, tree.rstrip("\n"))


def resolve(parts: tuple[str, ...]) -> Relation:
    """The tables of the cases, and one view."""
    name = parts[-1].lower()
    if name == "totals":
        return SourceView(VIEW, ("id", "total"), resolve)
    if name not in COLUMNS:
        raise NoTable(name)
    return SourceTable(name, name, name, COLUMNS[name])


@cache
def tree_of(text: str) -> tuple[Qualified, Query]:
    """The query with resolved names, and its simplified tree; the columns are c0, c1, .."""
    qualified = qualify(text, resolve)
    names = tuple(f"c{at}" for at in range(qualified.width))
    return qualified, simplify(bind(qualified, names))


def _bless() -> None:
    for file in sorted(FOLDER.glob("*.txt")):
        records = []
        for case in _cases_of(file):
            _, query = tree_of(case.text)
            records.append(f"# {case.name}\n{case.text}\n----\n{outline(query.tree)}\n")
        file.write_text("\n".join(records), encoding="utf-8")


if __name__ == "__main__":
    _bless()
