"""The law of inner joins: new = old + delta, for two to four inputs."""

from __future__ import annotations

from random import Random

from headwater.algebra.nodes import JoinKind, Node
from tests.laws.inputs import some_input
from tests.laws.law import FEW, law
from tests.laws.making import Trees


def _two(trees: Trees, random: Random) -> Node:
    return trees.join(JoinKind.INNER, some_input(trees, random), some_input(trees, random))


def _many(trees: Trees, random: Random) -> Node:
    rows = trees.scan()
    for _ in range(2 + random.randrange(2)):
        other = trees.scan()
        sides = (rows, other) if random.randrange(2) else (other, rows)
        rows = trees.join(JoinKind.INNER, *sides)
    return rows


test_a_join_of_two_changes_by_its_delta = law(_two)

test_a_join_of_many_changes_by_its_delta = law(_many)

test_a_join_by_the_date_changes_by_its_delta = law(_two, dated=True, examples=FEW)
