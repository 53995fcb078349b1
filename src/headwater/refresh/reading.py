"""The tables a query reads, also through views, and the texts that decide what it means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from headwater.catalog.functions import Function
from headwater.catalog.objects import Table, TableKind
from headwater.catalog.store import Store
from headwater.names import QualifiedName
from headwater.sql.function_calls import find_function_calls
from headwater.sql.relations import find_relations
from headwater.sql.tokens import tokenize
from headwater.tables.find import find_table


@dataclass(frozen=True, slots=True)
class Reading:
    """What a query reads: each table once, in the order of the text; views and functions inside."""

    tables: tuple[Table, ...]
    views: tuple[Table, ...]
    functions: tuple[Function, ...]


def reading_of(store: Store, text: str, *, workspace: str, schema: str) -> Reading:
    """What stands behind the names of a query; TABLE_NOT_FOUND for one that means nothing."""
    tables: dict[str, Table] = {}
    views: dict[str, Table] = {}
    functions: dict[str, Function] = {}
    for inner, here in _texts(store, text, (workspace, schema), views, tables):
        calls = {
            call.name.qualified(workspace=here[0], schema=here[1])
            for call in find_function_calls(tokenize(inner))
        }
        found = store.functions.named(calls) if calls else {}
        functions |= {function.id: function for function in found.values()}
    return Reading(tuple(tables.values()), tuple(views.values()), tuple(functions.values()))


def _texts(
    store: Store,
    text: str,
    here: tuple[str, str],
    views: dict[str, Table],
    tables: dict[str, Table],
) -> Iterator[tuple[str, tuple[str, str]]]:
    """The text and those of the views it reads, each with where its names are resolved."""
    yield text, here
    for relation in find_relations(text, tokenize(text)).named:
        if relation.role != "read":
            continue
        name = relation.name.qualified(workspace=here[0], schema=here[1])
        table = find_table(store, QualifiedName(name.workspace, name.schema, name.name))
        if table.kind is not TableKind.VIEW:
            tables.setdefault(table.id, table)
        elif table.id not in views:
            views[table.id] = table
            there = (table.workspace, table.view_schema or table.schema)
            yield from _texts(store, table.view_text or "", there, views, tables)
