"""What a dynamic table may be made of: one query over tables that stay, with the same answer twice.

Nothing is run to find out. Views are looked through: the sources are the tables below them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from headwater.catalog.objects import Table, TableKind
from headwater.errors import NotSupported, Span, UserError
from headwater.names import QualifiedName
from headwater.sql.determinism import all_not_deterministic
from headwater.sql.function_calls import find_function_calls
from headwater.sql.once_per_row import SETTING, GivenColumn, given_columns
from headwater.sql.own_relations import OwnRelation
from headwater.sql.parse import parse
from headwater.sql.query import Query
from headwater.sql.read_kafka import ReadKafka
from headwater.sql.relations import Relation, find_relations
from headwater.sql.table_changes import TableChanges
from headwater.sql.tokens import tokenize
from headwater.sql.volume_relation import VolumeRelation
from headwater.statements.context import Context
from headwater.tables.find import INFORMATION_SCHEMA, find_table


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a text stands: as part of the statement, or in a view that is named at `span`.

    `reader` is the dynamic table that is to read it, which may read `streams` or not.
    """

    reader: QualifiedName
    start: int = 0
    span: Span | None = None
    streams: bool = True

    def of(self, span: Span) -> Span:
        """A place in the text as one in the statement."""
        return self.span or Span(span.start + self.start, span.end + self.start)


def query_sources(
    context: Context,
    name: QualifiedName,
    query: str,
    *,
    start: int,
    given: tuple[GivenColumn, ...] = (),
    streams: bool = True,
) -> tuple[Table, ...]:
    """The tables that the query of `name` reads, in their order; what it may not read is refused.

    `start` is the place of the query in the statement, `given` are its columns that may have
    another value each time. Without `streams` those are refused too.
    """
    place = _Place(name, start, streams=streams)
    _require_query(query, place)
    found: dict[str, Table] = {}
    for table, span in _tables(context, query, place, seen=frozenset()):
        if _reads(context, table, name):
            raise _reads_itself(name, span)
        found[table.id] = table
    spans = tuple(column.span for column in given)
    _require_deterministic(context, query, place, seen=frozenset(), given=spans)
    return tuple(found.values())


def columns_given(context: Context, query: str, *, start: int) -> tuple[GivenColumn, ...]:
    """The columns of a query that rows are given when they come, if the session allows that."""
    if context.session.settings.get(SETTING, "false").lower() != "true":
        return ()
    try:
        return given_columns(query, columns=_column_names(context, query))
    except UserError as error:
        error.span = _Place(QualifiedName("", "", ""), start).of(error.span or Span(0, 0))
        raise


def _require_query(text: str, place: _Place) -> None:
    try:
        parsed = parse(text)
    except UserError as error:
        error.span = place.of(error.span) if error.span is not None else None
        raise
    first = tokenize(text)[0]
    if not isinstance(parsed, Query) or first.upper == "EXPLAIN":
        raise UserError("DYNAMIC_TABLE_NOT_A_QUERY", span=place.of(first.span))


def _tables(
    context: Context, text: str, place: _Place, *, seen: frozenset[str]
) -> Iterator[tuple[Table, Span]]:
    relations = find_relations(text, tokenize(text))
    for own in relations.own:
        raise _refused(own.relation, place.of(own.span))
    for statement in relations.statements:
        what = " ".join(statement.text.split()[:2])
        raise NotSupported("DYNAMIC_TABLE_ON_CATALOG", what=what, span=place.of(statement.span))
    for relation in relations.named:
        span = place.of(relation.span)
        table = _named(context, relation, span, place)
        if table.kind is not TableKind.VIEW:
            yield table, span
        elif table.id not in seen:
            inside = _where_made(context, table)
            below = replace(place, span=span)
            yield from _tables(inside, table.view_text or "", below, seen=seen | {table.id})


