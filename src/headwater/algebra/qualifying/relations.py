"""The FROM clause: every relation under an alias of its own, with the columns it has."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from headwater.algebra.dialect import QueryDialect, parse_query
from headwater.algebra.functions import is_generator
from headwater.algebra.generators import generated_names
from headwater.algebra.qualifying.joins import equal_names, shared_names, visible_behind
from headwater.algebra.qualifying.pivots import pivoted
from headwater.algebra.qualifying.scope import ColumnName, Names, Relation, Scope, Work
from headwater.algebra.refusal import Reason, refuse
from headwater.algebra.sources import SourceTable, SourceView

Nested = Callable[[exp.Expression, Names, "Scope | None"], tuple[ColumnName, ...]]
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
        if not isinstance(table.this, exp.Identifier) or unknown:
            raise refuse("a function in FROM", Reason.TABLE_FUNCTION, table)
        relation = self._named(table, names)
        # A join in parentheses stands in its first table.
        return self._joins(table, names, scope.with_relation(relation))

    def _named(self, table: exp.Table, names: Names) -> Relation:
        parts = tuple(part.name for part in table.parts)
        called = _called(table, tuple(part.lower() for part in parts))
        renamed = _column_aliases(table)
        alias = self._work.alias(_typed(table) or parts[-1])
        common = names.common.get(parts[0].lower()) if len(parts) == 1 else None
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
        return Relation(alias, called, _renamed(own, renamed))

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
        columns = _renamed(self._nested(query, names, None), renamed)
        made = exp.Subquery(this=wrapped.this, alias=_table_alias(alias, columns, renamed))
        if table.args.get("joins"):
            raise refuse("a query in a join in parentheses", Reason.SYNTAX_UNKNOWN, table)
        table.replace(made)
        return columns

    def _subquery(self, item: exp.Subquery, names: Names, scope: Scope) -> Scope:
        if isinstance(item.this, exp.Table):
            if item.args.get("alias") is not None:
                raise refuse("a name for a join in parentheses", Reason.SYNTAX_UNKNOWN, item)
            return self._item(item.this, names, scope)
        if item.args.get("sample"):
            raise refuse("TABLESAMPLE", Reason.SAMPLE, item)
        renamed = _column_aliases(item)
        called = _called(item, ())
        alias = self._work.alias(_typed(item) or "query")
        columns = _renamed(self._nested(item.this, names, None), renamed)
        item.set("alias", _table_alias(alias, columns, renamed))
        return scope.with_relation(Relation(alias, called, columns))

    def _values(self, values: exp.Values) -> Relation:
        called = _called(values, ())
        alias = self._work.alias(_typed(values) or "values")
        rows = values.expressions
        width = len(rows[0].expressions) if isinstance(rows[0], exp.Tuple) else 1
        renamed = _column_aliases(values) or tuple(f"col{at + 1}" for at in range(width))
        columns = tuple(ColumnName(name, name) for name in renamed)
        values.set("alias", _table_alias(alias, columns, renamed))
        return Relation(alias, called, columns)

    def _lateral(self, lateral: exp.Lateral, names: Names, scope: Scope) -> Scope:
        generator = lateral.this
        if isinstance(generator, exp.Query) or not is_generator(generator):
            raise refuse("LATERAL with a sub-query", Reason.LATERAL_SUBQUERY, lateral)
        generator = self._resolved(generator.pop(), scope, names)
        lateral.set("this", generator)
        named = _column_aliases(lateral) or generated_names(generator, scope.type_of)
        if named is None:
            raise refuse(
                "a generator without names for its columns", Reason.SYNTAX_UNKNOWN, lateral
            )
        called = _called(lateral, ())
        alias = self._work.alias(_typed(lateral) or "generated")
        columns = tuple(ColumnName(name, name) for name in named)
        lateral.set("alias", _table_alias(alias, columns, named))
        return scope.with_relation(Relation(alias, called, columns))

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
        made = exp.Subquery(this=holder, alias=_table_alias(alias, columns, named))
        item.replace(made)
        return scope.with_relation(Relation(alias, _called(pivot, ()), columns))


def _typed(item: exp.Expression) -> str | None:
    """The alias that stands in the text."""
    alias = item.args.get("alias")
    named = alias.this if isinstance(alias, exp.TableAlias) else alias
    return None if named is None else str(named.name)


def _called(item: exp.Expression, parts: tuple[str, ...]) -> tuple[str, ...]:
    typed = _typed(item)
    return parts if typed is None else (typed.lower(),)


def _column_aliases(item: exp.Expression) -> tuple[str, ...]:
    alias = item.args.get("alias")
    columns = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
    return tuple(column.name for column in columns or ())


def _renamed(columns: tuple[ColumnName, ...], names: tuple[str, ...]) -> tuple[ColumnName, ...]:
    if not names:
        return columns
    if len(names) != len(columns):
        raise refuse("names for another number of columns", Reason.NAME_UNKNOWN)
    pairs = zip(names, columns, strict=True)
    return tuple(ColumnName(name, name, column.type) for name, column in pairs)


def _table_alias(
    alias: str, columns: tuple[ColumnName, ...], renamed: tuple[str, ...]
) -> exp.TableAlias:
    names = [exp.to_identifier(column.printed, quoted=True) for column in columns]
    return exp.TableAlias(
        this=exp.to_identifier(alias, quoted=True), columns=names if renamed else None
    )


def _print_as(table: exp.Table, source: SourceTable, alias: str, renamed: tuple[str, ...]) -> None:
    known = exp.to_table(source.spark_name, dialect=QueryDialect)
    for key in ("this", "db", "catalog"):
        part = known.args.get(key)
        table.set(key, None if part is None else part.copy())
    columns = tuple(ColumnName(name, name) for name in renamed)
    table.set("alias", _table_alias(alias, columns, renamed))
