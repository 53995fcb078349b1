"""Any query: a SELECT, a set operation, or one of them in parentheses."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from headwater.algebra.binding.relations import bind_from
from headwater.algebra.binding.rows import Ids, Rows
from headwater.algebra.binding.select import bind_select
from headwater.algebra.binding.set_operations import bind_set_operation
from headwater.algebra.binding.subquery import Bound, Purpose
from headwater.algebra.nodes import Query
from headwater.algebra.qualified import Qualified
from headwater.algebra.refusal import Reason, refuse
from headwater.algebra.sources import SourceTable


def bind(qualified: Qualified, names: tuple[str, ...]) -> Query:
    """The tree of a query; `names` are those that Spark gives to its columns, in order."""
    binder = Binder(qualified.tables)
    bound = binder.query(qualified.query)
    node, ids = bound.projected(binder.ids)
    if len(ids) != len(names):
        raise refuse("a query with another number of columns", Reason.SYNTAX_UNKNOWN)
    return Query(node, names)


class Binder:
    """What the parts of binding need of each other."""

    def __init__(self, tables: Mapping[str, SourceTable]) -> None:
        self.tables = tables
        self.ids = Ids()

    def query(
        self, query: exp.Expression, outer: Rows | None = None, purpose: Purpose = Purpose.ROWS
    ) -> Bound:
        """The rows of a query; what they need of `outer` is left to the caller to join on."""
        if isinstance(query, exp.Subquery):
            return self.query(query.this, outer, purpose)
        if isinstance(query, exp.SetOperation):
            return bind_set_operation(self, query)
        if isinstance(query, exp.Select):
            rows = bind_from(self, query, outer)
            return bind_select(self, query, rows, purpose)
        raise refuse(f"{type(query).__name__} as a query", Reason.SYNTAX_UNKNOWN, query)
