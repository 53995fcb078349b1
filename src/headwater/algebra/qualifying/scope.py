"""What names mean at a place in a query.

Every relation of a query gets an alias that no other has, so a resolved column is `alias.name`
whatever the user called things, and a column of an outer query cannot be taken for an inner one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from headwater.algebra.refusal import Reason, refuse
from headwater.algebra.sources import Resolve, SourceTable


@dataclass(frozen=True, slots=True)
class ColumnName:
    """A column of a relation: what users call it, how we print it, its type where known."""

    name: str
    printed: str
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation in a FROM clause: its alias, the parts of the name users call it by."""

    alias: str
    called: tuple[str, ...]
    columns: tuple[ColumnName, ...]

    def is_called(self, parts: tuple[str, ...]) -> bool:
        """Whether users may write `parts` in front of its columns."""
        return bool(self.called) and self.called[-len(parts) :] == parts

    def find(self, name: str) -> tuple[ColumnName, ...]:
        """Its columns of a name, given in lower case."""
        return tuple(column for column in self.columns if column.name.lower() == name)

    def column(self, column: ColumnName) -> exp.Column:
        """The expression for one of its columns."""
        return exp.column(column.printed, table=self.alias, quoted=True)


@dataclass(frozen=True, slots=True)
class Visible:
    """A column that needs no relation in front: USING makes one of two."""

    name: str
    value: exp.Expression
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """The relations of a FROM clause, and the scope around the query."""

    relations: tuple[Relation, ...] = ()
    visible: tuple[Visible, ...] = ()
    outer: Scope | None = None

    def with_relation(self, relation: Relation) -> Scope:
        """The scope after a further relation."""
        columns = tuple(
            Visible(column.name, relation.column(column), column.type)
            for column in relation.columns
        )
        return Scope((*self.relations, relation), (*self.visible, *columns), self.outer)

    def type_of(self, value: exp.Expression) -> str | None:
        """The type of a resolved column, where it is known."""
        if not isinstance(value, exp.Column):
            return None
        for relation in self.relations:
            for column in relation.columns:
                if relation.alias == value.table and column.printed == value.name:
                    return column.type
        return None


@dataclass(frozen=True, slots=True)
class CommonTable:
    """A query of a WITH clause, as typed, and what names mean inside of it."""

    query: exp.Expression
    columns: tuple[str, ...]
    names: Names
    recursive: bool = False
    """Whether it reads itself; `names` are those around it."""


@dataclass(frozen=True, slots=True)
class OwnRows:
    """Inside of a recursive query: the rows that its last step gave."""

    alias: str
    columns: tuple[ColumnName, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """What the name of a relation may stand for."""

    resolve: Resolve
    common: Mapping[str, CommonTable | OwnRows] = field(default_factory=dict)


Nested = Callable[[exp.Expression, Names, Scope | None], tuple[ColumnName, ...]]
"""Qualifies a query, in the scope around it if it may look there; its columns come back."""


@dataclass(slots=True)
class Work:
    """What grows while a query is qualified: aliases given out, and the tables behind them."""

    tables: dict[str, SourceTable] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)

    def alias(self, wanted: str) -> str:
        """An alias that no other relation has; the user's own for the first that has it."""
        alias, number = wanted, 1
        while alias.lower() in self.given:
            number += 1
            alias = f"{wanted}_{number}"
        self.given.add(alias.lower())
        return alias


def find_column(parts: tuple[str, ...], scope: Scope) -> exp.Expression | None:
    """A column, or a field inside of one, by the parts of its name; None if there is none here."""
    lower = tuple(part.lower() for part in parts)
    for split in range(len(parts) - 1, 0, -1):
        found = [
            relation.column(column)
            for relation in scope.relations
            if relation.is_called(lower[:split])
            for column in relation.find(lower[split])
        ]
        if found:
            return _fields(_only(found, parts), parts[split + 1 :])
    values = [visible.value for visible in scope.visible if visible.name.lower() == lower[0]]
    return _fields(_only(values, parts), parts[1:]) if values else None


def _only(found: list[exp.Column] | list[exp.Expression], parts: tuple[str, ...]) -> exp.Expression:
    if len(found) > 1:
        raise refuse(f"ambiguous column {'.'.join(parts)}", Reason.NAME_UNKNOWN)
    return found[0].copy()


def _fields(value: exp.Expression, names: tuple[str, ...]) -> exp.Expression:
    for name in names:
        value = exp.Dot(this=value, expression=exp.to_identifier(name, quoted=True))
    return value
