"""A SELECT, clause after clause, in the order in which SQL gives them meaning."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.algebra.binding.aggregates import Grouped, bind_groups, is_grouped
from headwater.algebra.binding.conditions import bind_conditions
from headwater.algebra.binding.generators import bind_generators
from headwater.algebra.binding.lifting import lift_subqueries
from headwater.algebra.binding.relations import item_names, output_names, where_of
from headwater.algebra.binding.rows import Rows
from headwater.algebra.binding.subquery import Binding, Bound, Purpose
from headwater.algebra.binding.top import bind_distinct, bind_top, bind_top_of_each, has_limit
from headwater.algebra.binding.windows import bind_windows
from headwater.algebra.expressions import conjuncts, with_outputs, without_parens
from headwater.algebra.functions import is_generator
from headwater.algebra.nodes import Scalar
from headwater.algebra.refusal import Reason, refuse


@dataclass(frozen=True, slots=True)
class Parts:
    """The expressions that are evaluated behind FROM and WHERE."""

    items: tuple[exp.Expression, ...]
    having: tuple[exp.Expression, ...]
    qualify: tuple[exp.Expression, ...]
    order: tuple[exp.Expression, ...]

    def all(self) -> tuple[exp.Expression, ...]:
        """All of them, in a fixed order."""
        return (*self.items, *self.having, *self.qualify, *self.order)

    def like(self, values: tuple[exp.Expression, ...]) -> Parts:
        """The same parts with other expressions, in that order."""
        ends: list[tuple[exp.Expression, ...]] = []
        for part in (self.items, self.having, self.qualify, self.order):
            ends.append(values[: len(part)])
            values = values[len(part) :]
        return Parts(*ends)


def bind_select(binding: Binding, select: exp.Select, rows: Rows, purpose: Purpose) -> Bound:
    """The rows of a SELECT over those of its FROM clause."""
    rows, ties = bind_conditions(binding, where_of(select, rows), rows)
    parts = _parts(select)
    if purpose is Purpose.EXISTENCE and _only_counts_rows(select, parts):
        return Bound(rows.node, (), ties)
    grouped: Grouped | None = None
    if is_grouped(select, parts.all()):
        values, grouped = bind_groups(binding, select, parts.all(), rows, ties)
        parts, rows, ties = parts.like(values), grouped.rows, grouped.ties
    if parts.having:
        rows, more = bind_conditions(binding, list(parts.having), rows)
        _only_before_groups(more)
        parts = replace(parts, having=())
    values, rows = lift_subqueries(binding, parts.all(), rows)
    values, rows = bind_windows(binding, values, rows, tied=bool(ties))
    parts = parts.like(values)
    if parts.qualify:
        rows = rows.filtered(rows.bound(part) for part in parts.qualify)
    items, rows = bind_generators(binding, parts.items, item_names(select), rows)
    bound = _finished(binding, select, items, parts.order, rows, ties, purpose)
    if grouped is not None and grouped.one_row and not _may_lose_it(select):
        return Bound(bound.node, bound.outputs, ties, True, grouped.when_empty)
    if grouped is not None and grouped.one_row and ties:
        raise refuse("HAVING in a correlated sub-query", Reason.CORRELATION, select)
    return bound


def _finished(
    binding: Binding,
    select: exp.Select,
    items: tuple[exp.Expression, ...],
    order: tuple[exp.Expression, ...],
    rows: Rows,
    ties: tuple[Scalar, ...],
    purpose: Purpose,
) -> Bound:
    outputs = tuple(
        binding.ids.named(name, rows.tied(item))
        for name, item in zip(output_names(select), items, strict=True)
    )
    bound = Bound(rows.node, outputs, ties)
    distinct = select.args.get("distinct")
    if distinct is not None and distinct.args.get("on") is not None:
        raise refuse("DISTINCT ON", Reason.SYNTAX_UNKNOWN, select)
    limited = has_limit(select) and not (purpose is Purpose.EXISTENCE and _keeps_some(select))
    if distinct is not None and (purpose is Purpose.ROWS or limited):
        return bind_distinct(binding, select, bound, [(p, _place(p, items)) for p in order])
    if not limited:
        return bound
    ordered = [rows.bound(part) for part in order]
    if ties:
        return bind_top_of_each(binding, select, bound, rows, ordered)
    return bind_top(select, bound, ordered)


def _place(part: exp.Expression, items: tuple[exp.Expression, ...]) -> int:
    """Where an expression of ORDER BY stands in the SELECT list."""
    for at, item in enumerate(items):
        if without_parens(item) == without_parens(part.this):
            return at
    raise refuse("ORDER BY what is not in SELECT DISTINCT", Reason.SYNTAX_UNKNOWN, part)


def _parts(select: exp.Select) -> Parts:
    outputs: dict[str, exp.Expression] = {}
    items: list[exp.Expression] = []
    for item in select.expressions:
        items.append(with_outputs(_value(item), outputs))
        outputs.setdefault(item.alias_or_name.lower(), items[-1])
    # The order of rows that are stored means nothing; that of a LIMIT does.
    order = select.args.get("order") if has_limit(select) else None
    return Parts(
        tuple(items),
        _clause(select, "having"),
        _clause(select, "qualify"),
        tuple(with_outputs(part, outputs) for part in (order.expressions if order else ())),
    )


def _value(item: exp.Expression) -> exp.Expression:
    value: exp.Expression = item.this if isinstance(item, exp.Alias | exp.Aliases) else item
    return value


def _clause(select: exp.Select, key: str) -> tuple[exp.Expression, ...]:
    clause = select.args.get(key)
    return () if clause is None else conjuncts(clause.this)


def _only_counts_rows(select: exp.Select, parts: Parts) -> bool:
    """Whether there are rows is decided by FROM and WHERE alone."""
    if parts.having or parts.qualify or (has_limit(select) and not _keeps_some(select)):
        return False
    group = select.args.get("group")
    if group is not None:
        return bool(group.expressions) and not any(
            isinstance(key, exp.Rollup | exp.Cube | exp.GroupingSets) for key in group.expressions
        )
    return not is_grouped(select, parts.all()) and not any(
        _generates(item) for item in select.expressions
    )


def _generates(item: exp.Expression) -> bool:
    return any(is_generator(node) for node in item.walk())


def _keeps_some(select: exp.Select) -> bool:
    limit = select.args.get("limit")
    if select.args.get("offset") is not None or limit is None:
        return False
    value = limit.expression
    return isinstance(value, exp.Literal) and value.name.isdigit() and int(value.name) > 0


def _may_lose_it(select: exp.Select) -> bool:
    return any(select.args.get(key) for key in ("having", "qualify", "limit", "offset")) or any(
        _generates(item) for item in select.expressions
    )


def _only_before_groups(ties: tuple[Scalar, ...]) -> None:
    if ties:
        raise refuse("HAVING that needs the query outside", Reason.CORRELATION)
