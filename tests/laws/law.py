"""The law that every rule is held to, on made-up tables: new = old + delta, and honest flags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import timedelta
from random import Random

from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from headwater.algebra.nodes import Node, Opaque, Query, columns_of
from headwater.algebra.walk import nodes_of, sources_of
from headwater.incremental.deltas import Change, Delta
from headwater.incremental.maintenance import Dates, Maintenance
from headwater.incremental.narrowing import Origins, Place, narrowed
from headwater.incremental.parts import Part
from headwater.incremental.plan import DeltaPlan, Outcome, plan
from headwater.incremental.rewriting import CHANGED, GONE, NEW
from headwater.incremental.spans import Spans, spans_of
from tests.laws.engine import Bag, Engine, Rows, World
from tests.laws.making import Tables, Trees
from tests.laws.scalars import DAY_ZERO

BATCHES = 5
EXAMPLES = 400
"""With as many batches each: two thousand cases for each law."""

FEW = 100
"""For what is the same for many operators: a change of the date."""

SOURCES = ("r", "s", "t", "u")

SAME_DAY = Dates(DAY_ZERO, DAY_ZERO)

KINDS = (Change.INSERTS, Change.ANY, Change.ANY, Change.NONE)

Made = Callable[[Trees, Random], Node]


def holds(make: Made, random: Random, *, dated: bool = False) -> None:
    """Make a tree and check it through some batches, as a delta and as a whole plan."""
    trees = Trees(random, SOURCES[: 2 + random.randrange(3)], dated=dated)
    tree = make(trees, random)
    kinds = {source: random.choice(KINDS) for source in sorted(sources_of(tree))}
    days = random.choice(((0, 1), (0, 2), (1, 2), (2, 0), (1, 1))) if dated else (0, 0)
    dates = Dates(*(DAY_ZERO + timedelta(days=day) for day in days))
    maintenance = Maintenance(tree, kinds, dates, trees.types)
    delta = maintenance.delta(maintenance.tree)
    (rows,), parts = maintenance.parts.used_by(delta.node if delta else tree)
    query = Query(tree, tuple(f"{place}" for place in range(len(columns_of(tree)))))
    planned = plan(query, kinds, dates, trees.types)
    small = plan(query, kinds, dates, trees.types, small=True)
    tables, engine = Tables(random, kinds), Engine()
    for _ in range(BATCHES):
        old = tables.rows
        changes = tables.change()
        before = engine.bag(tree, World(old, today=days[0], clock=days[0]))
        after = engine.bag(tree, World(tables.rows, today=days[1], clock=days[1]))
        stored = Rows(query.names, before)
        world = World(tables.rows, old, changes, stored, clock=days[1])
        try:
            if not _has_dated_text(maintenance):
                change = None if delta is None else run(rows, parts, world, engine)
                _check_delta(delta, change, before, after)
            _check_plan(planned, world, engine, before, after)
            _check_plan(_narrowed(planned, changes), world, engine, before, after)
            if small.kind is Outcome.REWRITE:
                _check_rewrite(small, world, engine, before, after)
        except AssertionError:
            note(f"{kinds} {days}\n{tree}\nold: {old}\nchanges: {changes}\n{planned}")
            raise


def law(make: Made, *, dated: bool = False, examples: int = EXAMPLES) -> Callable[[], None]:
    """A test that holds two thousand made-up cases to the law."""

    @settings(
        max_examples=examples,
        phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(st.randoms(use_true_random=False))
    def test(random: Random) -> None:
        holds(make, random, dated=dated)

    return test


def _has_dated_text(maintenance: Maintenance) -> bool:
    """Whether only the whole plan is right, since no old date can be put into a text."""
    nodes = nodes_of(maintenance.tree)
    return any(isinstance(node, Opaque) and maintenance.dated(node) for node in nodes)


def _check_delta(delta: Delta | None, change: Bag | None, before: Bag, after: Bag) -> None:
    if delta is None or change is None:
        assert before == after
        return
    assert applied(before, change) == after
    if delta.insert_only:
        assert all(row[-1] == 1 for row in change)
    if delta.minimal:
        _check_minimal(change)


def _check_plan(planned: DeltaPlan, world: World, engine: Engine, before: Bag, after: Bag) -> None:
    found = run(planned.rows, planned.parts, world, engine)
    if planned.kind is Outcome.CHANGE:
        _check_minimal(found)
        assert applied(before, found) == after
    else:
        assert planned.kind is Outcome.APPEND or not found
        assert before + found == after


def _check_rewrite(
    planned: DeltaPlan, world: World, engine: Engine, before: Bag, after: Bag
) -> None:
    found = run(planned.rows, planned.parts, world, engine)
    stay = Counter(row[:-1] for row in found.elements() if row[-1] != GONE)
    assert stay == after
    by_fate = Counter(row[-1] for row in found.elements())
    assert by_fate[CHANGED] + by_fate[GONE] == (before - after).total()
    assert by_fate[CHANGED] + by_fate[NEW] == (after - before).total()


def _narrowed(planned: DeltaPlan, changes: Mapping[str, Rows]) -> DeltaPlan:
    """The plan with the spans of this change, few of them, so that they hold what is not in it."""

    def ask(origins: Origins, place: Place) -> Spans:
        found = (
            row[changes[source].names.index(name)]
            for source, name in origins
            for row in changes[source].bag
        )
        return spans_of((value for value in found if value is not None), most=2)

    return narrowed(planned, ask)


def run(rows: Node, parts: tuple[Part, ...], world: World, engine: Engine) -> Bag:
    """The rows of a plan, its parts computed once."""
    world.parts = {}
    for part in parts:
        world.parts[part.name] = Rows(columns_of(part.node), engine.bag(part.node, world))
    return engine.bag(rows, world)


def applied(before: Bag, change: Bag) -> Bag:
    """The rows after a change; it may not take away what is not there."""
    after = Counter(before)
    for row, times in change.items():
        after[row[:-1]] += row[-1] * times
    assert min(after.values(), default=0) >= 0
    return +after


def _check_minimal(change: Bag) -> None:
    rows = [row[:-1] for row in change.elements()]
    assert len(rows) == len(set(rows))
    assert all(row[-1] for row in change)
