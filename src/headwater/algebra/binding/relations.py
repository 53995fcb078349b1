"""The FROM clause: scans, sub-queries, literal rows, joins and LATERAL VIEW."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.binding.lateral import bind_lateral
from headwater.algebra.binding.opaque import bind_opaque
from headwater.algebra.binding.pivots import bind_pivot
from headwater.algebra.binding.rows import Rows
from headwater.algebra.binding.subquery import Binding
from headwater.algebra.expressions import all_of, conjuncts
from headwater.algebra.functions import is_query
from headwater.algebra.nodes import (
    ColumnId,
    Field,
    Generate,
    Join,
    JoinKind,
    Node,
    Scan,
    Values,
)
from headwater.algebra.refusal import Reason, refuse

_KINDS = {"SEMI": JoinKind.SEMI, "ANTI": JoinKind.ANTI}
_SIDES = {"LEFT": JoinKind.LEFT, "RIGHT": JoinKind.LEFT, "FULL": JoinKind.FULL}


def bind_from(binding: Binding, select: exp.Select, outer: Rows | None) -> Rows:
    """The rows of a FROM clause; without one there is one row without columns.

    Conditions of inner joins that need a sub-query or a column from outside are left to `where_of`.
    """
    source = select.args.get("from_")
    if source is None:
        return Rows(Values((), ((),)), outer=outer)
    rows = _item(binding, source.this)
    rows = Rows(rows.node, rows.names, outer)
    # Above a RIGHT or FULL join a condition would mean something else.
    joins = select.args.get("joins") or ()
    movable = all(join.side not in ("RIGHT", "FULL") for join in joins)
    rows = _joins(binding, select, rows, movable=movable)
    for lateral in select.args.get("laterals") or ():
        rows = _lateral(binding, lateral, rows)
    return rows


def where_of(select: exp.Select, rows: Rows) -> list[exp.Expression]:
    """The conjuncts of WHERE, and of those inner joins which could not keep them."""
    where = select.args.get("where")
    found = list(conjuncts(where.this)) if where is not None else []
    for join in select.args.get("joins") or ():
        if _kind(join) is JoinKind.INNER:
            found += [part for part in conjuncts(join.args.get("on")) if not _stays(part, rows)]
    return found


def _stays(part: exp.Expression, rows: Rows) -> bool:
    return not any(is_query(node) for node in part.walk()) and not rows.is_correlated(part)


def _joins(binding: Binding, holder: exp.Expression, rows: Rows, *, movable: bool = False) -> Rows:
    """One after the other: to Spark a comma is a join like any other."""
    for join in holder.args.get("joins") or ():
        if isinstance(join.this, exp.Lateral) and is_query(join.this.this):
            columns = join.this.args["alias"].args.get("columns") or ()
            names = [column.name for column in columns] or output_names(join.this.this)
            rows = bind_lateral(binding, join, rows, names)
        elif isinstance(join.this, exp.Lateral):
            rows = _lateral(binding, join.this, rows)
        else:
            rows = _join(join, rows, _item(binding, join.this), movable=movable)
    return rows


def _join(join: exp.Join, left: Rows, right: Rows, *, movable: bool) -> Rows:
    kind = _kind(join)
    both = Rows(left.node, {**left.names, **right.names}, left.outer)
    parts = conjuncts(join.args.get("on"))
    kept = [part for part in parts if _stays(part, both)]
    if len(kept) < len(parts) and (kind is not JoinKind.INNER or not movable):
        raise refuse("a sub-query in the condition of such a join", Reason.SUBQUERY, join)
    condition = all_of(both.bound(part) for part in kept if not _is_true(part))
    sides = (right.node, left.node) if join.side == "RIGHT" else (left.node, right.node)
    node = Join(kind, *sides, condition)
    if kind in (JoinKind.SEMI, JoinKind.ANTI):
        return left.over(node)
    return both.over(node)


def _kind(join: exp.Join) -> JoinKind:
    if join.kind in _KINDS:
        return _KINDS[join.kind]
    return _SIDES.get(join.side, JoinKind.INNER)


def _is_true(part: exp.Expression) -> bool:
    return isinstance(part, exp.Boolean) and bool(part.this)


def _item(binding: Binding, item: exp.Expression) -> Rows:
    if isinstance(item, exp.Table):
        known = isinstance(item.this, exp.Identifier)
        rows = _scan(binding, item) if known else _function(binding, item)
        return _joins(binding, item, rows)
    if isinstance(item, exp.Subquery):
        if isinstance(item.this, exp.Table):
            return _item(binding, item.this)
        return _subquery(binding, item)
    if isinstance(item, exp.Values):
        return _values(binding, item)
    raise refuse(f"{type(item).__name__} in FROM", Reason.TABLE_FUNCTION, item)


def _scan(binding: Binding, table: exp.Table) -> Rows:
    source = binding.tables[table.alias]
    fields = tuple(Field(binding.ids.new(name), name) for name, _ in source.columns)
    node = Scan(source.id, source.name, fields)
    names = [column.name for column in table.args["alias"].args.get("columns") or ()]
    called = names or [name for name, _ in source.columns]
    ids = tuple(field.id for field in fields)
    return _named(node, table.alias, called, ids)


def _function(binding: Binding, table: exp.Table) -> Rows:
    """Rows that a function makes of literals: they never change."""
    names = [column.name for column in table.args["alias"].args["columns"]]
    alone = exp.Table(this=table.this.copy())
    query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=alone))
    node, ids = bind_opaque(binding, query, names)
    return _named(node, table.alias, names, ids)


def _subquery(binding: Binding, item: exp.Subquery) -> Rows:
    inner = item.this
    if isinstance(inner, exp.Select) and _pivot_of(inner) is not None:
        source = inner.args["from_"].this
        without = source.copy()
        without.set("pivots", None)
        node, ids = bind_pivot(binding, _pivot_of(inner), _item(binding, without))
    elif inner.args.get("with_"):
        node, ids = bind_opaque(binding, inner, output_names(inner))
    else:
        node, ids = binding.query(inner).projected(binding.ids)
    names = [column.name for column in item.args["alias"].args.get("columns") or ()]
    return _named(node, item.alias, names or output_names(inner), ids)


def _pivot_of(select: exp.Select) -> exp.Pivot | None:
    source = select.args.get("from_")
    pivots = source.this.args.get("pivots") if source is not None else None
    return pivots[0] if pivots else None


def output_names(query: exp.Expression) -> list[str]:
    """The names a qualified query gives to its columns."""
    while not isinstance(query, exp.Select):
        query = query.this
    return [name for names in item_names(query) for name in names]


def item_names(select: exp.Select) -> list[tuple[str, ...]]:
    """The names of the columns that each item of a SELECT list makes."""
    return [
        tuple(name.name for name in item.expressions)
        if isinstance(item, exp.Aliases)
        else (item.alias_or_name,)
        for item in select.expressions
    ]


def _values(binding: Binding, values: exp.Values) -> Rows:
    names = [column.name for column in values.args["alias"].args["columns"]]
    ids = tuple(binding.ids.new(name) for name in names)
    nothing = Rows(Values((), ((),)))
    rows = tuple(
        tuple(nothing.bound(value) for value in (row.expressions if _is_row(row) else [row]))
        for row in values.expressions
    )
    return _named(Values(ids, rows), values.alias, names, ids)


def _is_row(row: exp.Expression) -> bool:
    return isinstance(row, exp.Tuple)


def _lateral(binding: Binding, lateral: exp.Lateral, rows: Rows) -> Rows:
    if rows.is_correlated(lateral.this):
        raise refuse("LATERAL over the query outside", Reason.CORRELATION, lateral)
    alias = lateral.args["alias"]
    names = [column.name for column in alias.args["columns"]]
    ids = tuple(binding.ids.new(name) for name in names)
    outer = bool(lateral.args.get("outer"))
    node = Generate(rows.node, rows.bound(lateral.this), ids, outer)
    made = _named(node, alias.name, names, ids)
    return rows.over(node).with_names(made.names)


def _named(node: Node, alias: str, names: list[str], ids: tuple[ColumnId, ...]) -> Rows:
    return Rows(node, {(alias, name): id for name, id in zip(names, ids, strict=True)})
