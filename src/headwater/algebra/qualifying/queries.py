"""A query and the queries inside of it: the clauses in the order in which names come into being."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.expressions import with_outputs
from headwater.algebra.functions import is_query
from headwater.algebra.qualifying.expressions import Aliases, First, resolve_columns
from headwater.algebra.qualifying.grouping import qualify_group
from headwater.algebra.qualifying.order import qualify_order
from headwater.algebra.qualifying.recursion import reads_itself
from headwater.algebra.qualifying.relations import Relations
from headwater.algebra.qualifying.scope import ColumnName, CommonTable, Names, Scope, Work
from headwater.algebra.qualifying.select_list import Item, items_of, name_items
from headwater.algebra.qualifying.windows import inline_windows
from headwater.algebra.refusal import Reason, refuse

_CLAUSES = frozenset(
    """
    with_ expressions hint distinct from_ joins laterals where group having qualify windows order
    limit offset
    """.split()
)


class Qualifier:
    """Changes a query in place; what it answers are the columns that come out."""

    def __init__(self, work: Work) -> None:
        self._relations = Relations(work, self.query, self._resolved)

    def query(
        self, query: exp.Expression, names: Names, outer: Scope | None, *, top: bool = False
    ) -> tuple[ColumnName, ...]:
        """Any query; `top` if it is the whole one."""
        names = _with_common_tables(query, names)
        if isinstance(query, exp.Subquery):
            if any(query.args.get(key) for key in ("order", "limit", "offset")):
                raise refuse("ORDER BY behind parentheses", Reason.SYNTAX_UNKNOWN, query)
            return self.query(query.this, names, outer, top=top)
        if isinstance(query, exp.SetOperation):
            return self._set_operation(query, names, outer)
        if isinstance(query, exp.Select):
            return self._select(query, names, outer, top=top)
        raise refuse(f"{type(query).__name__} as a query", Reason.SYNTAX_UNKNOWN, query)

    def _set_operation(
        self, query: exp.SetOperation, names: Names, outer: Scope | None
    ) -> tuple[ColumnName, ...]:
        if query.args.get("by_name") or query.args.get("side") or query.args.get("on"):
            raise refuse("a set operation BY NAME", Reason.SYNTAX_UNKNOWN, query)
        columns = self.query(query.this, names, outer)
        other = self.query(query.expression, names, outer)
        if len(columns) != len(other):
            raise refuse("a set operation of unequal widths", Reason.SYNTAX_UNKNOWN, query)
        outputs = {
            column.name.lower(): exp.column(column.printed, quoted=True) for column in columns
        }
        qualify_order(query, columns, lambda value: self._ordered(value, Scope(), names, outputs))
        return tuple(replace(column, type=None) for column in columns)

    def _select(
        self, select: exp.Select, names: Names, outer: Scope | None, *, top: bool
    ) -> tuple[ColumnName, ...]:
        unknown = {key for key, value in select.args.items() if value} - _CLAUSES
        if unknown:
            raise refuse(f"{min(unknown).upper()} BY", Reason.SYNTAX_UNKNOWN, select)
        inline_windows(select)
        scope = self._relations.scope(select, names, outer)
        self._clause(select, "where", scope, names)
        # An alias in a later item stays one in the text; other clauses get what it stands for.
        typed: dict[str, exp.Expression] = {}
        aliases: dict[str, exp.Expression] = {}
        items: list[Item] = []
        values: list[exp.Expression] = []
        for item in items_of(select, scope):
            if not item.resolved:
                item = replace(item, value=self._resolved(item.value, scope, names, typed))
            value = with_outputs(item.value, aliases)
            values.append(value)
            items.append(item)
            if item.name and item.name.lower() not in aliases:
                aliases[item.name.lower()] = value
                typed[item.name.lower()] = exp.column(item.name, quoted=True)
        columns = name_items(select, items, scope, top=top)
        qualify_group(select, values, lambda value: self._resolved(value, scope, names, aliases))
        self._clause(select, "having", scope, names, aliases, First.ALIAS)
        self._clause(select, "qualify", scope, names, aliases)
        outputs = {
            column.name.lower(): exp.column(column.printed, quoted=True) for column in columns
        }
        qualify_order(select, columns, lambda value: self._ordered(value, scope, names, outputs))
        return columns

    def _clause(
        self,
        select: exp.Select,
        key: str,
        scope: Scope,
        names: Names,
        aliases: Aliases | None = None,
        first: First = First.INPUT,
    ) -> None:
        clause = select.args.get(key)
        if clause is not None:
            clause.set("this", self._resolved(clause.this.pop(), scope, names, aliases, first))

    def _ordered(
        self, value: exp.Expression, scope: Scope, names: Names, outputs: Aliases
    ) -> exp.Expression:
        return self._resolved(value, scope, names, outputs, First.ALIAS)

    def _resolved(
        self,
        value: exp.Expression,
        scope: Scope,
        names: Names,
        aliases: Aliases | None = None,
        first: First = First.INPUT,
    ) -> exp.Expression:
        def visit(query: exp.Expression, around: Scope) -> None:
            self.query(query, names, around)

        return resolve_columns(value, scope, visit, aliases=aliases, first=first)


def _with_common_tables(query: exp.Expression, names: Names) -> Names:
    """What names mean behind a WITH clause, which is taken out of the query."""
    clause = query.args.get("with_")
    if clause is None:
        return names
    query.set("with_", None)
    for table in clause.expressions:
        alias = table.args["alias"]
        columns = tuple(column.name for column in alias.args.get("columns") or ())
        if not is_query(table.this):
            raise refuse("WITH of what is no query", Reason.SYNTAX_UNKNOWN, table)
        name = alias.this.name
        recursive = bool(clause.recursive) and reads_itself(table.this, name)
        common = CommonTable(table.this, columns, names, recursive)
        names = Names(names.resolve, {**names.common, name.lower(): common})
    return names
