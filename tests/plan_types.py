"""The types of a query's columns, for plans that are made without Spark.

Spark says them to a refresh. Here they follow from those of the tables, for the few calls that the
golden plans have; a column whose type is not known is left out, as one that Spark cannot tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    ColumnType,
    Node,
    Project,
    Scalar,
    Scan,
    Types,
    Union,
    Window,
    columns_of,
    inputs_of,
)

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_MOST_DIGITS = 38
_RANKINGS = (exp.RowNumber, exp.Rank, exp.DenseRank)
_OF_ARGUMENT = (exp.Min, exp.Max, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue)
_COUNT = ColumnType("bigint", nullable=False)


def types_of(tree: Node, tables: Mapping[str, Mapping[str, ColumnType]]) -> Types:
    """The type of every column of a tree that can be told."""
    found: dict[ColumnId, ColumnType] = {}
    for inner in inputs_of(tree):
        found.update(types_of(inner, tables))
    made = {id: type for id, type in _made(tree, found, tables) if type is not None}
    return found | made


def _made(
    node: Node, below: Types, tables: Mapping[str, Mapping[str, ColumnType]]
) -> list[tuple[ColumnId, ColumnType | None]]:
    match node:
        case Scan(source=source, fields=fields):
            return [(field.id, tables[source][field.name]) for field in fields]
        case Project(outputs=outputs):
            return [(named.id, _of_value(named.value, below)) for named in outputs]
        case Aggregate(calls=calls) | Window(calls=calls):
            return [(call.id, _of_call(call.value, below)) for call in calls]
        case Union(branches=branches, ids=ids):
            first = columns_of(branches[0])
            return [(id, below.get(of)) for id, of in zip(ids, first, strict=True)]
    return []


def _of_value(value: Scalar, types: Types) -> ColumnType | None:
    match value:
        case exp.Column():
            return types.get(value.name)
        case exp.Cast():
            return ColumnType(value.to.sql(dialect="spark").lower())
        case exp.Literal():
            return ColumnType("string" if value.is_string else "int", nullable=False)
    return None


def _of_call(value: Scalar, types: Types) -> ColumnType | None:
    if isinstance(value, exp.Filter | exp.Window):
        return _of_call(value.this, types)
    if isinstance(value, exp.Count | exp.CountIf):
        return _COUNT
    if isinstance(value, _RANKINGS):
        return ColumnType("int", nullable=False)
    argument = _of_value(value.this, types) if isinstance(value.this, exp.Expression) else None
    if argument is None:
        return None
    if isinstance(value, _OF_ARGUMENT):
        return ColumnType(argument.type)
    decimal = _DECIMAL.fullmatch(argument.type)
    match value:
        case exp.Sum() if decimal:
            return _decimal(int(decimal[1]) + 10, int(decimal[2]))
        case exp.Avg() if decimal:
            return _decimal(int(decimal[1]) + 4, int(decimal[2]) + 4)
        case exp.Sum():
            return ColumnType("double" if argument.type == "double" else "bigint")
        case exp.Avg():
            return ColumnType("double")
        case exp.ArrayAgg():
            return ColumnType(f"array<{argument.type}>", nullable=False)
    return None


def _decimal(digits: int, scale: int) -> ColumnType:
    return ColumnType(f"decimal({min(digits, _MOST_DIGITS)},{scale})")
