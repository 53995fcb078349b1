"""The hints of a session for the refresh of one dynamic table; names become tables it reads."""

from __future__ import annotations

from collections.abc import Iterator

from headwater.catalog.dynamic_tables import DynamicTable
from headwater.errors import UserError
from headwater.names import ObjectName, QualifiedName, did_you_mean
from headwater.refresh.definition import Definition
from headwater.refresh.hints import (
    DIMENSION_PROPERTY,
    DIMENSIONS,
    LISTS,
    Hints,
    hints_of,
    names_in,
)
from headwater.statements.context import Context


def refresh_hints(context: Context, table: DynamicTable, definition: Definition) -> Hints:
    """What the session, and the table's own properties, ask for."""
    settings = context.session.settings
    lists = {
        key: frozenset(_sources(context, table, definition, key, settings[key]))
        for key in LISTS
        if key in settings
    }
    constant = table.properties.get(DIMENSION_PROPERTY, "")
    own = _sources(context, table, definition, DIMENSION_PROPERTY, constant)
    lists[DIMENSIONS] = lists.get(DIMENSIONS, frozenset()) | frozenset(own)
    return hints_of(settings, lists)


def _sources(
    context: Context, table: DynamicTable, definition: Definition, key: str, text: str
) -> Iterator[str]:
    """The ids of the sources that a list names.

    A table that this one does not read is no mistake: the session may refresh others as well.
    """
    known = {
        QualifiedName(source.workspace, source.schema, source.name): source.id
        for source in definition.sources
    }
    for name in names_in(text):
        found = ObjectName.of(*name.split(".")).qualified(
            workspace=table.query_workspace, schema=table.query_schema
        )
        if found in known:
            yield known[found]
        elif context.store.tables.get(found.workspace, found.schema, found.name) is None:
            raise UserError(
                "HINT_TABLE_UNKNOWN",
                key=key,
                name=name,
                table=table.qualified,
                sources=", ".join(str(source) for source in known),
                hint=did_you_mean(found.name, [source.name for source in known]),
            )
