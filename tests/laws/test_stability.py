"""What has other last digits each time it is worked out: a plan takes away only what is stored."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given, note, settings
from hypothesis import strategies as st
from sqlglot import exp

from headwater.algebra.nodes import (
    Aggregate,
    ColumnType,
    JoinKind,
    Named,
    Node,
    Query,
    column,
    columns_of,
)
from headwater.algebra.walk import sources_of
from headwater.incremental.plan import Outcome, plan
from tests.laws.engine import Bag, Engine, Rows, World
from tests.laws.law import BATCHES, KINDS, SAME_DAY, applied, run
from tests.laws.making import Tables, Trees

SHAKY = "shaky#0"
"""A sum of floating-point numbers, as a column."""


class ShakyEngine(Engine):
    """One whose sums of floating-point numbers have other last digits each time."""

    def __init__(self) -> None:
        super().__init__()
        self._times = 0

    def _aggregate(self, node: Aggregate, world: World) -> Bag:
        found = super()._aggregate(node, world)
        if SHAKY not in [call.id for call in node.calls]:
            return found
        self._times += 1
        place = columns_of(node).index(SHAKY)
        return Counter(
            (*row[:place], 1000 * (row[place] or 0) + 500 + self._times % 7, *row[place + 1 :])
            for row in found
        )


def _shaky_groups(trees: Trees, random: Random) -> Node:
    node = trees.aggregate(trees.scan(), keys=2)
    assert isinstance(node, Aggregate)
    trees.types[SHAKY] = ColumnType("double")
    item = trees.scalar(columns_of(node.input))
    return Aggregate(node.input, node.keys, (Named(SHAKY, exp.Sum(this=item)), *node.calls))


def _make(trees: Trees, random: Random) -> Node:
    node = _shaky_groups(trees, random)
    for _ in range(random.randrange(3)):
        match random.randrange(6):
            case 0:
                node = trees.renamed(node)
            case 1:
                node = trees.filter(node)
            case 2:
                node = trees.union(node, trees.scan())
            case 3:
                node = trees.join(JoinKind.LEFT, trees.scan(), node)
            case 4:
                node = trees.join(JoinKind.INNER, node, trees.scan())
            case _:
                node = _counted(trees, random, node)
    return node


def _counted(trees: Trees, random: Random, node: Node) -> Node:
    """Groups by anything, with calls that keep the last digits the last."""
    ids = columns_of(node)
    keys = tuple(id for id in ids if random.randrange(2))
    number, item = len(trees.types), column(random.choice(ids))
    fold = random.choice((exp.Max, exp.Sum))
    calls = (exp.Count(this=exp.Star()), exp.Count(this=item), fold(this=item))
    named = tuple(Named(f"{place}#{number}", call) for place, call in enumerate(calls))
    for call in named:
        trees.types[call.id] = ColumnType("bigint")
    return Aggregate(node, keys, named)


@settings(max_examples=400)
@given(st.randoms(use_true_random=False))
def test_what_is_stored_goes_whatever_its_last_digits(random: Random) -> None:
    """The rows are right up to the last digits, and no row is taken away that is not there."""
    trees = Trees(random, ("r", "s"))
    tree = _make(trees, random)
    kinds = {source: random.choice(KINDS) for source in sorted(sources_of(tree))}
    query = Query(tree, tuple(str(place) for place in range(len(columns_of(tree)))))
    planned = plan(query, kinds, SAME_DAY, trees.types)
    tables, engine = Tables(random, kinds), ShakyEngine()
    stored = engine.bag(tree, World(tables.rows))
    for _ in range(BATCHES):
        old = tables.rows
        changes = tables.change()
        world = World(tables.rows, old, changes, Rows(query.names, stored))
        change = run(planned.rows, planned.parts, world, engine)
        note(f"{kinds}\n{tree}\n{old}\n{changes}\n{planned}")
        stored = applied(stored, change) if planned.kind is Outcome.CHANGE else stored + change
        assert _rounded(stored) == _rounded(engine.bag(tree, World(tables.rows)))


def _rounded(bag: Bag) -> Bag:
    rows = (
        tuple(value if value is None else value // 100 for value in row) for row in bag.elements()
    )
    return Counter(rows)
