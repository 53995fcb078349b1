"""The change of a grouping from its old groups and the groups of the change.

Law: new(group) = merged(old(group), group of delta); a group is gone when no row is left in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.nodes import (
    WEIGHT,
    Aggregate,
    ColumnId,
    Filter,
    Join,
    JoinKind,
    Named,
    Node,
    Project,
    Scalar,
    column,
    columns_of,
)
from headwater.incremental.conjuncts import all_of
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.keys import prime, same_keys
from headwater.incremental.merging import Merge, added
from headwater.incremental.weights import gathered, kept, weight_of

ROWS: ColumnId = "#rows"
"""How many rows a group has."""
_THERE: ColumnId = "#there"


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of a change, primed, and how each call is merged with them.

    `rows` is the call of the grouping that counts its rows; None if groups only grow.
    """

    node: Aggregate
    merges: tuple[Merge, ...]
    change: Node
    rows: ColumnId | None


def groups_of(
    node: Aggregate,
    merges: tuple[Merge, ...],
    below: Delta,
    tree: Maintained,
    rows: ColumnId | None,
) -> Groups:
    """The groups of the changed rows, computed once."""
    parts = [part for merge in merges for part in merge.of_change]
    if rows == ROWS:
        parts.append(Named(prime(ROWS), exp.Sum(this=column(WEIGHT))))
    grouped = Aggregate(below.node, node.keys, tuple(parts))
    outputs = [Named(prime(key), column(key)) for key in node.keys]
    outputs += kept([part.id for part in parts])
    return Groups(node, merges, tree.shared(Project(grouped, tuple(outputs))), rows)


def old_calls(groups: Groups) -> tuple[Named, ...]:
    """What must be known of the old groups."""
    counted = (Named(ROWS, exp.Count(this=exp.Star())),) if groups.rows == ROWS else ()
    further = (call for merge in groups.merges for call in merge.kept)
    return (*groups.node.calls, *further, *counted)


def merged(groups: Groups, old: Node, tree: Maintained) -> Delta:
    """The change, given the old groups with `old_calls`, at least those that the change touches."""
    keys = groups.node.keys
    there = Project(old, (*kept(columns_of(old)), Named(_THERE, exp.true())))
    kind = JoinKind.LEFT if keys else JoinKind.INNER
    both = tree.shared(Join(kind, groups.change, there, same_keys(keys, tree)))
    was = exp.Not(this=exp.Is(this=column(_THERE), expression=exp.null()))
    stays = _has_rows(groups) if keys else None
    same = [
        exp.NullSafeEQ(this=column(merge.id), expression=merge.new.copy())
        for merge in groups.merges
    ]
    new_rows = [Named(key, column(prime(key))) for key in keys]
    new_rows += [Named(merge.id, merge.new) for merge in groups.merges]
    came = _rows(both, new_rows, [stays, _unless([was, *same])], 1)
    if groups.rows is None and not groups.merges:
        return Delta(came, Rule.MERGED_GROUPS, insert_only=True, minimal=True)
    ids = columns_of(groups.node)
    went = _rows(both, _old_rows(keys, ids), [was, _unless([stays, *same])], -1)
    return Delta(gathered([came, went], ids), Rule.MERGED_GROUPS, minimal=True)


def _has_rows(groups: Groups) -> Scalar | None:
    if groups.rows is None:
        return None
    left = added(column(groups.rows), column(prime(groups.rows)))
    return exp.GT(this=left, expression=exp.Literal.number(0))


def _old_rows(keys: Sequence[ColumnId], ids: Sequence[ColumnId]) -> list[Named]:
    # A key of the old side is the same as the primed one, which is there in every row.
    return [Named(id, column(prime(id) if id in keys else id)) for id in ids]


def _unless(conditions: Sequence[Scalar | None]) -> Scalar | None:
    """Not all of them; none of them is ever NULL."""
    whole = all_of([condition for condition in conditions if condition is not None])
    return exp.Not(this=exp.Paren(this=whole)) if whole is not None else exp.false()


def _rows(
    both: Node, outputs: Sequence[Named], conditions: Sequence[Scalar | None], weight: int
) -> Node:
    condition = all_of([condition for condition in conditions if condition is not None])
    chosen = both if condition is None else Filter(both, condition)
    return Project(chosen, (*outputs, Named(WEIGHT, weight_of(weight))))
