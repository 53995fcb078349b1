"""PIVOT as filtered aggregates, UNPIVOT as a generator over the columns it turns into rows."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.binding.rows import Rows
from headwater.algebra.binding.subquery import Binding
from headwater.algebra.expressions import all_of, bare, call, number
from headwater.algebra.functions import EMPTY_IS_ZERO, function_of, is_aggregate, name_of
from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    Filter,
    Generate,
    Named,
    Node,
    Project,
    Scalar,
    column,
)
from headwater.algebra.refusal import Reason, refuse

_NUMERIC = frozenset("sum avg mean stddev stddev_pop stddev_samp var_pop var_samp variance".split())


def bind_pivot(
    binding: Binding, pivot: exp.Pivot | None, rows: Rows
) -> tuple[Node, tuple[ColumnId, ...]]:
    """The rows of a relation behind its PIVOT or UNPIVOT clause."""
    assert pivot is not None
    if pivot.unpivot:
        return _unpivot(binding, pivot, rows)
    return _pivot(binding, pivot, rows)


def _pivot(binding: Binding, pivot: exp.Pivot, rows: Rows) -> tuple[Node, tuple[ColumnId, ...]]:
    field = pivot.args["fields"][0]
    by = [_by_name(part, rows) for part in _parts(field.this)]
    calls = [item.this if isinstance(item, exp.Alias) else item for item in pivot.expressions]
    used = {id for part in (*by, *(_by_name(c, rows) for c in calls)) for id in _ids(part)}
    keys = tuple(id for id in rows.names.values() if id not in used)
    names = [name_of(function_of(found)) for found in calls]
    counting = any(name in EMPTY_IS_ZERO for name in names)
    if counting and any(name not in EMPTY_IS_ZERO | _NUMERIC for name in names):
        # What Spark gives for no rows then depends on the types of the others.
        raise refuse("PIVOT with count() and others", Reason.SYNTAX_UNKNOWN, pivot)
    made: list[Named] = []
    outputs = [Named(id, column(id)) for id in keys]
    for item in field.expressions:
        value = item.this if isinstance(item, exp.PivotAlias | exp.Alias) else item
        equal = [
            exp.NullSafeEQ(this=part.copy(), expression=_by_name(wanted, rows))
            for part, wanted in zip(by, _parts(value), strict=True)
        ]
        match = _needed(all_of(equal))
        there = binding.ids.named("count_if", exp.CountIf(this=match))
        made += [there] if counting else []
        for found, name in zip(calls, names, strict=True):
            made.append(_filtered(binding, _by_name(found, rows), match))
            shown = column(made[-1].id)
            if name in EMPTY_IS_ZERO:
                none = exp.EQ(this=column(there.id), expression=number(0))
                shown = call("if", none, exp.null(), shown)
            outputs.append(binding.ids.named(name, shown))
    node = Project(Aggregate(rows.node, keys, tuple(made)), tuple(outputs))
    return node, tuple(output.id for output in outputs)


def _needed(scalar: Scalar | None) -> Scalar:
    assert scalar is not None
    return scalar


def _filtered(binding: Binding, found: Scalar, condition: Scalar) -> Named:
    if not is_aggregate(found) or isinstance(found, exp.Filter):
        raise refuse("PIVOT of an expression over aggregates", Reason.SYNTAX_UNKNOWN, found)
    call_name = name_of(function_of(found))
    return binding.ids.named(
        call_name, exp.Filter(this=found, expression=exp.Where(this=condition.copy()))
    )


def _unpivot(binding: Binding, pivot: exp.Pivot, rows: Rows) -> tuple[Node, tuple[ColumnId, ...]]:
    field = pivot.args["fields"][0]
    names = pivot.expressions[0]
    width = len(_parts(names))
    structs: list[Scalar] = []
    used: set[ColumnId] = set()
    for item in field.expressions:
        value = item.this if isinstance(item, exp.PivotAlias | exp.Alias) else item
        columns = [_by_name(part, rows) for part in _parts(value)]
        if len(columns) != width:
            raise refuse("UNPIVOT of unequal widths", Reason.SYNTAX_UNKNOWN, pivot)
        used |= {id for part in columns for id in _ids(part)}
        label = exp.Literal.string(_label(item, value))
        fields: list[Scalar] = [exp.Literal.string("name"), label]
        for at, part in enumerate(columns):
            fields += [exp.Literal.string(f"value{at}"), part]
        structs.append(call("named_struct", *fields))
    kept = tuple(id for id in rows.names.values() if id not in used)
    ids = tuple(binding.ids.new(name) for name in ("name", *["value"] * width))
    node: Node = Generate(rows.node, call("inline", call("array", *structs)), ids)
    if not pivot.args.get("include_nulls"):
        known = [exp.Not(this=exp.Is(this=column(id), expression=exp.null())) for id in ids[1:]]
        some: Scalar = known[0]
        for part in known[1:]:
            some = exp.Or(this=some, expression=part)
        node = Filter(node, some)
    outputs = tuple(Named(id, column(id)) for id in (*kept, *ids))
    return Project(node, outputs), (*kept, *ids)


def _label(item: exp.Expression, value: exp.Expression) -> str:
    if isinstance(item, exp.PivotAlias | exp.Alias):
        return str(item.args["alias"].name)
    return "_".join(part.name for part in _parts(value))


def _parts(value: exp.Expression) -> list[exp.Expression]:
    return list(value.expressions) if isinstance(value, exp.Tuple) else [bare(value)]


def _by_name(value: exp.Expression, rows: Rows) -> Scalar:
    """Columns of the clause are those of its one input."""
    known = {name.lower(): id for (_, name), id in rows.names.items()}

    def change(node: exp.Expression) -> exp.Expression:
        if not isinstance(node, exp.Column):
            return node
        if node.name.lower() not in known:
            raise refuse(f"column {node.name} in PIVOT", Reason.NAME_UNKNOWN, node)
        return column(known[node.name.lower()])

    return value.copy().transform(change)


def _ids(value: Scalar) -> list[ColumnId]:
    return [found.name for found in value.find_all(exp.Column)]
