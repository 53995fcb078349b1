"""Made-up queries of every operator, up to five deep, over two to four tables."""

from __future__ import annotations

from random import Random

from headwater.algebra.nodes import JoinKind, Node
from tests.laws.inputs import some_input
from tests.laws.law import FEW, law
from tests.laws.making import Trees


def _tree(trees: Trees, random: Random, depth: int) -> Node:
    if depth <= 1:
        return trees.values() if random.randrange(8) == 0 else trees.scan()
    inner = _tree(trees, random, depth - 1)
    match random.randrange(10):
        case 0:
            return trees.project(inner)
        case 1:
            return trees.filter(inner)
        case 2:
            return trees.union(inner, _tree(trees, random, depth - 2))
        case 3 | 4:
            kind = random.choice(tuple(JoinKind))
            other = _tree(trees, random, depth - 2)
            return trees.join(kind, *((inner, other) if random.randrange(2) else (other, inner)))
        case 5 | 6:
            return trees.aggregate(inner)
        case 7:
            return trees.window(inner)
        case 8:
            return trees.top_rows(inner)
        case _:
            return trees.generate(inner) if random.randrange(2) else trees.top_k(inner)


def _make(trees: Trees, random: Random) -> Node:
    return _tree(trees, random, 2 + random.randrange(4))


def _below_projections(trees: Trees, random: Random) -> Node:
    """What a whole plan finds in the table: groups and partitions below renaming and HAVING."""
    makers = (trees.aggregate, trees.aggregate, trees.window, trees.top_rows, trees.top_k)
    node = random.choice(makers)(some_input(trees, random))
    if random.randrange(3) == 0:
        node = trees.filter(node)
    return trees.renamed(node) if random.randrange(3) else trees.project(node)


test_a_query_changes_by_its_plan = law(_make)

test_a_query_changes_by_its_plan_also_with_the_date = law(_make, dated=True, examples=FEW)

test_a_query_over_groups_changes_by_its_plan = law(_below_projections)

test_a_query_over_groups_changes_by_its_plan_also_with_the_date = law(
    _below_projections, dated=True
)
