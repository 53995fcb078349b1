"""Small things done to expressions: conjuncts, parentheses, the columns in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sqlglot import exp

from headwater.algebra.nodes import ColumnId, Scalar

_CLOSED = (exp.Column, exp.Literal, exp.Func, exp.Paren, exp.Null, exp.Boolean, exp.Dot)


def conjuncts(condition: Scalar | None) -> tuple[Scalar, ...]:
    """The parts of a condition that AND holds together."""
    if condition is None:
        return ()
    if isinstance(condition, exp.Paren):
        return conjuncts(condition.this)
    if isinstance(condition, exp.And):
        return (*conjuncts(condition.this), *conjuncts(condition.expression))
    return (condition,)


def all_of(conditions: Iterable[Scalar]) -> Scalar | None:
    """The conditions under AND; None if there is none."""
    parts = list(conditions)
    if len(parts) < 2:
        return parts[0].copy() if parts else None
    found = in_parens(parts[0])
    for part in parts[1:]:
        found = exp.And(this=found, expression=in_parens(part))
    return found


def in_parens(scalar: Scalar) -> Scalar:
    """A copy that may stand anywhere in another expression."""
    # Some operators are functions to sqlglot, such as AND.
    operator = isinstance(scalar, exp.Binary) and not isinstance(scalar, exp.Dot)
    if isinstance(scalar, _CLOSED) and not operator:
        return scalar.copy()
    return exp.Paren(this=scalar.copy())


def without_parens(scalar: Scalar) -> Scalar:
    """A copy in which only the structure tells what belongs together: to compare, not to print."""

    def change(node: exp.Expression) -> exp.Expression:
        return bare(node)

    made: Scalar = scalar.copy().transform(change)
    return made


def bare(scalar: Scalar) -> Scalar:
    """What stands in the parentheses."""
    while isinstance(scalar, exp.Paren):
        scalar = scalar.this
    return scalar


def references(scalar: Scalar) -> frozenset[ColumnId]:
    """The ids of the columns in an expression."""
    return frozenset(column.name for column in scalar.find_all(exp.Column))


def substituted(scalar: Scalar, values: Mapping[ColumnId, Scalar]) -> Scalar:
    """A copy with columns replaced by expressions."""

    def change(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Column) and node.name in values:
            return in_parens(values[node.name])
        return node

    return replaced(scalar, change)


def with_outputs(value: Scalar, outputs: Mapping[str, Scalar]) -> Scalar:
    """A copy in which columns without a relation are what they stand for, by lower-case names."""

    def change(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Column) and not node.table and node.name.lower() in outputs:
            return in_parens(outputs[node.name.lower()])
        return node

    return replaced(value, change)


def replaced(scalar: Scalar, change: Callable[[exp.Expression], exp.Expression]) -> Scalar:
    """A copy in which `change` gave what stands for each node; what it gives is not looked into."""
    new = change(scalar)
    if new is not scalar:
        return new
    copy = scalar.copy()
    _replace_below(copy, change)
    return copy


def _replace_below(
    node: exp.Expression, change: Callable[[exp.Expression], exp.Expression]
) -> None:
    for child in list(node.iter_expressions()):
        new = change(child)
        if new is child:
            _replace_below(child, change)
        else:
            child.replace(new)


def call(name: str, *arguments: Scalar) -> Scalar:
    """A call of a function of Spark."""
    return exp.Anonymous(this=name, expressions=[argument.copy() for argument in arguments])


def number(value: int, type: str = "BIGINT") -> Scalar:
    """A whole number of a type."""
    return exp.cast(exp.Literal.number(value), type, dialect="spark")