def _named(context: Context, relation: Relation, span: Span, place: _Place) -> Table:
    name = relation.name
    if place.span is None and name.schema is None and name.name in context.session.temporary_views:
        raise NotSupported("DYNAMIC_TABLE_ON_TEMPORARY_VIEW", name=name, span=span)
    if name.schema == INFORMATION_SCHEMA:
        raise NotSupported("DYNAMIC_TABLE_ON_CATALOG", what=name, span=span)
    if relation.time_travel is not None:
        raise NotSupported("DYNAMIC_TABLE_ON_VERSION", span=place.of(relation.time_travel.span))
    if context.qualify(name) == place.reader:
        raise _reads_itself(place.reader, span)
    table = find_table(context.store, context.qualify(name), span=span)
    if table.kind is TableKind.STREAM and not place.streams:
        raise NotSupported("MATERIALIZED_VIEW_ON_STREAM", name=name, span=span)
    if table.kind is TableKind.KAFKA:
        raise NotSupported("DYNAMIC_TABLE_ON_KAFKA", span=span)
    return table


def _refused(relation: OwnRelation, span: Span) -> NotSupported:
    if isinstance(relation, VolumeRelation):
        return NotSupported("DYNAMIC_TABLE_ON_VOLUME", span=span)
    if isinstance(relation, ReadKafka):
        return NotSupported("DYNAMIC_TABLE_ON_KAFKA", span=span)
    if isinstance(relation, TableChanges):
        return NotSupported("DYNAMIC_TABLE_ON_CHANGES", span=span)
    return NotSupported("DYNAMIC_TABLE_ON_CATALOG", what=relation.alias, span=span)


def _where_made(context: Context, view: Table) -> Context:
    return replace(context, workspace=view.workspace, schema=view.view_schema or view.schema)


def _reads_itself(name: QualifiedName, span: Span) -> UserError:
    return UserError("DYNAMIC_TABLE_READS_ITSELF", table=name, span=span)


def _reads(context: Context, table: Table, name: QualifiedName) -> bool:
    """Whether a table is the one of that name, or is computed from it."""
    if QualifiedName(table.workspace, table.schema, table.name) == name:
        return True
    if table.kind is TableKind.STREAM:
        stream = context.store.streams.by_id(table.id)
        watched = None if stream is None else context.store.tables.get_by_id(stream.source_id)
        return watched is not None and _reads(context, watched, name)
    if not table.kind.is_refreshed:
        return False
    dynamic = context.store.dynamic_tables.by_id(table.id)
    sources = dynamic.sources if dynamic is not None else ()
    below = (context.store.tables.get_by_id(source) for source in sources)
    return any(_reads(context, source, name) for source in below if source is not None)


def _column_names(context: Context, text: str) -> set[str]:
    """The names that can mean a column of what a text reads, or the whole of a row."""
    relations = find_relations(text, tokenize(text)).named
    tables = [_table(context, relation) for relation in relations]
    names = {column.name for table in tables if table for column in table.shape.columns}
    return names | {relation.name.name for relation in relations}


def _require_deterministic(
    context: Context,
    text: str,
    place: _Place,
    *,
    seen: frozenset[str],
    given: tuple[Span, ...] = (),
) -> None:
    tokens = tokenize(text)
    relations = find_relations(text, tokens).named
    tables = [(relation, _table(context, relation)) for relation in relations]
    calls = all_not_deterministic(tokens, columns=_column_names(context, text))
    refused = [call for call in calls if not any(s.start <= call.start < s.end for s in given)]
    found = min(refused, key=lambda token: token.start, default=None)
    if found is not None:
        raise UserError("NOT_DETERMINISTIC", function=found.text, span=place.of(found.span))
    _require_deterministic_functions(context, text, place)
    for relation, view in tables:
        if view is not None and view.kind is TableKind.VIEW and view.id not in seen:
            inside, below = _where_made(context, view), replace(place, span=place.of(relation.span))
            _require_deterministic(inside, view.view_text or "", below, seen=seen | {view.id})


def _require_deterministic_functions(context: Context, text: str, place: _Place) -> None:
    """Functions of the lake say themselves whether they are."""
    calls = find_function_calls(tokenize(text))
    named = context.store.functions.named({context.qualify(call.name) for call in calls})
    for call in calls:
        function = named.get(context.qualify(call.name))
        if function is not None and not function.deterministic:
            raise UserError("NOT_DETERMINISTIC", function=call.name, span=place.of(call.span))


def _table(context: Context, relation: Relation) -> Table | None:
    name = context.qualify(relation.name)
    return context.store.tables.get(name.workspace, name.schema, name.name)
