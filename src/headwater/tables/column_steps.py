"""From the columns that a table has to those that it is to have, without touching a row. Pure.

Law: columns of both keep their values, new ones are NULL, and the order is that of the wanted
ones. What cannot be had that way has no steps.
"""

from __future__ import annotations

from collections.abc import Sequence

from headwater.catalog.dynamic_tables import OwnColumn
from headwater.catalog.objects import TableShape
from headwater.names import quote_identifier, quote_literal
from headwater.tables.alter import alter_step
from headwater.tables.type_changes import is_widening

_MAPPING = "SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
_WIDENING = "SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")


def why_not(shape: TableShape, wanted: Sequence[OwnColumn]) -> str | None:
    """What stands against keeping the rows of a table; None if nothing does."""
    types = {column.name.lower(): column.type for column in wanted}
    for column in shape.columns:
        kind = types.get(column.name.lower())
        if kind is not None and not is_widening(column.type, kind):
            return f"column '{column.name}' is {column.type} and would be {kind}"
    if shape.columns and not types.keys() & {column.name.lower() for column in shape.columns}:
        return "no column would stay"
    for name in shape.partition_columns:
        if name.lower() not in types:
            return f"it is partitioned by '{name}', which would go"
    return None


def added_columns(shape: TableShape, wanted: Sequence[OwnColumn]) -> tuple[str, ...]:
    """The columns that the table does not have."""
    there = {column.name.lower() for column in shape.columns}
    return tuple(column.name for column in wanted if column.name.lower() not in there)


def column_steps(shape: TableShape, wanted: Sequence[OwnColumn]) -> tuple[list[str], list[str]]:
    """The steps that bring columns, widen and order them, and those that take columns away.

    They are two lists because something else may be due between them: a table cannot lose a column
    by which it is clustered.
    """
    names = {column.name.lower() for column in wanted}
    gone = [column.name for column in shape.columns if column.name.lower() not in names]
    new = set(added_columns(shape, wanted))
    mapped = shape.properties.get("delta.columnMapping.mode") in ("name", "id")
    odd = any(not set(name.lower()) <= _PLAIN for name in new)
    steps = [] if mapped or not (gone or odd) else [alter_step(_MAPPING)]
    steps += _widened(shape, wanted)
    steps += _ordered([column.name for column in shape.columns], wanted, new)
    listed = ", ".join(quote_identifier(name) for name in gone)
    return steps, [alter_step(f"DROP COLUMNS ({listed})")] if gone else []


def _widened(shape: TableShape, wanted: Sequence[OwnColumn]) -> list[str]:
    types = {column.name.lower(): column for column in wanted}
    changes = [
        alter_step(f"ALTER COLUMN {quote_identifier(column.name)} TYPE {to.definition}")
        for column in shape.columns
        if (to := types.get(column.name.lower())) is not None and to.type != column.type
    ]
    enabled = shape.properties.get("delta.enableTypeWidening") == "true"
    return changes if enabled or not changes else [alter_step(_WIDENING), *changes]


def _ordered(there: list[str], wanted: Sequence[OwnColumn], new: set[str]) -> list[str]:
    """Columns that will go are left where they are; the others follow each other as wanted."""
    steps: list[str] = []
    now = [name.lower() for name in there]
    kept = {column.name.lower() for column in wanted}
    previous: str | None = None
    for column in wanted:
        name = column.name.lower()
        place = "FIRST" if previous is None else f"AFTER {quote_identifier(previous)}"
        if column.name in new:
            comment = f" COMMENT {quote_literal(column.comment)}" if column.comment else ""
            added = f"{quote_identifier(column.name)} {column.definition}{comment} {place}"
            steps.append(alter_step(f"ADD COLUMNS ({added})"))
        elif _follows(now, name, previous, kept):
            previous = name
            continue
        else:
            steps.append(alter_step(f"ALTER COLUMN {quote_identifier(column.name)} {place}"))
            now.remove(name)
        now.insert(0 if previous is None else now.index(previous) + 1, name)
        previous = name
    return steps


def _follows(now: list[str], name: str, previous: str | None, kept: set[str]) -> bool:
    staying = [other for other in now if other in kept]
    place = staying.index(name)
    return place == 0 if previous is None else place > 0 and staying[place - 1] == previous
