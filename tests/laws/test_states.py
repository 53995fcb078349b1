"""The law of states: kept groups change with the table, and both stay what the query says."""

from __future__ import annotations

from random import Random

from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from headwater.algebra.nodes import Aggregate, JoinKind, Node, Query, columns_of
from headwater.algebra.walk import nodes_of, sources_of
from headwater.incremental.maintenance import Maintenance
from headwater.incremental.plan import Outcome, plan, rebuild
from headwater.incremental.states import state_names, states_of
from tests.laws.engine import Engine, Rows, World
from tests.laws.inputs import some_input
from tests.laws.law import BATCHES, EXAMPLES, KINDS, SAME_DAY, SOURCES, applied, run
from tests.laws.making import Tables, Trees


def _make(trees: Trees, random: Random) -> Node:
    """A grouping somewhere in a query: alone, below a filter, a join or another grouping."""
    node = trees.aggregate(some_input(trees, random))
    match random.randrange(5):
        case 0:
            return trees.filter(node)
        case 1:
            return trees.aggregate(trees.project(node))
        case 2:
            return trees.join(random.choice((JoinKind.INNER, JoinKind.LEFT)), node, trees.scan())
        case 3:
            return trees.top_k(node)
    return trees.project(node)


@settings(
    max_examples=EXAMPLES,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(st.randoms(use_true_random=False))
def test_states_change_with_their_groups(random: Random) -> None:
    """Through several batches, each planned with the states that the one before left."""
    trees = Trees(random, SOURCES[: 2 + random.randrange(3)])
    tree = _make(trees, random)
    names = tuple(f"{place}" for place in range(len(columns_of(tree))))
    query = Query(tree, names)
    kinds = {source: random.choice(KINDS) for source in sorted(sources_of(tree))}
    known = dict(_states(tree, trees))
    built = rebuild(query, SAME_DAY, trees.types)
    assume(built is not None and known)
    assert built is not None
    tables, engine = Tables(random, kinds), Engine()
    world = World(tables.rows)
    assert run(built.rows, built.parts, world, engine) == engine.bag(tree, world)
    states = {
        name: Rows(state_names(known[name]), world.parts[name].bag) for name, _ in built.states
    }
    for _ in range(BATCHES):
        old, changes = tables.rows, tables.change()
        before, after = (engine.bag(tree, World(rows)) for rows in (old, tables.rows))
        world = World(tables.rows, old, changes, Rows(names, before), states=states)
        planned = plan(query, kinds, SAME_DAY, trees.types, states)
        found = run(planned.rows, planned.parts, world, engine)
        now = applied(before, found) if planned.kind is Outcome.CHANGE else before + found
        assert now == after
        states = {name: rows for name, rows in states.items() if name in planned.kept_states} | {
            change.name: Rows(
                states[change.name].names,
                applied(states[change.name].bag, engine.bag(change.rows, world)),
            )
            for change in planned.states
        }
        for name, rows in states.items():
            assert rows.bag == engine.bag(known[name], World(tables.rows)), name


def _states(tree: Node, trees: Trees) -> list[tuple[str, Aggregate]]:
    maintenance = Maintenance(tree, {}, SAME_DAY, trees.types)
    assert list(nodes_of(maintenance.tree))
    return [(state.name, state.node) for _, state in states_of(maintenance.tree, maintenance)]
