"""Only the columns that something above needs; scans keep one at least.

Invariant: the columns of the root stay, in their order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from headwater.algebra.expressions import references
from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    Filter,
    Generate,
    Join,
    Named,
    Node,
    Project,
    Scalar,
    Scan,
    TopK,
    Union,
    Window,
    column,
    columns_of,
)

Needed = frozenset[ColumnId]


def prune_columns(node: Node) -> Node:
    """The tree without columns that nobody reads."""
    return _exactly(node, columns_of(node))


def _exactly(node: Node, ids: tuple[ColumnId, ...]) -> Node:
    """A node with these columns in this order."""
    pruned = _prune(node, frozenset(ids))
    if columns_of(pruned) == ids:
        return pruned
    return Project(pruned, tuple(Named(id, column(id)) for id in ids))


def _prune(node: Node, needed: Needed) -> Node:
    """A node with these columns, and perhaps others."""
    match node:
        case Scan(fields=fields):
            kept = tuple(field for field in fields if field.id in needed)
            return replace(node, fields=kept or fields[:1])
        case Project(input=inner, outputs=outputs):
            named = tuple(output for output in outputs if output.id in needed) or outputs[:1]
            return Project(_prune(inner, _used(output.value for output in named)), named)
        case Filter(input=inner, condition=condition):
            return replace(node, input=_prune(inner, needed | references(condition)))
        case Join(left=left, right=right, condition=condition):
            wanted = needed | (references(condition) if condition is not None else frozenset())
            return replace(node, left=_prune(left, wanted), right=_prune(right, wanted))
        case Aggregate():
            return _aggregate(node, needed)
        case Window():
            return _window(node, needed)
        case Generate(input=inner, generator=generator):
            return replace(node, input=_prune(inner, needed | references(generator)))
        case TopK(input=inner, order=order):
            return replace(node, input=_prune(inner, needed | _used(order)))
        case Union(branches=branches, ids=ids):
            return _union(node, branches, ids, needed)
        case _:
            return node


def _used(scalars: Iterable[Scalar]) -> Needed:
    return frozenset(id for scalar in scalars for id in references(scalar))


def _aggregate(node: Aggregate, needed: Needed) -> Node:
    calls = tuple(call for call in node.calls if call.id in needed)
    if not calls and not node.keys:
        calls = node.calls[:1]
    inner = frozenset(node.keys) | _used(call.value for call in calls)
    return Aggregate(_prune(node.input, inner), node.keys, calls)


def _window(node: Window, needed: Needed) -> Node:
    calls = tuple(call for call in node.calls if call.id in needed)
    if not calls:
        return _prune(node.input, needed)
    inner = needed | frozenset(node.partition) | _used(call.value for call in calls)
    return Window(_prune(node.input, inner), node.partition, calls)


def _union(
    node: Union, branches: tuple[Node, ...], ids: tuple[ColumnId, ...], needed: Needed
) -> Node:
    places = [at for at, id in enumerate(ids) if id in needed] or [0]
    pruned = (
        _exactly(branch, tuple(columns_of(branch)[at] for at in places)) for branch in branches
    )
    return Union(tuple(pruned), tuple(ids[at] for at in places))
