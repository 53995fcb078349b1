"""The law of answering: a query over a stored view gives the rows of the query as it was.

Each case makes up a view and a query that is near to it, and tables. What the rewriting does not
find is no mistake; that it finds something in a fair part of the cases is asked for as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from sqlglot import exp

from headwater.algebra.answering.rewrite import rewrite
from headwater.algebra.answering.views import StoredView
from headwater.algebra.nodes import (
    Aggregate,
    Filter,
    JoinKind,
    Named,
    Node,
    Project,
    Query,
    Window,
    column,
    columns_of,
)
from headwater.algebra.rewrites import simplify
from headwater.algebra.walk import nodes_of, sources_of
from headwater.incremental.deltas import Change
from tests.laws.engine import Engine, Rows, World
from tests.laws.inputs import some_input
from tests.laws.making import Tables, Trees, number

CASES = 500
STATES = 3
SOURCES = ("r", "s", "t")

Pair = tuple[Node, Node]
"""A view and a query; they may share nodes, because a view is used with ids of its own."""


def _core(trees: Trees, random: Random) -> Node:
    """What view and query have in common: a source, or several."""
    if random.randrange(2):
        return trees.join(JoinKind.INNER, trees.scan(), trees.scan())
    return trees.filter(trees.scan()) if random.randrange(2) else trees.scan()


def _same(trees: Trees, random: Random) -> Pair:
    view = _any(trees, random)
    return view, view


def _narrower(trees: Trees, random: Random) -> Pair:
    """The view may have a bound, and the query one that is tighter, or not."""
    core = _core(trees, random)
    id = random.choice(columns_of(core))
    compare = random.choice((exp.LT, exp.LTE, exp.GT, exp.GTE, exp.EQ))
    other = random.choice((compare, compare, exp.EQ, exp.LT, exp.GTE))
    view = Filter(core, compare(this=column(id), expression=number(random.randrange(3))))
    query = Filter(core, other(this=column(id), expression=number(random.randrange(3))))
    more = trees.filter(query) if random.randrange(2) else query
    return view, _some_columns(more, trees, random)


def _subset(trees: Trees, random: Random) -> Pair:
    core = _core(trees, random)
    computed = tuple(Named(f"x{n}#x", trees.scalar(columns_of(core))) for n in range(2))
    kept = tuple(Named(f"{id}x", column(id)) for id in columns_of(core))
    view = Project(core, (*kept, *computed))
    asked = (random.choice((*kept, *computed)) for _ in range(2))
    outputs = tuple(Named(f"y{at}#y", item.value) for at, item in enumerate(asked))
    return view, Project(core if random.randrange(2) else trees.filter(core), outputs)


def _coarser(trees: Trees, random: Random) -> Pair:
    """Some keys and some calls of the view, perhaps under a condition, perhaps others too."""
    core = _core(trees, random)
    ids = columns_of(core)
    fine = trees.aggregate(core, keys=2)
    assert isinstance(fine, Aggregate)
    added = (exp.Count(this=exp.Star()), exp.Sum(this=column(random.choice(ids))))
    calls = (*fine.calls, *(Named(trees._fresh("f"), call) for call in added))
    fine = replace(fine, calls=calls)
    keys = tuple(key for key in fine.keys if random.randrange(2))
    below = core
    if random.randrange(2) and fine.keys:
        below = Filter(core, trees.condition(fine.keys))
    asked = tuple(Named(f"{c.id}q", c.value) for c in calls if random.randrange(2))
    if fine.keys and random.randrange(3) == 0:
        asked += (Named("m#q", exp.Min(this=trees.scalar(fine.keys))),)
    query = Aggregate(below, keys, asked or (Named("n#q", added[0]),))
    trees.types |= {call.id: trees.types.get(call.id[:-1], trees.types[ids[0]]) for call in asked}
    return fine, trees.filter(query) if random.randrange(3) == 0 else query


def _same_groups(trees: Trees, random: Random) -> Pair:
    """Groups of the view under conditions on keys below them, and on anything above."""
    core = _core(trees, random)
    fine = trees.aggregate(core, keys=2)
    assert isinstance(fine, Aggregate)
    query: Node = fine
    if fine.keys and random.randrange(2):
        query = replace(fine, input=Filter(core, trees.condition(fine.keys)))
    view = trees.filter(fine) if random.randrange(4) == 0 else fine
    return view, _some_columns(trees.filter(query), trees, random)


def _joined(trees: Trees, random: Random) -> Pair:
    """The query joins what the view reads with more."""
    core = _any(trees, random)
    other = trees.join(random.choice(list(JoinKind)), core, some_input(trees, random))
    return core, _some_columns(other, trees, random)


def _outer(trees: Trees, random: Random) -> Pair:
    kind = random.choice((JoinKind.LEFT, JoinKind.FULL, JoinKind.SEMI, JoinKind.ANTI))
    left, right = some_input(trees, random), some_input(trees, random)
    view = trees.join(kind, left, right)
    return view, _some_columns(trees.filter(view), trees, random)


def _far(trees: Trees, random: Random) -> Pair:
    """Two that have nothing to do with each other but their sources."""
    return _any(trees, random), _any(trees, random)


def _any(trees: Trees, random: Random) -> Node:
    node = some_input(trees, random)
    match random.randrange(6):
        case 0:
            return trees.join(random.choice(list(JoinKind)), node, some_input(trees, random))
        case 1:
            return trees.aggregate(node)
        case 2:
            return trees.union(node, some_input(trees, random))
        case 3:
            made = trees.window(node)
            return node if _has_ties(made) else made
        case 4:
            return trees.generate(node)
        case _:
            return trees.filter(trees.project(node))


def _has_ties(node: Node) -> bool:
    """Which of equal rows is first may differ from plan to plan."""
    return isinstance(node, Window) and any(c.value.find(exp.RowNumber) for c in node.calls)


def _some_columns(node: Node, trees: Trees, random: Random) -> Node:
    return trees.renamed(node) if random.randrange(2) else node


@pytest.mark.parametrize(
    ("make", "least"),
    [
        (_same, 0.95),
        (_narrower, 0.3),
        (_subset, 0.7),
        (_coarser, 0.2),
        (_same_groups, 0.4),
        (_joined, 0.7),
        (_outer, 0.5),
        (_far, 0.0),
    ],
    ids=lambda value: getattr(value, "__name__", "").strip("_"),
)
def test_a_view_that_answers_a_query_gives_its_rows(
    make: Callable[[Trees, Random], Pair], least: float
) -> None:
    found = sum(_holds(make, seed) for seed in range(CASES))
    assert found >= least * CASES, f"only {found} of {CASES} were found"


def _holds(make: Callable[[Trees, Random], Pair], seed: int) -> bool:
    random = Random(seed)
    trees = Trees(random, SOURCES)
    pair = [_simple(node) for node in make(trees, random)]
    view, query = pair
    names = tuple((f"c{at}", "bigint") for at, _ in enumerate(columns_of(view.tree)))
    types = [trees.types.get(id) for id in columns_of(view.tree)]
    columns = tuple(
        (name, "bigint" if type is None else type.type)
        for (name, _), type in zip(names, types, strict=True)
    )
    stored = StoredView("mv", "mv", view.tree, columns)
    made = rewrite(query, [stored])
    if not made.used:
        return False
    assert "mv" in sources_of(made.query.tree)
    engine = Engine()
    tables = Tables(random, dict.fromkeys(SOURCES, Change.ANY))
    for _ in range(STATES):
        rows = Rows(tuple(name for name, _ in columns), engine.bag(view.tree, World(tables.rows)))
        world = World({**tables.rows, "mv": rows})
        before, after = engine.bag(query.tree, world), engine.bag(made.query.tree, world)
        assert before == after, f"seed {seed}\n{view.tree}\n{query.tree}\n{made.query.tree}"
        tables.change()
    ids = [id for node in nodes_of(made.query.tree) for id in columns_of(node)]
    assert ids
    return True


def _simple(node: Node) -> Query:
    names = tuple(str(place) for place in range(len(columns_of(node))))
    return simplify(Query(node, names))
