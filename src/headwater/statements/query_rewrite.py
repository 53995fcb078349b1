"""A query that reads fresh materialized views in place of what they were made of.

Law: with and without the rewriting a query gives the same rows. Whatever cannot be told for sure
leaves the text as it was typed. Views and tables are read at the versions that were compared, so a
commit in between does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from headwater.algebra.answering.rewrite import rewrite
from headwater.algebra.nodes import Query
from headwater.algebra.render import render_query
from headwater.catalog.dynamic_tables import DynamicTable
from headwater.catalog.objects import Table, TableColumn
from headwater.errors import HeadwaterError
from headwater.refresh.definition import Definition, define
from headwater.refresh.reading import Reading, reading_of
from headwater.refresh.relations import PinnedSource, SparkRelations
from headwater.refresh.sources import signature
from headwater.sql.edits import EditedText, own_text
from headwater.sql.relations import find_relations
from headwater.sql.session_configs import given_parameters
from headwater.sql.tokens import tokenize
from headwater.statements.context import Context
from headwater.statements.fresh_views import FreshView, fresh_view
from headwater.statements.spark_text import spark_text
from headwater.tables.find import INFORMATION_SCHEMA
from headwater.tables.registration import register_table
from headwater.tables.versions import catch_up

SETTING = "cz.optimizer.enable.mv.rewrite"
"""The setting of a session that allows it; it is off."""


@dataclass(frozen=True, slots=True)
class QueryRewrite:
    """The text for Spark, None to leave it as it is, and what to say of each view."""

    text: EditedText | None = None
    notes: tuple[str, ...] = ()


def is_on(context: Context) -> bool:
    """Whether the session wants queries to be rewritten."""
    return context.session.settings.get(SETTING, "false").lower() == "true"


def rewritten(context: Context, text: str) -> QueryRewrite:
    """The query over materialized views, where they answer it; the session's lock is held."""
    try:
        return _rewritten(context, text)
    except HeadwaterError as error:
        if error.condition == "JOB_CANCELLED":
            raise
        # Spark gets the text and says what is wrong with it.
        return QueryRewrite(notes=(f"none: {error.condition}: {error.message}",))


def _rewritten(context: Context, text: str) -> QueryRewrite:
    reading = _reading(context, text)
    if reading is None:
        return QueryRewrite(notes=("none: the query reads what is no table, or an older version",))
    read = {table.id for table in reading.tables}
    views = context.store.dynamic_tables.materialized_views(context.session.workspace)
    near = [view for view in views if view.sources and set(view.sources) <= read]
    if not near:
        return QueryRewrite(notes=("none: no materialized view reads only what the query reads",))
    found = {view.id: fresh_view(context, view) for view in near}
    fresh = [view for view in found.values() if isinstance(view, FreshView)]
    if not fresh:
        return QueryRewrite(notes=_notes(near, found, ()))
    with spark_text(context, text) as typed:
        columns = context.session.spark().columns_of(typed)
    work = _Work(context, fresh, columns)
    query = work.understood(text)
    if isinstance(query, str):
        return QueryRewrite(notes=(f"none: {query}",))
    made = rewrite(query, [view.stored for view in sorted(fresh, key=_rows)])
    if not made.used:
        return QueryRewrite(notes=_notes(near, found, ()))
    ready = own_text(render_query(made.query, work.relations()))
    if [(c.name, c.type) for c in context.session.spark().columns_of(ready)] != [
        (c.name, c.type) for c in columns
    ]:
        return QueryRewrite(notes=("none: columns would have other types",))
    return QueryRewrite(ready, _notes(near, found, made.used))


def _rows(view: FreshView) -> int:
    """Few rows first."""
    return view.planned.table.shape.totals.rows or 0


def _notes(
    near: list[DynamicTable], found: dict[str, FreshView | str], used: tuple[str, ...]
) -> tuple[str, ...]:
    notes = []
    for view in near:
        why = found[view.id]
        if view.id in used:
            notes.append(f"{view.schema}.{view.name} is read, it is fresh")
        elif isinstance(why, str):
            notes.append(f"{view.schema}.{view.name} is not read: {why}")
        else:
            notes.append(f"{view.schema}.{view.name} is not read: it does not answer the query")
    return tuple(notes)


def _reading(context: Context, text: str) -> Reading | None:
    """What a query reads, if these are tables as they are now and views of them."""
    relations = find_relations(text, tokenize(text))
    if relations.own or relations.statements:
        return None
    for relation in relations.named:
        name = relation.name
        hidden = name.schema is None and name.name in context.session.temporary_views
        if hidden or name.schema == INFORMATION_SCHEMA or relation.time_travel is not None:
            return None
    session = context.session
    reading = reading_of(context.store, text, workspace=session.workspace, schema=session.schema)
    plain = all(table.kind.stores_rows for table in reading.tables)
    inside = [find_relations(v.view_text or "", tokenize(v.view_text or "")) for v in reading.views]
    dated = any(r.time_travel is not None for found in inside for r in found.named)
    strange = any(found.own or found.statements for found in inside)
    return None if not plain or dated or strange else reading


@dataclass(frozen=True, slots=True)
class _Work:
    """One query on its way: the views that may be read, and what Spark says it gives."""

    context: Context
    fresh: list[FreshView]
    columns: tuple[TableColumn, ...]
    sources: dict[str, PinnedSource] = field(default_factory=dict)

    def understood(self, text: str) -> Query | str:
        """The tree of the query, if Spark confirms it; else why there is none."""
        session = self.context.session
        definition = define(
            self.context.lake,
            text,
            names=tuple(column.name for column in self.columns),
            workspace=session.workspace,
            schema=session.schema,
            columns={},
            parameters=given_parameters(session.settings),
            ordered=True,
        )
        if definition.query is None:
            problem = definition.not_incremental
            return f"the query is not understood: {problem.detail if problem else ''}"
        if not self._pin(definition):
            return "a table was changed while the query was looked at"
        known = session.understandings.of(
            _apart(definition),
            session.spark(),
            self.sources,
            lambda: spark_text(self.context, text),
        )
        return known.query or "Spark does not confirm that the query was understood"

    def _pin(self, definition: Definition) -> bool:
        """Fix the versions at which all is read: those for which the views are fresh."""
        lake = self.context.lake
        versions: dict[str, int] = {}
        for view in self.fresh:
            for source, version in view.versions.items():
                if versions.setdefault(source, version) != version:
                    return False
        for view in self.fresh:
            self._add(view.planned.table, view.planned.table.shape.delta_version)
        for table in definition.sources:
            newest = catch_up(lake, table).shape.delta_version
            self._add(table, versions.get(table.id, newest))
        return True

    def _add(self, table: Table, version: int) -> None:
        if table.id not in self.sources:
            lake = self.context.lake
            columns = signature(lake.log_files(table), version, None)
            name = register_table(lake, table)
            self.sources[table.id] = PinnedSource(name, None, version, signature=columns)

    def relations(self) -> SparkRelations:
        """What stands for the leaves of the rewritten tree."""
        return SparkRelations(self.sources, {}, lambda value, kind: value)


def _apart(definition: Definition) -> Definition:
    """The definition under a key of its own: a tree that is ordered is another one."""
    return replace(definition, text=f"{definition.text} -- shown")
