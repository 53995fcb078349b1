"""Aggregate calls whose new value follows from the old one and the change, exactly.

Law: call(new) = merged(call(old), call(delta)). Counts and sums merge for any change, because rows
that went count with a negative weight; extremes and the like for inserted rows alone. Sums of
floating-point numbers never merge: their last digits depend on the order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.nodes import WEIGHT, ColumnId, Named, Scalar, column
from headwater.incremental.conjuncts import all_of
from headwater.incremental.deltas import Maintained
from headwater.incremental.keys import prime

_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")
_NESTED = ("array", "map", "struct", "variant")

# What merges two values of which either may be NULL for "no rows".
_FOLDS: dict[type[exp.Expression], type[exp.Expression]] = {
    exp.LogicalAnd: exp.And,
    exp.LogicalOr: exp.Or,
    exp.BitwiseAndAgg: exp.BitwiseAnd,
    exp.BitwiseOrAgg: exp.BitwiseOr,
    exp.BitwiseXorAgg: exp.BitwiseXor,
}


@dataclass(frozen=True, slots=True)
class Merge:
    """How one call is merged.

    `of_change` are its parts over the changed rows, under primed ids; `kept` are further calls
    that the old side needs besides; `new` is the merged value over both.
    """

    id: ColumnId
    of_change: tuple[Named, ...]
    new: Scalar
    kept: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True)
class _Context:
    """What a call stands among."""

    calls: tuple[Named, ...]
    tree: Maintained
    insert_only: bool
    keyed: bool

    def count_of(self, summand: Scalar) -> ColumnId | None:
        """The call that counts the values of a summand that are not NULL."""
        never_null = _never_null(summand, self.tree)
        for call in self.calls:
            if isinstance(call.value, exp.Count) and not call.value.expressions:
                same = call.value.this == summand
                if same or (never_null and is_row_count(call.value, self.tree)):
                    return call.id
        return None


def merges_of(
    calls: Sequence[Named], tree: Maintained, *, insert_only: bool, keyed: bool
) -> tuple[Merge, ...] | None:
    """A merge for every call, or None if one of them has to be worked out anew."""
    context = _Context(tuple(calls), tree, insert_only=insert_only, keyed=keyed)
    found = [_merge(call, context) for call in calls]
    merges = tuple(merge for merge in found if merge is not None)
    return merges if len(merges) == len(calls) else None


def is_row_count(value: Scalar, tree: Maintained) -> bool:
    """Whether a call counts every row."""
    if not isinstance(value, exp.Count):
        return False
    counted = [value.this, *value.expressions]
    return all(isinstance(item, exp.Star) or _never_null(item, tree) for item in counted)


def added(old: Scalar, change: Scalar) -> Scalar:
    """Two counts, either of them NULL for none."""
    return exp.Add(this=_or_zero(old), expression=_or_zero(change))


def _merge(call: Named, context: _Context) -> Merge | None:
    filtered = isinstance(call.value, exp.Filter)
    value = call.value.this if filtered else call.value

    def over_change(id: ColumnId, made: Scalar) -> Named:
        """The call over the changed rows, behind the same FILTER (WHERE ..)."""
        where = call.value.expression.copy() if filtered else None
        return Named(prime(id), exp.Filter(this=made, expression=where) if where else made)

    if value.find(exp.Distinct) is not None:
        return None
    match value:
        case exp.Count() | exp.CountIf():
            made = value.copy() if context.insert_only else _signed_count(value)
            part = over_change(call.id, made)
            return Merge(call.id, (part,), added(column(call.id), column(part.id)))
        case exp.Sum():
            return _sum(call, value, context, over_change)
    return _of_inserts(call, value, context, over_change) if context.insert_only else None


def _of_inserts(
    call: Named,
    value: Scalar,
    context: _Context,
    over_change: Callable[[ColumnId, Scalar], Named],
) -> Merge | None:
    """Calls that a row can only push one way."""
    tree = context.tree
    if tree.type_of(call.id).startswith(_NESTED) or tree.is_float(call.id):
        return None
    part = over_change(call.id, value.copy())
    old, new = column(call.id), column(part.id)
    match value:
        case exp.Min():
            return Merge(call.id, (part,), exp.Least(this=old, expressions=[new]))
        case exp.Max():
            return Merge(call.id, (part,), exp.Greatest(this=old, expressions=[new]))
    fold = _FOLDS.get(type(value))
    if fold is None:
        return None
    both = fold(this=old.copy(), expression=new.copy())
    return Merge(call.id, (part,), exp.Coalesce(this=both, expressions=[old, new]))


def _sum(
    call: Named,
    value: exp.Sum,
    context: _Context,
    over_change: Callable[[ColumnId, Scalar], Named],
) -> Merge | None:
    type = context.tree.type_of(call.id)
    if not _adds_exactly(type):
        return None
    if context.insert_only:
        part = over_change(call.id, value.copy())
        return Merge(call.id, (part,), _total(call.id, part, type))
    weight = column(WEIGHT) if type == "bigint" else _as(column(WEIGHT), "int")
    product = exp.Mul(this=exp.Paren(this=value.this.copy()), expression=weight)
    part = over_change(call.id, exp.Sum(this=product))
    total = _total(call.id, part, type)
    filtered = isinstance(call.value, exp.Filter)
    if context.keyed and not filtered and _never_null(value.this, context.tree):
        return Merge(call.id, (part,), total)
    # Of a sum alone one cannot tell whether a number is left in it.
    count: Scalar = exp.Count(this=value.this.copy())
    beside = None if filtered else context.count_of(value.this)
    counted = over_change(_number(call.id), _signed_count(count))
    left = added(column(beside or _number(call.id)), column(counted.id))
    none = exp.EQ(this=left, expression=exp.Literal.number(0))
    new = exp.Case(ifs=[exp.If(this=none, true=exp.null())], default=total)
    if beside is not None:
        return Merge(call.id, (part, counted), new)
    if filtered:
        count = exp.Filter(this=count, expression=call.value.expression.copy())
    return Merge(call.id, (part, counted), new, (Named(_number(call.id), count),))


def _total(id: ColumnId, part: Named, type: str) -> Scalar:
    """The two sums together, of the type that a sum of all rows has."""
    old, change = column(id), _as(column(part.id), type)
    both = _as(exp.Add(this=old.copy(), expression=change.copy()), type)
    return exp.Coalesce(this=both, expressions=[old, change])


def _number(id: ColumnId) -> ColumnId:
    return f"{id}#number"


def _adds_exactly(type: str) -> bool:
    """Whether Spark adds two such sums, and multiplies summands, without loss of digits."""
    if type == "bigint":
        return True
    decimal = _DECIMAL.fullmatch(type)
    return decimal is not None and (int(decimal[1]) < 38 or int(decimal[2]) <= 6)


def _signed_count(value: Scalar) -> Scalar:
    """A count in which a row counts as often as its weight says."""
    nought = exp.Literal.number(0)
    weight = column(WEIGHT)
    if isinstance(value, exp.CountIf):
        counts: Scalar | None = value.this.copy()
    else:
        items = [item for item in (value.this, *value.expressions) if not _is_constant(item)]
        counts = all_of([_is_given(item) for item in items])
    if counts is None:
        return exp.Sum(this=weight)
    return exp.Sum(this=exp.Case(ifs=[exp.If(this=counts, true=weight)], default=nought))


def _is_given(item: Scalar) -> Scalar:
    value = item.copy() if isinstance(item, exp.Column) else exp.Paren(this=item.copy())
    return exp.Not(this=exp.Is(this=value, expression=exp.null()))


def _is_constant(item: Scalar) -> bool:
    return isinstance(item, exp.Star | exp.Literal)


def _never_null(item: Scalar, tree: Maintained) -> bool:
    if isinstance(item, exp.Column):
        return not tree.nullable(item.name)
    return _is_constant(item)


def _as(value: Scalar, type: str) -> Scalar:
    return exp.Cast(this=value, to=exp.DataType.build(type, dialect="spark"))


def _or_zero(value: Scalar) -> Scalar:
    return exp.Coalesce(this=value, expressions=[exp.Literal.number(0)])
