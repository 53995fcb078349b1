"""WITH RECURSIVE: a common table that reads itself stays one, in a query where it is read."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.qualifying.alias import renamed_columns, table_alias
from headwater.algebra.qualifying.scope import (
    ColumnName,
    CommonTable,
    Names,
    Nested,
    OwnRows,
    Work,
)
from headwater.algebra.refusal import Reason, refuse

_BESIDES = ("with_", "order", "limit", "offset", "by_name", "side", "on")


def reads_itself(query: exp.Expression, name: str) -> bool:
    """Whether a query of WITH RECURSIVE may read the table that it makes."""
    return any(
        table.name.lower() == name.lower() and len(table.parts) == 1
        for table in query.find_all(exp.Table)
    )


def recursive_query(
    common: CommonTable, name: str, work: Work, nested: Nested
) -> tuple[exp.Select, tuple[ColumnName, ...]]:
    """All rows of the table, with every name in it resolved, and its columns."""
    union = common.query.copy()
    if not isinstance(union, exp.Union) or any(union.args.get(key) for key in _BESIDES):
        raise refuse("WITH RECURSIVE of what is no plain UNION ALL", Reason.RECURSION, union)
    columns = renamed_columns(nested(union.this, common.names, None), common.columns)
    # What Spark makes of both sides, not what the first one has.
    columns = tuple(replace(column, type=None) for column in columns)
    alias = work.alias(name)
    known = {**common.names.common, name.lower(): OwnRows(alias, columns)}
    step = nested(union.expression, Names(common.names.resolve, known), None)
    if len(step) != len(columns):
        raise refuse("a set operation of unequal widths", Reason.SYNTAX_UNKNOWN, union)
    return _select(union, alias, columns), columns


def _select(union: exp.Union, alias: str, columns: tuple[ColumnName, ...]) -> exp.Select:
    named = table_alias(alias, columns, tuple(column.printed for column in columns))
    return exp.Select(
        with_=exp.With(expressions=[exp.CTE(this=union, alias=named)], recursive=True),
        expressions=[exp.column(c.printed, table=alias, quoted=True) for c in columns],
        from_=exp.From(this=exp.Table(this=exp.to_identifier(alias, quoted=True))),
    )
