"""Filters go as far down as their columns let them, and become conditions of inner joins.

Law: the same rows. A filter passes an outer join only on the side that is kept, an aggregate only
if it is about keys, a window only if it is about the partition, and never a LIMIT.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from headwater.algebra.expressions import all_of, conjuncts, references, substituted
from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    Filter,
    Generate,
    Join,
    JoinKind,
    Node,
    Project,
    Scalar,
    Union,
    Window,
    column,
    columns_of,
)
from headwater.algebra.rewrites.common_conjuncts import common_conjuncts
from headwater.algebra.rewrites.order_joins import order_joins
from headwater.algebra.rewrites.reject_nulls import rejects_nulls
from headwater.algebra.walk import with_inputs

Conditions = tuple[Scalar, ...]


def push_filters(node: Node) -> Node:
    """The tree with its filters further down."""
    return _push(node, ())


def _push(node: Node, conditions: Conditions) -> Node:
    match node:
        case Filter(input=inner, condition=condition):
            return _push(inner, (*conditions, *_parts(condition)))
        case Project(input=inner, outputs=outputs):
            values = {output.id: output.value for output in outputs}
            below = tuple(substituted(condition, values) for condition in conditions)
            return replace(node, input=_push(inner, below))
        case Join(kind=JoinKind.INNER):
            return _inner(node, conditions)
        case Join(kind=JoinKind.FULL):
            return _filtered(_pushed_inside(node), conditions)
        case Join(kind=JoinKind.LEFT) if _needs_a_match(node, conditions):
            return _inner(replace(node, kind=JoinKind.INNER), conditions)
        case Join():
            return _one_sided(node, conditions)
        case Aggregate(input=inner, keys=keys):
            return _through(node, inner, conditions, keys)
        case Window(input=inner, partition=partition):
            return _through(node, inner, conditions, partition)
        case Generate(input=inner):
            return _through(node, inner, conditions, columns_of(inner))
        case Union(branches=branches, ids=ids):
            pushed = (_into_branch(branch, ids, conditions) for branch in branches)
            return replace(node, branches=tuple(pushed))
        case _:
            return _filtered(_pushed_inside(node), conditions)


def _parts(condition: Scalar | None) -> Conditions:
    return tuple(found for part in conjuncts(condition) for found in common_conjuncts(part))


def _pushed_inside(node: Node) -> Node:
    return with_inputs(node, push_filters)


def _filtered(node: Node, conditions: Iterable[Scalar]) -> Node:
    condition = all_of(conditions)
    return node if condition is None else Filter(node, condition)


def _inner(node: Join, conditions: Conditions) -> Node:
    """Inner joins that stand on each other are one set of inputs and one set of conditions."""
    inputs, found = _flattened(node)
    return order_joins(inputs, (*found, *conditions), _push)


def _flattened(node: Node) -> tuple[tuple[Node, ...], Conditions]:
    match node:
        case Join(kind=JoinKind.INNER, left=left, right=right, condition=condition):
            one, found = _flattened(left)
            other, more = _flattened(right)
            return (*one, *other), (*found, *more, *_parts(condition))
        case Filter(input=inner, condition=condition) if _is_inner_join(inner):
            inputs, found = _flattened(inner)
            return inputs, (*found, *_parts(condition))
        case _:
            return (node,), ()


def _is_inner_join(node: Node) -> bool:
    while isinstance(node, Filter):
        node = node.input
    return isinstance(node, Join) and node.kind is JoinKind.INNER


def _needs_a_match(node: Join, conditions: Conditions) -> bool:
    ids = frozenset(columns_of(node.right))
    return any(rejects_nulls(condition, ids) for condition in conditions)


def _one_sided(node: Join, conditions: Conditions) -> Node:
    """LEFT, SEMI and ANTI keep rows of the left side only."""
    left_ids, right_ids = frozenset(columns_of(node.left)), frozenset(columns_of(node.right))
    to_left = [condition for condition in conditions if _about(condition, left_ids)]
    above = [condition for condition in conditions if not _about(condition, left_ids)]
    kept, to_right = [], []
    for part in _parts(node.condition):
        if _about(part, right_ids):
            to_right.append(part)
        elif node.kind is JoinKind.SEMI and _about(part, left_ids):
            to_left.append(part)
        else:
            kept.append(part)
    made = Join(
        node.kind,
        _push(node.left, tuple(to_left)),
        _push(node.right, tuple(to_right)),
        all_of(kept),
    )
    return _filtered(made, above)


def _about(condition: Scalar, ids: frozenset[ColumnId]) -> bool:
    """A condition without columns is about nothing: it stays where it is."""
    found = references(condition)
    return bool(found) and found <= ids


def _through(
    node: Aggregate | Window | Generate,
    inner: Node,
    conditions: Conditions,
    passing: Iterable[ColumnId],
) -> Node:
    ids = frozenset(passing)
    below = tuple(condition for condition in conditions if _about(condition, ids))
    above = [condition for condition in conditions if not _about(condition, ids)]
    return _filtered(replace(node, input=_push(inner, below)), above)


def _into_branch(branch: Node, ids: tuple[ColumnId, ...], conditions: Conditions) -> Node:
    values = {id: column(own) for id, own in zip(ids, columns_of(branch), strict=True)}
    return _push(branch, tuple(substituted(condition, values) for condition in conditions))
