"""SHOW LINEAGE."""

from __future__ import annotations

from collections.abc import Callable

from headwater.result import Column, Result
from headwater.sql.lineage import ShowLineage
from headwater.sql.privileges import Securable
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.lineage import Edge, Thing, around, edges
from headwater.statements.visibility import seen

COLUMNS = (
    Column("source_type", "string"),
    Column("source_schema", "string"),
    Column("source_name", "string"),
    Column("target_type", "string"),
    Column("target_schema", "string"),
    Column("target_name", "string"),
    Column("distance", "int"),
)


def show_lineage(context: Context, statement: ShowLineage) -> Result:
    """What reads what: all of it, or what leads to one object and away from it."""
    workspace, thing = context.session.workspace, None
    if statement.name is not None:
        table = context.table(statement.name)
        workspace, thing = table.workspace, Thing(table.schema, table.name, table.kind.words)
    shown = _shown(context, workspace)
    known = [edge for edge in edges(context.store, workspace) if shown(edge)]
    found: list[tuple[Edge, int | None]] = [(edge, None) for edge in known]
    if thing is not None:
        found = [*around(known, thing)]
    rows = [(*_cells(edge.source), *_cells(edge.target), distance) for edge, distance in found]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=5)


def _shown(context: Context, workspace: str) -> Callable[[Edge], bool]:
    """An edge is shown to who may know of both of its ends."""
    tables = seen(context, Securable.TABLE, workspace)
    others = {
        "VOLUME": seen(context, Securable.VOLUME, workspace),
        "PIPE": seen(context, Securable.PIPE, workspace),
        "KAFKA": lambda schema, name: True,
    }

    def sees(thing: Thing) -> bool:
        return others.get(thing.type, tables)(thing.schema, thing.name)

    return lambda edge: sees(edge.source) and sees(edge.target)


def _cells(thing: Thing) -> tuple[str, str, str]:
    return thing.type, thing.schema, thing.name
