"""The law of project: new = old + delta."""

from __future__ import annotations

from random import Random

from headwater.algebra.nodes import Node
from tests.laws.inputs import some_input
from tests.laws.law import FEW, law
from tests.laws.making import Trees


def _make(trees: Trees, random: Random) -> Node:
    return trees.project(some_input(trees, random))


test_project_changes_by_its_delta = law(_make)

test_project_changes_by_its_delta_also_with_the_date = law(_make, dated=True, examples=FEW)
