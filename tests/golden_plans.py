"""Golden plans: queries, what changed in their sources, and the explained plan: `tests/plans`.

A file starts with comments and a query. Below it, each behind a blank line, stand cases: a line
`changes <table>=<INSERTS or ANY> ..`, then `----` and the plan. The line may also have the words
`next-day`, if the date changed since the last refresh, and `states`, if groups are kept. A query
with `{table}` in it is not taken apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from headwater.algebra.binding import bind
from headwater.algebra.nodes import ColumnType, Field, Node, Opaque, Query, Scan, columns_of
from headwater.algebra.outline import outline
from headwater.algebra.qualified import qualify
from headwater.algebra.rewrites import simplify
from headwater.algebra.rewrites.split_averages import split_averages
from headwater.algebra.sources import Relation, SourceTable
from headwater.incremental.deltas import Change
from headwater.incremental.maintenance import Dates
from headwater.incremental.plan import plan, signatures
from headwater.refresh.explain import plan_lines
from tests.plan_types import types_of

FOLDER = Path(__file__).parent / "plans"
_SEPARATOR = "----"
_NEXT_DAY, _STATES = "next-day", "states"
_TODAY, _TOMORROW = date(2026, 11, 16), date(2026, 11, 17)
_WHOLE_TABLE = re.compile(r"\{(\w+)\}")

TABLES = {
    "orders": {
        "id": ColumnType("bigint", nullable=False),
        "city": ColumnType("string"),
        "amount": ColumnType("bigint"),
        "price": ColumnType("decimal(10,2)"),
        "weight": ColumnType("double"),
        "day": ColumnType("date"),
        "tags": ColumnType("array<string>"),
    },
    "cities": {
        "name": ColumnType("string", nullable=False),
        "land": ColumnType("string"),
        "people": ColumnType("bigint"),
    },
    "lands": {"land": ColumnType("string", nullable=False), "continent": ColumnType("string")},
}


@dataclass(frozen=True, slots=True)
class Case:
    """What happened since the last refresh, and the plan that is expected."""

    words: tuple[str, ...]
    expected: str = ""


@dataclass(frozen=True, slots=True)
class GoldenFile:
    """A query and its cases; `head` is everything before them."""

    head: str
    cases: tuple[Case, ...]

    @property
    def query(self) -> str:
        """The text of the query."""
        return "\n".join(line for line in self.head.splitlines() if not line.startswith("#"))

    def to_text(self) -> str:
        """The file; `parse` reads the same from it."""
        records = [self.head]
        for case in self.cases:
            words = " ".join(("changes", *case.words))
            records.append(f"{words}\n{_SEPARATOR}\n{case.expected}")
        return "\n\n".join(records) + "\n"

    def blessed(self) -> GoldenFile:
        """With the plans that come now."""
        cases = (replace(case, expected=explained(self.query, case.words)) for case in self.cases)
        return replace(self, cases=tuple(cases))


def parse(text: str) -> GoldenFile:
    """A file as data."""
    head, *records = text.rstrip("\n").split("\n\n")
    return GoldenFile(head, tuple(_case(record) for record in records))


def _case(record: str) -> Case:
    first, _, expected = f"{record}\n".partition(f"\n{_SEPARATOR}\n")
    start, *words = first.split()
    assert start == "changes", f"a case starts with `changes`, not {first!r}"
    return Case(tuple(words), expected.rstrip("\n"))


def explained(text: str, words: tuple[str, ...]) -> str:
    """The plan of a query: each operator's rule, then the parts and rows to compute."""
    query = _query(text)
    types = types_of(query.tree, TABLES)
    query = split_averages(query, types)
    types = types_of(query.tree, TABLES)
    dates = Dates(_TODAY, _TOMORROW if _NEXT_DAY in words else _TODAY)
    states = tuple(signatures(query, dates, types)) if _STATES in words else ()
    found = plan(query, _changes(words), dates, types, states)
    sections = [f"write {found.kind}", "plan", *plan_lines(found, query.tree)]
    for part in found.parts:
        sections += [f"part {part.name}", _indented(part.node)]
    for state in found.states:
        sections += [f"state {state.name}", _indented(state.rows)]
    return "\n".join([*sections, "rows", _indented(found.rows)])


def _indented(node: Node) -> str:
    return "\n".join(f"  {line}" for line in outline(node).splitlines())


def _changes(words: tuple[str, ...]) -> dict[str, Change]:
    pairs = (word.split("=") for word in words if word not in (_NEXT_DAY, _STATES))
    changes = {table: Change(kind) for table, kind in pairs}
    assert changes.keys() <= TABLES.keys(), f"no such tables: {', '.join(changes)}"
    return changes


def _query(text: str) -> Query:
    if _WHOLE_TABLE.search(text):
        return _in_one_piece(text)
    qualified = qualify(text, _resolve)
    return simplify(bind(qualified, tuple(f"c{at}" for at in range(qualified.width))))


def _in_one_piece(text: str) -> Query:
    """A query whose text stays as it is, but for the tables in it; it has all their columns."""
    pieces: list[str | int] = []
    scans: list[Scan] = []
    for place, piece in enumerate(_WHOLE_TABLE.split(text)):
        if place % 2 == 0:
            pieces.append(piece)
            continue
        names = TABLES[piece]
        fields = tuple(Field(f"{name}#{len(scans)}_{at}", name) for at, name in enumerate(names))
        pieces.append(len(scans))
        scans.append(Scan(piece, piece, fields))
    tree = Opaque(tuple(pieces), tuple(scans), tuple(f"{id}_out" for id in columns_of(scans[0])))
    return Query(tree, tuple(TABLES[scans[0].source]))


def _resolve(parts: tuple[str, ...]) -> Relation:
    name = parts[-1].lower()
    columns = tuple((name, column.type) for name, column in TABLES[name].items())
    return SourceTable(name, name, name, columns)
