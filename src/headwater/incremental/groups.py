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
    Generate,
    Join,
    JoinKind,
    Named,
    Node,
    Project,
    Scalar,
    column,
    columns_of,
)
from headwater.incremental.checks import sound, with_copies
from headwater.incremental.conjuncts import all_of
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.keys import prime, same_keys
from headwater.incremental.merging import Merge, added, is_row_count
from headwater.incremental.weights import kept, weight_of

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


def row_count_of(node: Aggregate, tree: Maintained) -> ColumnId | None:
    """The call of a grouping that counts its rows, if it has one."""
    return next((call.id for call in node.calls if is_row_count(call.value, tree)), None)


def groups_of(
    node: Aggregate,
    merges: tuple[Merge, ...],
    below: Delta,
    tree: Maintained,
    rows: ColumnId | None,
) -> Groups:
    """The groups of the changed rows, computed once."""
    # A sum and the count beside it may both ask for the count of the change.
    parts = list({part.id: part for merge in merges for part in merge.of_change}.values())
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


def merged(groups: Groups, old: Node, tree: Maintained, *, stored: bool = False) -> Delta:
    """The change, given the old groups with `old_calls`, at least those that the change touches.

    Groups that are `stored` are checked: each has to be there once.
    """
    keys = groups.node.keys
    there = Project(old, (*kept(columns_of(old)), Named(_THERE, exp.true())))
    kind = JoinKind.LEFT if keys else JoinKind.INNER
    both: Node = Join(kind, groups.change, there, same_keys(keys, tree))
    if keys and stored:
        both = with_copies(both, tuple(prime(key) for key in keys))
    was = exp.Not(this=exp.Is(this=column(_THERE), expression=exp.null()))
    stays = _has_rows(groups) if keys else None
    same = [
        exp.NullSafeEQ(this=column(merge.id), expression=merge.new.copy())
        for merge in groups.merges
    ]
    came = _all([stays, _unless([was, *same])])
    left = _left(groups) if keys else None
    came = sound(came, left, copies=bool(keys) and stored)
    if groups.rows is None and not groups.merges:
        outputs = [*_new_rows(groups), Named(WEIGHT, weight_of(1))]
        change = Project(Filter(both, came), tuple(outputs))
        return Delta(change, Rule.MERGED_GROUPS, insert_only=True, minimal=True)
    went = _all([was, _unless([stays, *same])])
    return Delta(_both_ways(groups, both, came, went), Rule.MERGED_GROUPS, minimal=True)


def _both_ways(groups: Groups, both: Node, came: Scalar, went: Scalar) -> Node:
    """Each group once as it is and once as it was, so that both are read in one go."""
    weights = exp.Explode(this=exp.Array(expressions=[weight_of(1), weight_of(-1)]))
    is_new = exp.GT(this=column(WEIGHT), expression=exp.Literal.number(0))
    chosen = exp.Case(ifs=[exp.If(this=is_new, true=came)], default=went)
    outputs = [Named(key, column(prime(key))) for key in groups.node.keys]
    for named in _new_rows(groups)[len(outputs) :]:
        when = exp.If(this=is_new.copy(), true=named.value.copy())
        outputs.append(Named(named.id, exp.Case(ifs=[when], default=column(named.id))))
    rows = Filter(Generate(both, weights, (WEIGHT,)), chosen)
    return Project(rows, (*outputs, *kept((WEIGHT,))))


def _new_rows(groups: Groups) -> list[Named]:
    keys = [Named(key, column(prime(key))) for key in groups.node.keys]
    return keys + [Named(merge.id, merge.new) for merge in groups.merges]


def _has_rows(groups: Groups) -> Scalar | None:
    left = _left(groups)
    return None if left is None else exp.GT(this=left, expression=exp.Literal.number(0))


def _left(groups: Groups) -> Scalar | None:
    """How many rows a group has now; None if groups only grow."""
    if groups.rows is None:
        return None
    return added(column(groups.rows), column(prime(groups.rows)))


def _unless(conditions: Sequence[Scalar | None]) -> Scalar:
    """Not all of them; none of them is ever NULL."""
    return exp.Not(this=exp.Paren(this=_all(conditions)))


def _all(conditions: Sequence[Scalar | None]) -> Scalar:
    return all_of([condition for condition in conditions if condition is not None]) or exp.true()
