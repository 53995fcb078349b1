"""Which columns of a node may have other values when the same rows are worked out once more.

A sum of floating-point numbers depends on the order of the rows, and so does a collected list. What
the table holds of them can be replaced, but not found again by its value.
"""

from __future__ import annotations

from sqlglot import exp

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
    TopK,
    Union,
    Window,
    columns_of,
    inputs_of,
)
from headwater.algebra.walk import scalars_of
from headwater.incremental.conjuncts import columns_in
from headwater.incremental.deltas import Maintained

# Whatever the order: the same value.
_STABLE = (
    exp.Count,
    exp.CountIf,
    exp.Min,
    exp.Max,
    exp.LogicalAnd,
    exp.LogicalOr,
    exp.BitwiseAndAgg,
    exp.BitwiseOrAgg,
    exp.BitwiseXorAgg,
    exp.ApproxDistinct,
    exp.Quantile,
    exp.Median,
)
_BY_PLACE = (
    exp.RowNumber,
    exp.Rank,
    exp.DenseRank,
    exp.PercentRank,
    exp.CumeDist,
    exp.Ntile,
    exp.Lag,
    exp.Lead,
    exp.FirstValue,
    exp.LastValue,
    exp.NthValue,
)
_EXACT = (exp.Sum, exp.Avg)
_SMALL = ("tinyint", "smallint", "int")

Unstable = frozenset[ColumnId]


def unstable_columns(node: Node, tree: Maintained) -> Unstable | None:
    """The columns; None if even the number of rows may differ.

    Windows are taken for stable: their order is the user's to make total.
    """
    below: set[ColumnId] = set()
    for inner in inputs_of(node):
        found = unstable_columns(inner, tree)
        if found is None:
            return None
        below |= found
    match node:
        case Project(outputs=outputs):
            return frozenset(named.id for named in outputs if columns_in(named.value) & below)
        case Aggregate(keys=keys, calls=calls):
            if below.intersection(keys):
                return None
            return frozenset(call.id for call in calls if not _is_stable(call, below, tree))
        case Union(branches=branches, ids=ids):
            places = {
                place
                for branch in branches
                for place, id in enumerate(columns_of(branch))
                if id in below
            }
            return frozenset(ids[place] for place in places)
        case Window(partition=partition, calls=calls):
            if below.intersection(partition):
                return None
            return frozenset(
                below | {call.id for call in calls if not _is_stable_window(call, below, tree)}
            )
        case Filter() | Join() | Generate() | TopK():
            read = {id for scalar in scalars_of(node) for id in columns_in(scalar)}
            return None if below & read else frozenset(below)
    return frozenset(below)


def _is_stable_window(call: Named, below: set[ColumnId], tree: Maintained) -> bool:
    if columns_in(call.value) & below:
        return False
    function = call.value.this
    return isinstance(function, _BY_PLACE) or _is_order_free(function, call.id, tree)


def _is_stable(call: Named, below: set[ColumnId], tree: Maintained) -> bool:
    value = call.value.this if isinstance(call.value, exp.Filter) else call.value
    return not columns_in(call.value) & below and _is_order_free(value, call.id, tree)


def _is_order_free(value: Scalar, id: ColumnId, tree: Maintained) -> bool:
    if isinstance(value, _STABLE):
        return True
    if not isinstance(value, _EXACT):
        return False
    if not tree.is_float(id):
        return True
    # The average of small integers is a quotient of exact sums.
    return isinstance(value.this, exp.Column) and tree.type_of(value.this.name) in _SMALL
