"""Rows in the making: a node, and which of its columns the names of the query mean.

A name is (alias, column). What was computed on the way, such as an aggregate call, gets a name of
its own whose alias starts with `#`, and stands in later expressions under that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from headwater.algebra.expressions import replaced
from headwater.algebra.functions import is_query
from headwater.algebra.nodes import (
    ColumnId,
    Filter,
    Named,
    Node,
    Project,
    Scalar,
    column,
    columns_of,
)
from headwater.algebra.refusal import Reason, refuse

Name = tuple[str, str]

_PLAIN = re.compile(r"\w+\Z")


@dataclass(slots=True)
class Ids:
    """Gives out the ids of a tree."""

    given: int = 0

    def new(self, name: str) -> ColumnId:
        """An id that no other column has."""
        self.given += 1
        # What Spark would call an expression is as long as the expression.
        return f"{name if _PLAIN.match(name) else 'value'}#{self.given}"

    def named(self, name: str, value: Scalar) -> Named:
        """A column of its own for an expression."""
        return Named(self.new(name), value)


@dataclass(frozen=True, slots=True)
class Rows:
    """A node and the names of its columns; `outer` are the rows of the query outside."""

    node: Node
    names: Mapping[Name, ColumnId] = field(default_factory=dict)
    outer: Rows | None = None

    def over(self, node: Node) -> Rows:
        """The same names over another node."""
        return replace(self, node=node)

    def with_names(self, names: Mapping[Name, ColumnId]) -> Rows:
        """Further names."""
        return replace(self, names={**self.names, **names})

    def bound(self, value: exp.Expression) -> Scalar:
        """An expression over the ids of these rows."""
        return self._bound(value, self.names)

    def tied(self, value: exp.Expression) -> Scalar:
        """An expression over the ids of these rows and of those outside, for a place above both."""
        outer = {} if self.outer is None else self.outer.names
        return self._bound(value, {**outer, **self.names})

    def is_correlated(self, value: exp.Expression) -> bool:
        """Whether an expression needs a column of the query outside."""
        return any(name_of(found) not in self.names for found in value.find_all(exp.Column))

    def filtered(self, conditions: Iterable[Scalar]) -> Rows:
        """Only the rows for which all conditions are true."""
        rows = self
        for condition in conditions:
            rows = rows.over(Filter(rows.node, condition))
        return rows

    def extended(self, columns: Iterable[Named]) -> Rows:
        """Every row with further columns."""
        kept = tuple(Named(id, column(id)) for id in columns_of(self.node))
        return self.over(Project(self.node, (*kept, *columns)))

    def _bound(self, value: exp.Expression, names: Mapping[Name, ColumnId]) -> Scalar:
        def change(node: exp.Expression) -> exp.Expression:
            if is_query(node):
                raise refuse("a sub-query at this place", Reason.SUBQUERY, node)
            if not isinstance(node, exp.Column):
                return node
            if name_of(node) not in names:
                raise refuse(f"column {node.name} at this place", Reason.CORRELATION, node)
            return column(names[name_of(node)])

        return replaced(value, change)


def name_of(found: exp.Column) -> Name:
    """The name that a qualified column is known by."""
    return (found.table, found.name)


def as_columns(
    ids: Ids, values: Iterable[Scalar], rows: Rows, *, name: str
) -> tuple[tuple[ColumnId, ...], Rows]:
    """Expressions as columns of the rows: those that are none yet are added."""
    found: list[ColumnId] = []
    added: list[Named] = []
    for value in values:
        if isinstance(value, exp.Column):
            found.append(value.name)
        else:
            added.append(ids.named(name, value))
            found.append(added[-1].id)
    return tuple(found), rows.extended(added) if added else rows


def placeholder(name: Name) -> exp.Column:
    """The expression that stands for something computed before."""
    return exp.column(name[1], table=name[0], quoted=True)
