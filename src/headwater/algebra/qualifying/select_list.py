"""The SELECT list: stars expanded, every column with a name that no other has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from headwater.algebra.functions import is_generator
from headwater.algebra.generators import generated_names
from headwater.algebra.qualifying.scope import ColumnName, Scope
from headwater.algebra.refusal import Reason, refuse
from headwater.sql.dialect import Headwater


@dataclass(frozen=True, slots=True)
class Item:
    """One expression of the list: its name, or the names if it makes several columns."""

    name: str
    value: exp.Expression
    names: tuple[str, ...] = ()
    resolved: bool = False
    type: str | None = None


def items_of(select: exp.Select, scope: Scope) -> Iterator[Item]:
    """The expressions without their aliases; those that a star stands for are resolved."""
    for expression in list(select.expressions):
        if isinstance(expression, exp.Star):
            yield from _star(expression, scope)
        elif isinstance(expression, exp.Column) and isinstance(expression.this, exp.Star):
            yield from _star_of(expression, scope)
        elif isinstance(expression, exp.Alias):
            yield Item(expression.alias, expression.this.pop())
        elif isinstance(expression, exp.Aliases):
            names = tuple(name.name for name in expression.expressions)
            yield Item("", expression.this.pop(), names)
        else:
            name = _name(expression)
            yield Item(name, expression.pop())


def name_items(
    select: exp.Select, items: list[Item], scope: Scope, *, top: bool
) -> tuple[ColumnName, ...]:
    """Puts the items into the list, in place; names of the whole query may be there twice."""
    taken: set[str] = set()
    columns: list[ColumnName] = []
    expressions: list[exp.Expression] = []
    for item in items:
        names = _names_of(item, scope)
        made = [ColumnName(name, _unique(name, taken), item.type) for name in names]
        columns += made
        printed = [exp.to_identifier(column.printed, quoted=True) for column in made]
        printed_name = (made[0].name if top else made[0].printed).lower()
        if isinstance(item.value, exp.Column) and item.value.name.lower() == printed_name:
            # Spark's plan has no alias where the text has none.
            columns[-1] = ColumnName(made[0].name, item.value.name, item.type)
            expressions.append(item.value.copy())
        elif len(made) == 1:
            expressions.append(exp.Alias(this=item.value.copy(), alias=printed[0]))
        else:
            expressions.append(exp.Aliases(this=item.value.copy(), expressions=printed))
    select.set("expressions", expressions)
    return tuple(columns)


def _names_of(item: Item, scope: Scope) -> tuple[str, ...]:
    if item.names:
        if not is_generator(item.value):
            raise refuse("several names for one column", Reason.SYNTAX_UNKNOWN, item.value)
        return item.names
    if is_generator(item.value):
        names = generated_names(item.value, scope.type_of)
        if names is None:
            raise refuse("a generator without names", Reason.SYNTAX_UNKNOWN, item.value)
        if len(names) > 1 or not item.name or item.name.startswith("#"):
            return names
    return (item.name.removeprefix("#"),)


def _unique(name: str, taken: set[str]) -> str:
    printed, number = name, 1
    while printed.lower() in taken:
        number += 1
        printed = f"{name}_{number}"
    taken.add(printed.lower())
    return printed


def _name(expression: exp.Expression) -> str:
    """The name Spark gives: a column's own, else the text; `#` marks the latter."""
    if isinstance(expression, exp.Column | exp.Dot):
        return expression.name
    text = expression.sql(dialect=Headwater).lower()
    return "#" + text.replace("count(*)", "count(1)")


def _star(star: exp.Star, scope: Scope) -> Iterator[Item]:
    left_out = _left_out(star)
    for visible in scope.visible:
        if visible.name.lower() not in left_out:
            yield Item(visible.name, visible.value.copy(), resolved=True, type=visible.type)


def _star_of(expression: exp.Column, scope: Scope) -> Iterator[Item]:
    called = tuple(part.name.lower() for part in expression.parts[:-1])
    left_out = _left_out(expression.this)
    relations = [relation for relation in scope.relations if relation.is_called(called)]
    if len(relations) != 1:
        raise refuse(f"{'.'.join(called)}.*", Reason.NAME_UNKNOWN, expression)
    for column in relations[0].columns:
        if column.name.lower() not in left_out:
            value = relations[0].column(column)
            yield Item(column.name, value, resolved=True, type=column.type)


def _left_out(star: exp.Expression) -> frozenset[str]:
    if star.args.get("replace") or star.args.get("rename"):
        raise refuse("* REPLACE", Reason.SYNTAX_UNKNOWN, star)
    return frozenset(item.name.lower() for item in star.args.get("except_") or ())
