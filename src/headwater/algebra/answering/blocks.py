"""A tree as leaves, conditions and columns: what stands between them filters, joins and computes.

Law: the rows of a node are those of `joined` under `conditions`, its columns `values` of them. The
leaves are whatever is no projection, no filter and no inner join.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headwater.algebra.expressions import conjuncts, substituted
from headwater.algebra.nodes import (
    ColumnId,
    Filter,
    Join,
    JoinKind,
    Node,
    Project,
    Scalar,
    column,
    columns_of,
)


@dataclass(frozen=True, slots=True)
class Block:
    """Pairs of all leaves for which all conditions are true; `values` are in columns of leaves."""

    leaves: tuple[Node, ...]
    conditions: tuple[Scalar, ...]
    values: Mapping[ColumnId, Scalar]


def block_of(node: Node) -> Block:
    """A node taken apart down to its leaves."""
    match node:
        case Project(input=inner, outputs=outputs):
            block = block_of(inner)
            values = {item.id: substituted(item.value, block.values) for item in outputs}
            return Block(block.leaves, block.conditions, values)
        case Filter(input=inner, condition=condition):
            block = block_of(inner)
            more = _inside(condition, block.values)
            return Block(block.leaves, (*block.conditions, *more), block.values)
        case Join(kind=JoinKind.INNER, left=left, right=right, condition=condition):
            ours, theirs = block_of(left), block_of(right)
            values = {**ours.values, **theirs.values}
            conditions = (*ours.conditions, *theirs.conditions, *_inside(condition, values))
            return Block((*ours.leaves, *theirs.leaves), conditions, values)
        case _:
            return Block((node,), (), {id: column(id) for id in columns_of(node)})


def joined(leaves: tuple[Node, ...]) -> Node:
    """The pairs of all leaves."""
    first, *rest = leaves
    for leaf in rest:
        first = Join(JoinKind.INNER, first, leaf)
    return first


def _inside(condition: Scalar | None, values: Mapping[ColumnId, Scalar]) -> tuple[Scalar, ...]:
    return tuple(substituted(part, values) for part in conjuncts(condition))
