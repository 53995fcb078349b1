"""The keys that a change touches, and the rows of a relation that have one of them.

Columns of touched keys are primed, `id'`, so that they can stand beside the columns they are of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    Join,
    JoinKind,
    Named,
    Node,
    Project,
    Scalar,
    column,
)
from headwater.incremental.conjuncts import all_of
from headwater.incremental.deltas import Maintained


def prime(id: ColumnId) -> ColumnId:
    """The id of a column's second appearance."""
    return f"{id}'"


def touched_keys(change: Node, keys: Sequence[ColumnId], tree: Maintained) -> Node:
    """The distinct keys in a change, primed; computed once."""
    primed = tuple(Named(prime(key), column(key)) for key in keys)
    return tree.shared(Aggregate(Project(change, primed), tuple(named.id for named in primed)))


def with_keys(rows: Node, touched: Node, condition: Scalar) -> Node:
    """The rows that have a touched key."""
    return Join(JoinKind.SEMI, rows, touched, condition)


def same_keys(
    keys: Sequence[ColumnId],
    tree: Maintained,
    *,
    named: Mapping[ColumnId, ColumnId] | None = None,
) -> Scalar | None:
    """Each key is that of the touched keys, NULL equal to NULL; `named` says what a key is called.

    Plain equality where no NULL can be: Spark prunes files and builds filters from it.
    """
    names = named or {}
    pairs = [_same(key, names.get(key, key), tree) for key in keys]
    return all_of(pairs)


def _same(key: ColumnId, name: ColumnId, tree: Maintained) -> Scalar:
    compare = exp.NullSafeEQ if tree.nullable(key) else exp.EQ
    return compare(this=column(name), expression=column(prime(key)))
