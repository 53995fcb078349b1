"""A statement as Spark gets it: as typed, but for the relations Spark does not know.

Tables are registered when they are mentioned. Views are written out where they stand. A `(SHOW ..)`
or an information_schema view becomes a temporary view of its rows. TIMESTAMP AS OF becomes the
Delta version our own version table says. Everything else keeps its place and its characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from headwater.catalog.objects import Table, TableKind
from headwater.errors import HeadwaterError, Span, UserError
from headwater.files.failures import unreadable_file
from headwater.files.reading import VolumeScan
from headwater.files.staging import Staging
from headwater.names import quote_identifier
from headwater.pipes.kafka_tables import relation_of
from headwater.refresh.pins import Pin
from headwater.result import Result
from headwater.sql.casts import cast_edits
from headwater.sql.edits import Edit, EditedText, apply_edits
from headwater.sql.kafka_headers import may_use_headers
from headwater.sql.own_relations import DirectoryRelation, LoadHistoryRelation
from headwater.sql.presigned_urls import find_presigned_urls
from headwater.sql.read_kafka import ReadKafka
from headwater.sql.relations import (
    FoundRelation,
    Relation,
    StatementRelation,
    find_relations,
)
from headwater.sql.session_configs import given_parameters, parameter_edits
from headwater.sql.settings import TIME_ZONE_KEY
from headwater.sql.table_changes import TableChanges
from headwater.sql.tokens import tokenize
from headwater.sql.volume_relation import VolumeRelation
from headwater.sql.workspace_names import workspace_edits
from headwater.statements.context import Context
from headwater.statements.current_vcluster import vcluster_edits
from headwater.statements.functions import (
    CalledFunction,
    function_edits,
    place_of_call,
)
from headwater.statements.information_schema import (
    information_schema_rows,
)
from headwater.statements.kafka_relation import kafka_view
from headwater.statements.kafka_table import declared_columns
from headwater.statements.missing_names import with_near_names
from headwater.statements.presigned_url import presigned_edits
from headwater.statements.stream_relations import stream_changes, stream_of
from headwater.statements.table_changes import table_changes
from headwater.statements.time_travel import version_at
from headwater.statements.volume_relations import (
    directory,
    load_history,
    staging_of,
    volume_view,
)
from headwater.tables.find import INFORMATION_SCHEMA, find_table
from headwater.tables.registration import register_table

_MOST_NESTED_VIEWS = 50


@dataclass(frozen=True, slots=True)
class _Preparation:
    """One text on its way to Spark; `made` are the temporary views to drop afterwards."""

    context: Context
    made: list[str]
    scans: list[VolumeScan]
    staging: Staging
    left_out: frozenset[str]
    keep_views: bool = False
    pins: Mapping[str, Pin] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    called: list[CalledFunction] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    depth: int = 0


@contextmanager
def spark_text(
    context: Context,
    text: str,
    *,
    extra: tuple[Edit, ...] = (),
    keep_views: bool = False,
    scans: list[VolumeScan] | None = None,
    left_out: frozenset[str] = frozenset(),
    pins: Mapping[str, Pin] | None = None,
    parameters: Mapping[str, str] | None = None,
) -> Iterator[EditedText]:
    """`text` ready for Spark; its temporary views go afterwards unless `keep_views` is set.

    Tables with a pin, by their ids, are read at its version. Parameters are those of the session,
    unless `parameters` gives others.

    What it reads from volumes is added to `scans`; files with an address in `left_out` it does not
    read.
    """
    read = [] if scans is None else scans
    staging = staging_of(context)
    given = given_parameters(context.session.settings) if parameters is None else parameters
    preparation = _Preparation(context, [], read, staging, left_out, keep_views, pins or {}, given)
    try:
        yield _edited(preparation, text, extra)
    except HeadwaterError as error:
        raise _better(preparation, error) from error.__cause__
    finally:
        if not keep_views:
            for name in preparation.made:
                context.session.spark().drop_view(name)
            preparation.staging.clear()


def _better(preparation: _Preparation, error: HeadwaterError) -> HeadwaterError:
    """The error in our words: which call failed, which file is broken, which name is near."""
    context, scans = preparation.context, preparation.scans
    if error.condition in ("FUNCTION_FAILED", "FUNCTION_RESULT"):
        error.span = error.span or place_of_call(preparation.called, error)
        return error
    unreadable = unreadable_file(error, scans, context.session.spark()) if scans else None
    if unreadable is not None:
        return unreadable
    return with_near_names(context, error)


def _edited(preparation: _Preparation, text: str, extra: tuple[Edit, ...] = ()) -> EditedText:
    tokens = tokenize(text)
    found = find_relations(text, tokens)
    edits = [*cast_edits(tokens), *workspace_edits(tokens, found.named)]
    for relation in found.named:
        if not _covered(relation.span, extra):
            edits += _relation_edits(preparation, relation)
    for statement in found.statements:
        edits.append(_statement_edit(preparation, statement))
    for own in found.own:
        if not _covered(own.span, extra):
            edits.append(_own_edit(preparation, own, text))
    edits += vcluster_edits(preparation.context, text, tokens)
    edits += presigned_edits(preparation.context, find_presigned_urls(text, tokens))
    edits += parameter_edits(tokens, preparation.parameters)
    kept = (*extra, *(e for e in edits if not _covered(e.span, extra)))
    calls = function_edits(
        preparation.context,
        text,
        tokens,
        left_alone=lambda span: _covered(span, kept),
        # A place in the text of a view is none in the statement.
        called=[] if preparation.depth else preparation.called,
        values=preparation.values,
    )
    return apply_edits(text, [*kept, *calls])


def _covered(span: Span, extra: tuple[Edit, ...]) -> bool:
    """Whether a piece of text is replaced as a whole by its caller."""
    return any(e.span.start <= span.start and span.end <= e.span.end for e in extra)


def _relation_edits(preparation: _Preparation, relation: Relation) -> list[Edit]:
    context, name = preparation.context, relation.name
    own = not context.in_view and name.schema is None
    if own and name.name in context.session.temporary_views:
        return []
    if name.schema == INFORMATION_SCHEMA:
        rows = information_schema_rows(context, name, relation.span)
        return [Edit(relation.span, _as_view(preparation, rows) + _alias(relation))]
    qualified = context.qualify(name)
    table = context.store.tables.get(qualified.workspace, qualified.schema, qualified.name)
    if table is None:
        if name.workspace is not None:
            find_table(context.store, qualified, span=relation.span)
        # A path, a temporary view, or a mistake: Spark knows or says so.
        return []
    if table.kind.stores_rows:
        return _table_edits(preparation, table, relation)
    if relation.time_travel is not None:
        kind = "a stream" if table.kind is TableKind.STREAM else "a view"
        span = relation.time_travel.span
        raise UserError("NOT_A_TABLE", name=name, kind=kind, statement="time travel", span=span)
    if table.kind is TableKind.KAFKA:
        headers = any(column.name.lower() == "headers" for column in table.shape.columns)
        view = kafka_view(context, relation_of(context.lake, table), headers=headers)
        preparation.made.append(view)
        return [Edit(relation.span, declared_columns(table, view) + _alias(relation))]
    if table.kind is TableKind.STREAM:
        return [Edit(relation.span, _stream(preparation, table, relation) + _alias(relation))]
    return [Edit(relation.span, _inlined(preparation, table) + _alias(relation))]


def _stream(preparation: _Preparation, table: Table, relation: Relation) -> str:
    context, span = preparation.context, relation.span
    if preparation.keep_views:
        # It would show the same changes for ever, also when others have consumed them.
        raise UserError("STREAM_IN_TEMPORARY_VIEW", stream=relation.name, span=span)
    found = stream_changes(context, stream_of(context, table), span)
    if isinstance(found, Result):
        return _as_view(preparation, found)
    preparation.made.extend(found.views)
    pin = preparation.pins.get(table.id)
    if pin is None or pin.columns is None:
        return found.sql
    names = ", ".join(quote_identifier(name) for name in pin.columns)
    return f"(SELECT {names} FROM {found.sql})"  # noqa: S608 - names are quoted


def _table_edits(preparation: _Preparation, table: Table, relation: Relation) -> list[Edit]:
    context = preparation.context
    spark = register_table(context.lake, table)
    pin = preparation.pins.get(table.id) if relation.time_travel is None else None
    if pin is not None:
        return [Edit(relation.span, _pinned(spark, pin, relation))]
    edits: list[Edit] = []
    foreign = table.workspace != context.lake.config.workspace
    if relation.name.workspace is not None or context.in_view or foreign:
        edits.append(Edit(relation.span, spark))
    if relation.time_travel is not None:
        version = version_at(context, table, relation.time_travel)
        text = f"VERSION AS OF {version.delta_version}"
        edits.append(Edit(relation.time_travel.span, text))
    return edits


def _pinned(table: str, pin: Pin, relation: Relation) -> str:
    at = table if pin.delta_version is None else f"{table} VERSION AS OF {pin.delta_version}"
    if pin.columns is None and pin.view is None:
        return at
    read = at if pin.view is None else quote_identifier(pin.view)
    names = ", ".join(quote_identifier(name) for name in pin.columns or ()) or "*"
    return f"(SELECT {names} FROM {read}){_alias(relation)}"  # noqa: S608 - names are quoted


def _alias(relation: Relation) -> str:
    return "" if relation.aliased else f" AS {quote_identifier(relation.name.name)}"


def _statement_edit(preparation: _Preparation, statement: StatementRelation) -> Edit:
    try:
        rows = preparation.context.run(preparation.context, statement.text)
    except UserError as error:
        # Its place is one in the inner statement: point at the same word of the whole.
        inner, shift = error.span, statement.text_start
        error.span = Span(inner.start + shift, inner.end + shift) if inner else statement.span
        raise
    return Edit(statement.span, _as_view(preparation, rows))


def _own_edit(preparation: _Preparation, found: FoundRelation, text: str) -> Edit:
    relation = found.relation
    if isinstance(relation, VolumeRelation):
        view = volume_view(
            preparation.context,
            relation,
            preparation.staging,
            preparation.scans,
            left_out=preparation.left_out,
        )
        preparation.made.append(view)
    elif isinstance(relation, ReadKafka):
        headers = may_use_headers(tokenize(text), found.span.end)
        view = kafka_view(preparation.context, relation, headers=headers)
        preparation.made.append(view)
    elif isinstance(relation, TableChanges):
        changes = table_changes(preparation.context, relation)
        preparation.made.extend(changes.views)
        view = changes.sql
    elif isinstance(relation, DirectoryRelation):
        view = _as_view(preparation, directory(preparation.context, relation))
    else:
        assert isinstance(relation, LoadHistoryRelation)
        view = _as_view(preparation, load_history(preparation.context, relation))
    alias = "" if found.aliased else f" AS {quote_identifier(relation.alias)}"
    return Edit(found.span, view + alias)


def _as_view(preparation: _Preparation, rows: Result) -> str:
    session = preparation.context.session
    name = session.next_view_name()
    spark = session.spark()
    # The rows show times in the session's zone; Spark has to read them in the same one.
    zone = spark.get(TIME_ZONE_KEY) or "UTC"
    spark.create_view(name, replace(rows, time_zone=zone).to_arrow())
    preparation.made.append(name)
    return name


def _inlined(preparation: _Preparation, view: Table) -> str:
    """A view's query in parentheses, its names resolved where the view was made."""
    if preparation.depth >= _MOST_NESTED_VIEWS:
        raise UserError("VIEW_NESTED_TOO_DEEPLY", view=f"{view.schema}.{view.name}")
    where_made = replace(
        preparation.context, workspace=view.workspace, schema=view.view_schema or view.schema
    )
    inside = replace(preparation, context=where_made, depth=preparation.depth + 1)
    text = _edited(inside, view.view_text or "").text
    names = ", ".join(quote_identifier(column.name) for column in view.shape.columns)
    # A comment at the end of the view's text must not swallow the parenthesis.
    return f"(SELECT * FROM ({text}\n) AS v({names}))"  # noqa: S608 - text is the view's own query
