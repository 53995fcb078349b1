"""The columns of PIVOT and UNPIVOT, named as Spark names them."""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.qualifying.scope import ColumnName, Scope
from headwater.algebra.refusal import Reason, refuse


def pivoted(pivot: exp.Pivot, scope: Scope) -> tuple[ColumnName, ...]:
    """What comes out; the clause itself keeps its names, which are columns of its one input."""
    if len(pivot.args.get("fields") or ()) != 1:
        raise refuse("PIVOT over several fields", Reason.SYNTAX_UNKNOWN, pivot)
    given = [visible.name.lower() for visible in scope.visible]
    if len(set(given)) < len(given):
        raise refuse("PIVOT of columns of equal names", Reason.NAME_UNKNOWN, pivot)
    names = _unpivoted(pivot, scope) if pivot.unpivot else _pivoted(pivot, scope)
    return tuple(ColumnName(name, f"c{at}") for at, name in enumerate(names))


def _pivoted(pivot: exp.Pivot, scope: Scope) -> list[str]:
    field = pivot.args["fields"][0]
    used = {
        column.name.lower()
        for part in (*pivot.expressions, field.this)
        for column in part.find_all(exp.Column)
    }
    kept = [visible.name for visible in scope.visible if visible.name.lower() not in used]
    made = []
    for value in field.expressions:
        for call in pivot.expressions:
            if len(pivot.expressions) == 1:
                made.append(_value_name(value))
            else:
                made.append(f"{_value_name(value)}_{call.alias or call.sql(dialect='spark')}")
    return kept + made


def _value_name(value: exp.Expression) -> str:
    if isinstance(value, exp.PivotAlias | exp.Alias):
        alias = value.args["alias"]
        return str(alias.name)
    return value.name or value.sql(dialect="spark")


def _unpivoted(pivot: exp.Pivot, scope: Scope) -> list[str]:
    field = pivot.args["fields"][0]
    used = {
        column.name.lower() for value in field.expressions for column in value.find_all(exp.Column)
    }
    kept = [visible.name for visible in scope.visible if visible.name.lower() not in used]
    values = pivot.expressions[0]
    names = values.expressions if isinstance(values, exp.Tuple) else [values]
    return [*kept, field.this.name, *(name.name for name in names)]
