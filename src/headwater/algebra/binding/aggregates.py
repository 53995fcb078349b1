"""GROUP BY and aggregate calls: keys as columns, each distinct call once, expressions above."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.binding.correlation import split_tie
from headwater.algebra.binding.grouping_sets import expand, grouping_calls, grouping_of
from headwater.algebra.binding.lifting import lift_subqueries
from headwater.algebra.binding.rows import Name, Rows, as_columns, placeholder
from headwater.algebra.binding.subquery import Binding
from headwater.algebra.expressions import call, number, replaced, without_parens
from headwater.algebra.functions import (
    EMPTY_IS_ARRAY,
    EMPTY_IS_NULL,
    EMPTY_IS_ZERO,
    function_of,
    has_aggregate,
    is_aggregate,
    is_query,
    name_of,
)
from headwater.algebra.nodes import Aggregate, ColumnId, Named, Scalar, column

Expressions = tuple[exp.Expression, ...]
Change = Callable[[exp.Expression], exp.Expression]


@dataclass(frozen=True, slots=True)
class Grouped:
    """The rows behind GROUP BY, and what ties them to the query outside."""

    rows: Rows
    ties: tuple[Scalar, ...]
    one_row: bool
    when_empty: Mapping[ColumnId, Scalar | None]


def is_grouped(select: exp.Select, values: Expressions) -> bool:
    """Whether a SELECT groups its rows, by a clause or by an aggregate call."""
    if select.args.get("group") is not None or select.args.get("having") is not None:
        return True
    return any(has_aggregate(value) for value in values)


def bind_groups(
    binding: Binding, select: exp.Select, values: Expressions, rows: Rows, ties: tuple[Scalar, ...]
) -> tuple[Expressions, Grouped]:
    """The expressions behind the groups, in which keys and calls are columns."""
    keys, sets = grouping_of(select)
    known = [without_parens(key) for key in keys]
    keys, rows = lift_subqueries(binding, keys, rows)
    values, rows = _lift_in_calls(binding, values, rows)
    key_ids, rows = as_columns(binding.ids, (rows.bound(key) for key in keys), rows, name="key")
    tied_ids, ties, rows = _tie_keys(binding, ties, rows)
    grouped = key_ids
    special: dict[exp.Expression, exp.Expression] = {}
    hidden: tuple[ColumnId, ...] = ()
    if sets is not None:
        key_ids, hidden, rows = expand(binding.ids, grouped, sets, rows)
        special = grouping_calls(values, known, hidden[0])
    calls = _calls(binding, values, rows, known, special)
    named = tuple(made for _, made in calls.values())
    all_keys = tuple(dict.fromkeys((*key_ids, *tied_ids, *hidden)))
    behind = rows.over(Aggregate(rows.node, all_keys, named))
    names = _names_behind(rows, dict(zip(grouped, key_ids, strict=True)), all_keys)
    names |= {("#key", str(at)): id for at, id in enumerate(key_ids)}
    names |= {name: made.id for name, made in calls.values()}
    names |= {("#hidden", id): id for id in hidden}
    behind = Rows(behind.node, names, rows.outer)
    rewritten = tuple(_behind(value, known, calls, special) for value in values)
    one_row = not keys and sets is None
    return rewritten, Grouped(behind, ties, one_row, _when_empty(named))


def _names_behind(
    rows: Rows, changed: Mapping[ColumnId, ColumnId], keys: tuple[ColumnId, ...]
) -> dict[Name, ColumnId]:
    """Names of columns that are keys still mean them; other columns are gone."""
    names = {name: changed.get(id, id) for name, id in rows.names.items()}
    return {name: id for name, id in names.items() if id in keys}


def _tie_keys(
    binding: Binding, ties: tuple[Scalar, ...], rows: Rows
) -> tuple[tuple[ColumnId, ...], tuple[Scalar, ...], Rows]:
    """Rows that a condition ties to the outside are grouped by what it compares."""
    found: list[ColumnId] = []
    made: list[Scalar] = []
    for tie in ties:
        inner, outer = split_tie(tie, rows)
        if inner is None:
            made.append(tie)
            continue
        (id,), rows = as_columns(binding.ids, (inner,), rows, name="tie")
        found.append(id)
        made.append(exp.EQ(this=outer, expression=column(id)))
    return tuple(found), tuple(made), rows


def _lift_in_calls(binding: Binding, values: Expressions, rows: Rows) -> tuple[Expressions, Rows]:
    done: list[exp.Expression] = []
    for value in values:
        changed = value
        for found in _topmost_calls(value):
            if any(is_query(node) for node in found.walk()):
                (lifted,), rows = lift_subqueries(binding, (found,), rows)
                changed = _with(changed, found, lifted)
        done.append(changed)
    return tuple(done), rows


def _with(value: exp.Expression, old: exp.Expression, new: exp.Expression) -> exp.Expression:
    return replaced(value, lambda node: new if node == old else node)


def _topmost_calls(node: exp.Expression) -> list[exp.Expression]:
    if is_query(node):
        return []
    if isinstance(node, exp.Window):
        inside = [*function_of(node.this).iter_expressions()]
        inside += [child for child in node.iter_expressions() if child is not node.this]
        return [found for child in inside for found in _topmost_calls(child)]
    if is_aggregate(node):
        return [node]
    return [found for child in node.iter_expressions() for found in _topmost_calls(child)]


def _calls(
    binding: Binding,
    values: Expressions,
    rows: Rows,
    known: list[exp.Expression],
    special: Mapping[exp.Expression, exp.Expression],
) -> dict[exp.Expression, tuple[Name, Named]]:
    calls: dict[exp.Expression, tuple[Name, Named]] = {}
    for value in values:
        for found in _topmost_calls(value):
            same = without_parens(found)
            if same not in calls and same not in special and same not in known:
                made = binding.ids.named(name_of(function_of(found)), rows.bound(found))
                calls[same] = (("#call", str(len(calls))), made)
    return calls


def _behind(
    value: exp.Expression,
    known: list[exp.Expression],
    calls: Mapping[exp.Expression, tuple[Name, Named]],
    special: Mapping[exp.Expression, exp.Expression],
) -> exp.Expression:
    def change(node: exp.Expression) -> exp.Expression:
        if is_query(node):
            return node.copy()
        same = without_parens(node)
        if same in special:
            return special[same].copy()
        if same in calls:
            return placeholder(calls[same][0])
        if same in known:
            return placeholder(("#key", str(known.index(same))))
        if isinstance(node, exp.Window):
            return _window_behind(node, change)
        return node

    return replaced(value, change)


def _window_behind(node: exp.Window, change: Change) -> exp.Expression:
    """A window function is no aggregate call, but its arguments may hold some."""
    copy = node.copy()
    function = function_of(copy.this)
    for holder in (function, copy):
        for child in list(holder.iter_expressions()):
            if holder is copy and child is copy.this:
                continue
            child.replace(replaced(child, change))
    return copy


def _when_empty(calls: tuple[Named, ...]) -> dict[ColumnId, Scalar | None]:
    """What calls give for no rows where that is not NULL; None where we do not know."""
    found: dict[ColumnId, Scalar | None] = {}
    for made in calls:
        name = name_of(function_of(made.value))
        if name in EMPTY_IS_ZERO:
            found[made.id] = call("coalesce", column(made.id), number(0))
        elif name in EMPTY_IS_ARRAY:
            found[made.id] = call("coalesce", column(made.id), call("array"))
        elif name not in EMPTY_IS_NULL:
            found[made.id] = None
    return found
