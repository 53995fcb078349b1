"""The FROM clause: every relation under an alias of its own, with the columns it has."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from headwater.algebra.dialect import QueryDialect, parse_query
from headwater.algebra.functions import is_generator, is_query, name_of
from headwater.algebra.generators import generated_names
from headwater.algebra.qualifying.alias import (
    called_by,
    renamed_columns,
    table_alias,
    typed_alias,
    typed_columns,
)
from headwater.algebra.qualifying.joins import equal_names, shared_names, visible_behind
from headwater.algebra.qualifying.pivots import pivoted
from headwater.algebra.qualifying.recursion import recursive_query
from headwater.algebra.qualifying.scope import (
    ColumnName,
    Names,
    Nested,
    OwnRows,
    Relation,
    Scope,
    Work,
)
from headwater.algebra.refusal import Reason, refuse
from headwater.algebra.sources import SourceTable, SourceView

Resolved = Callable[[exp.Expression, Scope, Names], exp.Expression]

_TIME_TRAVEL = ("when", "version", "changes")
_TABLE = {"this", "db", "catalog", "alias", "pivots", "joins"}


class Relations:
    """Reads FROM clauses; queries inside of them, and expressions, are left to the caller."""

    def __init__(self, work: Work, nested: Nested, resolved: Resolved) -> None:
        self._work = work
        self._nested = nested
        self._resolved = resolved

    def scope(self, holder: exp.Expression, names: Names, outer: Scope | None) -> Scope:
        """The scope of a SELECT's FROM clause, changed in place."""
        scope = Scope(outer=outer)
        source = holder.args.get("from_")
        if source is not None:
            scope = self._item(source.this, names, scope)
        scope = self._joins(holder, names, scope)
        for lateral in holder.args.get("laterals") or ():
            scope = self._lateral(lateral, names, scope)
        return scope

    def _joins(self, holder: exp.Expression, names: Names, scope: Scope) -> Scope:
        for join in holder.args.get("joins") or ():
            scope = self._join(join, names, scope)
        return scope

    def _join(self, join: exp.Join, names: Names, left: Scope) -> Scope:
        if isinstance(join.this, exp.Lateral) and is_query(join.this.this):
            return self._lateral_query(join, names, left)
        if isinstance(join.this, exp.Lateral):
            if join.side or join.args.get("on") is not None:
                raise refuse("JOIN LATERAL", Reason.LATERAL_SUBQUERY, join)
            # Spark wants the comma's form here; CROSS and INNER mean the same.
            join.set("kind", None)
            return self._lateral(join.this, names, left)
        right = self._item(join.this, names, Scope(outer=left.outer))
        if isinstance(join.args.get("on"), exp.Boolean) and not join.side:
            # JOIN without a condition; Spark's plan of ON TRUE is another.
            join.set("on", None)
            join.set("kind", join.kind or "INNER")
        names_in_both = shared_names(join, left, right)
        if names_in_both is None:
            on = join.args.get("on")
            if on is not None:
                within = visible_behind(exp.Join(), left, right)
                join.set("on", self._resolved(on.pop(), within, names))
            return visible_behind(join, left, right)
        join.set("using", None)
        join.set("method", None)
        join.set("on", equal_names(left, right, names_in_both))
        if not names_in_both and not join.side:
            join.set("kind", "INNER")
        return visible_behind(join, left, right, names_in_both)

    def _item(self, item: exp.Expression, names: Names, scope: Scope) -> Scope:
        pivots = item.args.get("pivots")
        if pivots:
            return self._pivot(item, pivots, names, scope)
        if isinstance(item, exp.Table):
            return self._table(item, names, scope)
        if isinstance(item, exp.Subquery):
            return self._subquery(item, names, scope)
        if isinstance(item, exp.Values):
            return scope.with_relation(self._values(item))
        raise refuse(f"{type(item).__name__} in FROM", Reason.TABLE_FUNCTION, item)

    def _table(self, table: exp.Table, names: Names, scope: Scope) -> Scope:
        if any(table.args.get(key) for key in _TIME_TRAVEL):
            raise refuse("a version in FROM", Reason.TIME_TRAVEL, table)
        if table.args.get("sample"):
            raise refuse("TABLESAMPLE", Reason.SAMPLE, table)
        unknown = {key for key, value in table.args.items() if value} - _TABLE
        if unknown:
            raise refuse(f"{min(unknown)} in FROM", Reason.SYNTAX_UNKNOWN, table)
        known = isinstance(table.this, exp.Identifier)
        relation = self._named(table, names) if known else self._function(table, names)
        # A join in parentheses stands in its first table.
        return self._joins(table, names, scope.with_relation(relation))

    def _named(self, table: exp.Table, names: Names) -> Relation:
        parts = tuple(part.name for part in table.parts)
        called = called_by(table, tuple(part.lower() for part in parts))
        renamed = typed_columns(table)
        alias = self._work.alias(typed_alias(table) or parts[-1])
        common = names.common.get(parts[0].lower()) if len(parts) == 1 else None
        if isinstance(common, OwnRows):
            table.set("this", exp.to_identifier(common.alias, quoted=True))
            columns = renamed_columns(common.columns, renamed)
            table.set("alias", table_alias(alias, columns, renamed))
            return Relation(alias, called, columns)
        if common is not None and common.recursive:
            query, own = recursive_query(common, parts[0], self._work, self._nested)
            columns = renamed_columns(own, renamed)
            _replace_by_query(table, query, table_alias(alias, columns, renamed))
            return Relation(alias, called, columns)
        if common is not None:
            columns = self._inlined(
                table, alias, common.query.copy(), common.names, renamed or common.columns
            )
            return Relation(alias, called, columns)
        source = names.resolve(parts)
        if isinstance(source, SourceView):
            inner = Names(source.resolve)
            columns = self._inlined(
                table, alias, parse_query(source.text), inner, renamed or source.columns
            )
            return Relation(alias, called, columns)
        self._work.tables[alias] = source
        _print_as(table, source, alias, renamed)
        own = tuple(ColumnName(name, name, type) for name, type in source.columns)
        return Relation(alias, called, renamed_columns(own, renamed))

    def _inlined(
        self,
        table: exp.Table,
        alias: str,
        query: exp.Expression,
        names: Names,
        renamed: tuple[str, ...],
    ) -> tuple[ColumnName, ...]:
        """The table replaced by a query in parentheses; its joins stay beside it."""
        wrapped = query if isinstance(query, exp.Subquery) else exp.Subquery(this=query)
        columns = renamed_columns(self._nested(query, names, None), renamed)
        _replace_by_query(table, wrapped.this, table_alias(alias, columns, renamed))
        return columns

    def _function(self, table: exp.Table, names: Names) -> Relation:
        """A function of Spark's that makes rows of literals."""
        function = table.this
        resolved = self._resolved(function.copy(), Scope(), names)
        typed, function_name = typed_columns(table), name_of(function)
        own = ("id",) if function_name == "range" else generated_names(resolved, lambda _: None)
        known = function_name == "range" or is_generator(function)
        if not known or own is None:
            raise refuse("a function in FROM", Reason.TABLE_FUNCTION, table)
        table.set("this", resolved)
        called = called_by(table, (function_name,))
        alias = self._work.alias(typed_alias(table) or function_name)
        columns = renamed_columns(tuple(ColumnName(name, name) for name in own), typed)
        table.set("alias", table_alias(alias, columns, tuple(c.printed for c in columns)))
        return Relation(alias, called, columns)

    def _subquery(self, item: exp.Subquery, names: Names, scope: Scope) -> Scope:
        if isinstance(item.this, exp.Table):
            if item.args.get("alias") is not None:
                raise refuse("a name for a join in parentheses", Reason.SYNTAX_UNKNOWN, item)
            return self._item(item.this, names, scope)
        if item.args.get("sample"):
            raise refuse("TABLESAMPLE", Reason.SAMPLE, item)
        renamed = typed_columns(item)
        called = called_by(item, ())
        alias = self._work.alias(typed_alias(item) or "query")
        columns = renamed_columns(self._nested(item.this, names, None), renamed)
        item.set("alias", table_alias(alias, columns, renamed))
        return scope.with_relation(Relation(alias, called, columns))

    def _values(self, values: exp.Values) -> Relation:
        called = called_by(values, ())
        alias = self._work.alias(typed_alias(values) or "values")
        rows = values.expressions
        width = len(rows[0].expressions) if isinstance(rows[0], exp.Tuple) else 1
        renamed = typed_columns(values) or tuple(f"col{at + 1}" for at in range(width))
        columns = tuple(ColumnName(name, name) for name in renamed)
        values.set("alias", table_alias(alias, columns, renamed))
        return Relation(alias, called, columns)

    def _lateral(self, lateral: exp.Lateral, names: Names, scope: Scope) -> Scope:
        generator = lateral.this
        if not is_generator(generator):
            raise refuse("LATERAL with this function", Reason.FUNCTION, lateral)
        generator = self._resolved(generator.pop(), scope, names)
        lateral.set("this", generator)
        named = typed_columns(lateral) or generated_names(generator, scope.type_of)
        if named is None:
            raise refuse(
                "a generator without names for its columns", Reason.SYNTAX_UNKNOWN, lateral
            )
        called = called_by(lateral, ())
        alias = self._work.alias(typed_alias(lateral) or "generated")
        columns = tuple(ColumnName(name, name) for name in named)
        lateral.set("alias", table_alias(alias, columns, named))
        return scope.with_relation(Relation(alias, called, columns))

    def _lateral_query(self, join: exp.Join, names: Names, left: Scope) -> Scope:
        lateral = join.this
        renamed, called = typed_columns(lateral), called_by(lateral, ())
        alias = self._work.alias(typed_alias(lateral) or "lateral")
        columns = renamed_columns(self._nested(lateral.this, names, left), renamed)
        lateral.set("alias", table_alias(alias, columns, renamed))
        relation = Relation(alias, called, columns)
        behind = left.with_relation(relation)
        on = join.args.get("on")
        if on is not None:
            join.set("on", self._resolved(on.pop(), behind, names))
        return behind

    def _pivot(
        self, item: exp.Expression, pivots: list[exp.Pivot], names: Names, scope: Scope
    ) -> Scope:
        """`FROM t PIVOT (..)` as a sub-query, whose columns have names that we know."""
        if len(pivots) > 1:
            raise refuse("several PIVOTs of one relation", Reason.SYNTAX_UNKNOWN, item)
        pivot = pivots[0]
        pivot.pop()
        item.set("pivots", None)
        holder = exp.Select(expressions=[exp.Star()], from_=exp.From(this=item.copy()))
        inner = self._item(holder.args["from_"].this, names, Scope())
        columns = pivoted(pivot, inner)
        # The clause stands behind the whole FROM clause.
        holder.args["from_"].this.set("pivots", [pivot])
        alias = self._work.alias("pivoted")
        named = tuple(column.printed for column in columns)
        made = exp.Subquery(this=holder, alias=table_alias(alias, columns, named))
        item.replace(made)
        return scope.with_relation(Relation(alias, called_by(pivot, ()), columns))


def _replace_by_query(table: exp.Table, query: exp.Expression, alias: exp.TableAlias) -> None:
    if table.args.get("joins"):
        raise refuse("a query in a join in parentheses", Reason.SYNTAX_UNKNOWN, table)
    table.replace(exp.Subquery(this=query, alias=alias))


def _print_as(table: exp.Table, source: SourceTable, alias: str, renamed: tuple[str, ...]) -> None:
    known = exp.to_table(source.spark_name, dialect=QueryDialect)
    for key in ("this", "db", "catalog"):
        part = known.args.get(key)
        table.set(key, None if part is None else part.copy())
    columns = tuple(ColumnName(name, name) for name in renamed)
    table.set("alias", table_alias(alias, columns, renamed))
