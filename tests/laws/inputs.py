"""Inputs for the operator under a law: sources, mostly, and what has deltas of other kinds."""

from __future__ import annotations

from random import Random

from headwater.algebra.nodes import Node
from tests.laws.making import Trees


def some_input(trees: Trees, random: Random) -> Node:
    """A source, or a source under one operator; a grouping has a minimal delta."""
    scan = trees.scan()
    match random.randrange(8):
        case 0:
            return trees.filter(scan)
        case 1:
            return trees.project(scan)
        case 2:
            return trees.aggregate(scan, keys=2)
        case 3:
            return trees.union(scan, trees.scan())
        case _:
            return scan
