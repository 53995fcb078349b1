"""The law of opaque: new = old + delta."""

from __future__ import annotations

from random import Random

from headwater.algebra.nodes import Node
from tests.laws.law import FEW, law
from tests.laws.making import Trees


def _make(trees: Trees, random: Random) -> Node:
    return trees.opaque()


test_an_opaque_query_changes_by_its_delta = law(_make)

test_an_opaque_query_changes_by_its_delta_also_with_the_date = law(_make, dated=True, examples=FEW)
