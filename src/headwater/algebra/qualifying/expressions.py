"""Columns of an expression, resolved in place: to the input, to an alias, to the query outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, auto

from sqlglot import exp

from headwater.algebra.expressions import in_parens
from headwater.algebra.functions import is_aggregate, is_query, name_of
from headwater.algebra.qualifying.scope import Scope, find_column
from headwater.algebra.refusal import Reason, refuse

Aliases = Mapping[str, exp.Expression]
"""What the aliases of a SELECT list stand for, by their names in lower case."""

SubqueryVisitor = Callable[[exp.Expression, Scope], None]

_PLAN_FUNCTIONS = frozenset({"window", "session_window", "window_time", "measure"})
"""Functions that Spark takes for operators: they make rows, or bring rows together."""


class First(Enum):
    """Which of two meanings of a name wins."""

    INPUT = auto()
    ALIAS = auto()


def resolve_columns(
    expression: exp.Expression,
    scope: Scope,
    visit: SubqueryVisitor,
    *,
    aliases: Aliases | None = None,
    first: First = First.INPUT,
) -> exp.Expression:
    """The expression with every column resolved; sub-queries are left to `visit`."""
    holder = exp.Paren(this=expression)
    _below(holder, scope, visit, aliases or {}, first)
    resolved: exp.Expression = holder.this
    resolved.pop()
    return resolved


def _below(
    node: exp.Expression, scope: Scope, visit: SubqueryVisitor, aliases: Aliases, first: First
) -> None:
    if is_aggregate(node):
        # HAVING sum(x) > 1 means the column, although sum(x) may be called x
        first = First.INPUT
    _name_fields(node)
    for child in list(node.iter_expressions()):
        if is_query(child):
            visit(child, scope)
        elif isinstance(child, exp.Star):
            if not isinstance(node, exp.Count):
                raise refuse("* as an argument", Reason.SYNTAX_UNKNOWN, child)
        elif isinstance(child, exp.Column):
            child.replace(_resolved(child, scope, aliases, first))
        else:
            _below(child, scope, visit, aliases, first)


def _name_fields(node: exp.Expression) -> None:
    """Spark calls fields by their columns, which have other names in the tree."""
    function = name_of(node)
    if function in _PLAN_FUNCTIONS:
        raise refuse(f"{function}()", Reason.FUNCTION, node)
    if function == "arrays_zip" and any(
        isinstance(child, exp.Column | exp.Dot) for child in node.iter_expressions()
    ):
        raise refuse("arrays_zip, whose fields have the names of columns", Reason.FUNCTION, node)
    if function != "struct":
        return
    for child in list(node.iter_expressions()):
        if isinstance(child, exp.Column) and not isinstance(child.this, exp.Star):
            name = exp.to_identifier(child.name, quoted=True)
            child.replace(exp.Alias(this=child.copy(), alias=name))


def _resolved(column: exp.Column, scope: Scope, aliases: Aliases, first: First) -> exp.Expression:
    if isinstance(column.this, exp.Star):
        raise refuse("* as an argument", Reason.SYNTAX_UNKNOWN, column)
    parts = tuple(part.name for part in column.parts)
    alias = aliases.get(parts[0].lower())
    if first is First.ALIAS and alias is not None:
        return _field_of(alias, parts[1:])
    found = find_column(parts, scope)
    if found is not None:
        return found
    if alias is not None:
        return _field_of(alias, parts[1:])
    outer = scope.outer
    while outer is not None:
        found = find_column(parts, outer)
        if found is not None:
            return found
        outer = outer.outer
    raise refuse(f"column {'.'.join(parts)}", Reason.NAME_UNKNOWN, column)


def _field_of(value: exp.Expression, names: tuple[str, ...]) -> exp.Expression:
    made = in_parens(value)
    for name in names:
        made = exp.Dot(this=made, expression=exp.to_identifier(name, quoted=True))
    return made
