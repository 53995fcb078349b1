"""All rows of a small table after its groups have changed, worked out in one go.

A change of groups says which rows go and which come, and a small table is then written anew by
putting the change to its rows. Where the table holds the groups themselves, both are one grouping:
of the table's rows and of the changed rows together.

Law: new(T) = the rows whose fate is not GONE, and T = those whose fate is not NEW, as they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    Filter,
    Named,
    Node,
    Project,
    Query,
    Scalar,
    Union,
    column,
    columns_of,
)
from headwater.incremental.checks import COPIES, sound
from headwater.incremental.conjuncts import all_of
from headwater.incremental.deltas import Delta, Rule
from headwater.incremental.keys import prime
from headwater.incremental.maintenance import Maintenance
from headwater.incremental.merging import Merge, added
from headwater.incremental.stored import Top, mergeable, top_of
from headwater.incremental.weights import kept

FATE: ColumnId = "#fate"
STAYED, NEW, CHANGED, GONE = range(4)
"""What became of a group: of a changed one the row is that of now, of a gone one there is none."""
_THERE: ColumnId = "#there"


def rewritten(query: Query, tree: Maintenance) -> Node | None:
    """Every group the table holds or gets, with its FATE behind; None if that does not fit."""
    top = top_of(query, tree)
    if top is None or tree.has_states or any(tree.dated(node) for node in top.above):
        return None
    node = top.core
    if not isinstance(node, Aggregate) or tree.dated(node):
        return None
    found = mergeable(top, node, tree)
    if found is None:
        return None
    grouped = _grouped(top, node, found.merges, found.below)
    groups = _judged(grouped, node, found.merges, found.rows)
    delta = Delta(found.below.node, Rule.MERGED_GROUPS, minimal=True)
    tree.decided(node, delta, stored=True)
    for above in top.above:
        tree.decided(above, replace(delta, rule=Rule.LINEAR))
    return _under_projections(top, groups)


def _grouped(top: Top, node: Aggregate, merges: Sequence[Merge], below: Delta) -> Node:
    """The groups of stored rows and changed rows together: what was, and what the change adds."""
    held = [merge.id for merge in merges]
    brought = [id for id in columns_of(below.node) if id not in node.keys]
    ids = (*node.keys, *held, *brought, _THERE)
    stored = top.rows_of(top.stored, columns_of(node))
    nothing = exp.null
    was = Project(
        stored,
        (
            *kept((*node.keys, *held)),
            *(Named(id, nothing()) for id in brought),
            Named(_THERE, exp.Literal.number(1)),
        ),
    )
    comes = Project(
        below.node,
        (
            *kept(node.keys),
            *(Named(id, nothing()) for id in held),
            *kept(brought),
            Named(_THERE, nothing()),
        ),
    )
    parts = {part.id: part for merge in merges for part in merge.of_change}
    calls = [
        # One row of the table is in a group, so any of them is the one.
        *(Named(id, exp.Max(this=column(id))) for id in held),
        *(Named(id, _of_change(part.value)) for id, part in parts.items()),
        Named(COPIES, exp.Count(this=column(_THERE))),
    ]
    return Aggregate(Union((was, comes), ids), node.keys, tuple(calls))


def _of_change(call: Scalar) -> Scalar:
    """An aggregate over the changed rows alone."""
    changed: Scalar = exp.Is(this=column(_THERE), expression=exp.null())
    if isinstance(call, exp.Filter):
        given = exp.Paren(this=call.expression.this.copy())
        changed = exp.And(this=given, expression=changed)
        call = call.this
    return exp.Filter(this=call.copy(), expression=exp.Where(this=changed))


def _judged(grouped: Node, node: Aggregate, merges: Sequence[Merge], rows: ColumnId | None) -> Node:
    """The groups as they are now, each with its fate; those that never were are left out."""
    one = exp.Literal.number(1)
    there: Scalar = exp.GTE(this=column(COPIES), expression=one)
    left = None if rows is None else added(column(rows), column(prime(rows)))
    stays: Scalar = exp.true()
    if left is not None:
        stays = exp.GT(this=left.copy(), expression=exp.Literal.number(0))
    same = all_of(
        [
            exp.NullSafeEQ(this=column(merge.id), expression=exp.Paren(this=merge.new.copy()))
            for merge in merges
        ]
    )
    fate = exp.Case(
        ifs=[
            exp.If(this=exp.Not(this=exp.Paren(this=stays.copy())), true=_number(GONE)),
            exp.If(this=exp.Not(this=exp.Paren(this=there.copy())), true=_number(NEW)),
            exp.If(this=same or exp.true(), true=_number(STAYED)),
        ],
        default=_number(CHANGED),
    )
    exists = exp.Or(this=exp.Paren(this=there), expression=exp.Paren(this=stays))
    seen = Filter(grouped, sound(exists, left, copies=True))
    values = [Named(merge.id, merge.new) for merge in merges]
    return Project(seen, (*kept(node.keys), *values, Named(FATE, fate)))


def _under_projections(top: Top, groups: Node) -> Node:
    rows = groups
    for node in reversed(top.above):
        assert isinstance(node, Project)
        rows = Project(rows, (*node.outputs, *kept((FATE,))))
    return rows


def _number(value: int) -> Scalar:
    return exp.Literal.number(value)
