"""EXISTS and IN: as joins that filter, and as columns that say whether.

`x NOT IN (q)` is true if q has no row, or if x and all of q are not NULL and x is not in q. So it
is three anti joins: against the equal values, against a NULL in q, and for NULL x against any row.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.binding.correlation import is_equality, split_tie
from headwater.algebra.binding.rows import Rows, as_columns
from headwater.algebra.binding.subquery import Binding, Bound, Purpose
from headwater.algebra.binding.top import closed
from headwater.algebra.copies import fresh_copy
from headwater.algebra.expressions import all_of, bare, call, in_parens, number
from headwater.algebra.functions import is_query
from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    Filter,
    Join,
    JoinKind,
    Named,
    Node,
    Project,
    Scalar,
    Union,
    column,
    columns_of,
)
from headwater.algebra.refusal import Reason, refuse


def query_of(predicate: exp.Expression) -> exp.Expression | None:
    """The sub-query of EXISTS or IN; None for those over a list or an array."""
    query = predicate.args.get("query") if isinstance(predicate, exp.In) else predicate.this
    return query if is_query(query) else None


def join_existing(binding: Binding, predicate: exp.Exists, rows: Rows, kind: JoinKind) -> Rows:
    """EXISTS, or with ANTI its negation, as a filter."""
    bound = _rows_that_exist(binding, predicate, rows)
    if not bound.conditions:
        flag = _any_row(binding, bound.node)
        return rows.over(Join(kind, rows.node, flag))
    return rows.over(Join(kind, rows.node, bound.node, all_of(bound.conditions)))


def join_members(binding: Binding, predicate: exp.In, rows: Rows) -> Rows:
    """IN as a filter."""
    left = _left_side(predicate)
    bound = _values(binding, predicate, rows)
    condition = all_of((*bound.conditions, *_equalities(left, bound, rows)))
    return rows.over(Join(JoinKind.SEMI, rows.node, bound.node, condition))


def join_non_members(binding: Binding, predicate: exp.In, rows: Rows) -> Rows:
    """NOT IN as a filter."""
    left = _left_side(predicate)
    bound = _values(binding, predicate, rows)
    equal = _equalities(left, bound, rows)
    if len(left) > 1:
        maybe = call("coalesce", _needed(all_of(equal)), exp.true())
        condition = all_of((*bound.conditions, maybe))
        return rows.over(Join(JoinKind.ANTI, rows.node, bound.node, condition))
    condition = all_of((*bound.conditions, *equal))
    rows = rows.over(Join(JoinKind.ANTI, rows.node, bound.node, condition))
    unknown = _values(binding, predicate, rows)
    nulls = _null_rows(unknown)
    rows = rows.over(_anti_any(binding, rows, unknown, nulls, None))
    if isinstance(left[0], exp.Literal):
        return rows
    every = _values(binding, predicate, rows)
    is_null = exp.Is(this=in_parens(rows.bound(left[0])), expression=exp.null())
    return rows.over(_anti_any(binding, rows, every, every.node, is_null))


def exists_column(binding: Binding, predicate: exp.Exists, rows: Rows) -> tuple[Scalar, Rows]:
    """EXISTS as a value."""
    bound = _rows_that_exist(binding, predicate, rows)
    inner = Rows(bound.node)
    if all(is_equality(tie, inner) for tie in bound.conditions):
        return _flag(binding, bound, bound.node, rows)
    return _in_branches(binding, predicate, rows)


def _in_branches(binding: Binding, predicate: exp.Exists, rows: Rows) -> tuple[Scalar, Rows]:
    """The rows for which it is true and those for which it is false, each with that value."""
    if rows.outer is not None:
        # Columns get other ids, which conditions about the outside would not know.
        raise refuse("such an EXISTS inside of a sub-query", Reason.CORRELATION, predicate)
    copy, ids = fresh_copy(rows.node, binding.ids.new)
    others = Rows(copy, {name: ids[id] for name, id in rows.names.items()})
    there = _with_value(binding, join_existing(binding, predicate, rows, JoinKind.SEMI), exp.true())
    not_there = join_existing(binding, predicate, others, JoinKind.ANTI)
    branches = (there, _with_value(binding, not_there, exp.false()))
    before = columns_of(there)
    behind = {id: binding.ids.new(id.rpartition("#")[0]) for id in before}
    names = {name: behind[id] for name, id in rows.names.items()}
    union = Union(branches, tuple(behind.values()))
    return column(behind[before[-1]]), Rows(union, names)


def _with_value(binding: Binding, rows: Rows, value: Scalar) -> Node:
    return rows.extended((binding.ids.named("there", value),)).node


def member_column(binding: Binding, predicate: exp.In, rows: Rows) -> tuple[Scalar, Rows]:
    """IN as a value: Spark gives false where SQL says NULL."""
    left = _left_side(predicate)
    bound = _values(binding, predicate, rows)
    equal = _equalities(left, bound, rows)
    matching = replace(bound, conditions=(*bound.conditions, *equal))
    return _flag(binding, matching, matching.node, rows)


def non_member_column(binding: Binding, predicate: exp.In, rows: Rows) -> tuple[Scalar, Rows]:
    """NOT IN as a value: here too Spark gives false where SQL says NULL."""
    left = _left_side(predicate)
    if len(left) > 1:
        raise refuse("NOT IN of several columns as a value", Reason.SUBQUERY, predicate)
    found, rows = member_column(binding, predicate, rows)
    unknown = _values(binding, predicate, rows)
    has_null, rows = _flag(binding, unknown, _null_rows(unknown), rows)
    every = _values(binding, predicate, rows)
    has_any, rows = _flag(binding, every, every.node, rows)
    is_null = exp.Is(this=in_parens(rows.bound(left[0])), expression=exp.null())
    unsure = exp.Paren(this=exp.And(this=is_null, expression=has_any))
    maybe = exp.Or(this=exp.Or(this=found, expression=has_null), expression=unsure)
    return exp.Not(this=exp.Paren(this=maybe)), rows


def _left_side(predicate: exp.In) -> list[exp.Expression]:
    left = bare(predicate.this)
    return list(left.expressions) if isinstance(left, exp.Tuple) else [left]


def _values(binding: Binding, predicate: exp.In, rows: Rows) -> Bound:
    query = query_of(predicate)
    if query is None:
        raise refuse("IN", Reason.SYNTAX_UNKNOWN, predicate)
    return _without_lost_rows(binding.query(query, rows, Purpose.MEMBERSHIP))


def _rows_that_exist(binding: Binding, predicate: exp.Exists, rows: Rows) -> Bound:
    return _without_lost_rows(binding.query(predicate.this, rows, Purpose.EXISTENCE))


def _without_lost_rows(bound: Bound) -> Bound:
    """An aggregate has a row also for a tie that nothing fits; a join would not find it."""
    if bound.one_row and bound.conditions:
        raise refuse("an aggregate in a correlated EXISTS or IN", Reason.CORRELATION)
    return bound


def _equalities(left: list[exp.Expression], bound: Bound, rows: Rows) -> list[Scalar]:
    if len(left) != len(bound.outputs):
        raise refuse("IN of another number of columns", Reason.SUBQUERY)
    return [
        exp.EQ(this=in_parens(rows.bound(value)), expression=in_parens(output.value))
        for value, output in zip(left, bound.outputs, strict=True)
    ]


def _null_rows(bound: Bound) -> Node:
    value = closed(bound)[0].value
    return Filter(bound.node, exp.Is(this=in_parens(value), expression=exp.null()))


def _anti_any(
    binding: Binding, rows: Rows, bound: Bound, node: Node, condition: Scalar | None
) -> Node:
    """The rows for which no row of the sub-query exists, among those where `condition` holds."""
    if not bound.conditions:
        node = _any_row(binding, node)
    conditions = (*bound.conditions, *(() if condition is None else (condition,)))
    return Join(JoinKind.ANTI, rows.node, node, all_of(conditions))


def _any_row(binding: Binding, node: Node) -> Node:
    """One row if there is any, so that a join with it has little to compare."""
    one = binding.ids.named("any", number(1, "INT"))
    return Aggregate(Project(node, (one,)), (one.id,))


def _flag(binding: Binding, bound: Bound, node: Node, rows: Rows) -> tuple[Scalar, Rows]:
    """Whether a row of the sub-query fits, as a left join with the distinct values it compares."""
    inner = Rows(node)
    keys: list[ColumnId] = []
    conditions: list[Scalar] = []
    for tie in bound.conditions:
        inside, outside = split_tie(tie, inner)
        if inside is None:
            conditions.append(outside)
            continue
        (id,), inner = as_columns(binding.ids, (inside,), inner, name="member")
        keys.append(id)
        conditions.append(exp.EQ(this=in_parens(outside), expression=column(id)))
    one = binding.ids.named("any", number(1, "INT"))
    kept = tuple(Named(id, column(id)) for id in dict.fromkeys(keys))
    distinct = Aggregate(Project(inner.node, (*kept, one)), (*(k.id for k in kept), one.id))
    node = Join(JoinKind.LEFT, rows.node, distinct, all_of(conditions))
    found = exp.Not(this=exp.Is(this=column(one.id), expression=exp.null()))
    return exp.Paren(this=found), rows.over(node)


def _needed(scalar: Scalar | None) -> Scalar:
    assert scalar is not None
    return scalar
