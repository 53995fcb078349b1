"""The leaves of a plan made ready for Spark: changes as views, shared parts worked out once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from headwater.algebra.nodes import Node, Scan, Snapshot, Stored, Types
from headwater.algebra.render import render
from headwater.algebra.walk import nodes_of
from headwater.catalog.objects import TableColumn
from headwater.incremental.parts import Part
from headwater.lake.changes.classify import Classified
from headwater.lake.changes.kept import MOST_ROWS
from headwater.lake.changes.ranges import Reader
from headwater.lake.changes.read import ChangedTable, read_classified
from headwater.names import quote_identifier
from headwater.refresh.key_spans import narrowed_plan, wanted_spans
from headwater.refresh.outlook import Outlook, Workshop, pinned_sources
from headwater.refresh.planned import PlannedRefresh
from headwater.refresh.relations import ChangedRows, PinnedSource, SparkRelations
from headwater.refresh.sizes import most_rows
from headwater.refresh.sources import Source
from headwater.tables.registration import register_table


@contextmanager
def ready_relations(
    outlook: Outlook, workshop: Workshop
) -> Iterator[tuple[Outlook, SparkRelations]]:
    """The outlook as it is to be run, and what its leaves are; views and parts go afterwards."""
    planned, views = outlook.planned, list[str]()
    sources = pinned_sources(planned, workshop.lake)
    wanted = wanted_spans(outlook)
    try:
        if outlook.delta is not None:
            for source in planned.sources:
                keep = source.table.id in wanted.sources
                found = _changes(source, planned, workshop, views, keep=keep)
                sources[source.table.id] = replace(sources[source.table.id], changes=found)
        relations = stored_relations(planned, workshop, sources, outlook.types)
        states = {name: state.relation for name, state in outlook.states.items()}
        relations = replace(relations, states=states)
        if planned.is_readable_at_once:
            relations = _with_views(outlook, workshop, relations, views)
        if planned.is_very_little:
            relations = replace(relations, one_task=True)
        elif outlook.delta is not None:
            changed = {s.table.id: s.facts.changed_rows for s in planned.sources}
            relations = replace(relations, changed_rows=changed)
        if outlook.delta is not None:
            narrow = narrowed_plan(outlook, workshop, relations, wanted)
            outlook = replace(outlook, delta=narrow)
        with _parts(_parts_of(outlook), relations, workshop) as ready:
            yield outlook, ready
    finally:
        for view in views:
            workshop.spark.drop_view(view)


def _with_views(
    outlook: Outlook, workshop: Workshop, relations: SparkRelations, views: list[str]
) -> SparkRelations:
    """Tables as views over their files, which Delta would run jobs to look for."""
    planned, spark, lake = outlook.planned, workshop.spark, workshop.lake

    def view(location: str, version: int) -> str:
        name = workshop.new_view()
        spark.create_snapshot_view(name, location, version)
        views.append(name)
        return name

    leaves = [node for root in _roots(outlook) for node in nodes_of(root)]
    tables = {source.table.id: source for source in planned.sources}
    snapshots: dict[tuple[str, Snapshot], str] = {}
    for node in leaves:
        if isinstance(node, Scan) and (node.source, node.at) not in snapshots:
            facts = tables[node.source].facts
            version = facts.from_version if node.at is Snapshot.OLD else facts.to_version
            if version is not None:
                location = lake.location(tables[node.source].table)
                snapshots[node.source, node.at] = view(location, version)
    stored, states = relations.stored_as, dict(relations.states)
    held = {node.state for node in leaves if isinstance(node, Stored)}
    if None in held:
        version = planned.table.shape.delta_version
        own = quote_identifier(view(lake.location(planned.table), version))
        stored = planned.reach.stored(own)
    for name, state in outlook.states.items():
        if name in held:
            states[name] = quote_identifier(view(state.location, state.version))
    return replace(relations, snapshots=snapshots, stored_as=stored, states=states)


def _roots(outlook: Outlook) -> Iterator[Node]:
    """Everything that is worked out."""
    yield from (part.node for part in _parts_of(outlook))
    if outlook.delta is not None:
        yield outlook.delta.rows
        yield from (change.rows for change in outlook.delta.states)
    elif outlook.rebuilt is not None:
        yield outlook.rebuilt.rows


def _parts_of(outlook: Outlook) -> tuple[Part, ...]:
    if outlook.delta is not None:
        return outlook.delta.parts
    return outlook.rebuilt.parts if outlook.rebuilt is not None else ()


def stored_relations(
    planned: PlannedRefresh,
    workshop: Workshop,
    sources: dict[str, PinnedSource],
    types: Types,
) -> SparkRelations:
    """What a tree over the sources and the stored rows reads."""
    stored = register_table(workshop.lake, planned.table)
    at = f"{stored} VERSION AS OF {planned.table.shape.delta_version}"
    return SparkRelations(sources, types, workshop.spark.canonical, planned.reach.stored(at))


def _changes(
    source: Source,
    planned: PlannedRefresh,
    workshop: Workshop,
    views: list[str],
    *,
    keep: bool,
) -> ChangedRows | None:
    """The view of what changed in a source, with the columns that the query reads.

    With `keep` it is read more than once."""
    if source.classified is None or source.classified.reader is Reader.NOTHING:
        return None
    wanted = planned.definition.columns.get(source.table.id, ())
    columns = _columns(source, wanted)
    kept = _kept_changes(source, source.classified, planned, workshop, columns, keep=keep)
    if kept is not None:
        relation, every = kept
        views.append(relation)
        return ChangedRows(quote_identifier(relation), every)
    table = ChangedTable(workshop.lake.location(source.table), columns, source.facts.name)
    changes = read_classified(workshop.spark, table, source.classified, new_view=workshop.new_view)
    views.extend(changes.views)
    return ChangedRows(changes.sql, tuple(column.name for column in columns))


def _kept_changes(
    source: Source,
    classified: Classified,
    planned: PlannedRefresh,
    workshop: Workshop,
    columns: tuple[TableColumn, ...],
    *,
    keep: bool,
) -> tuple[str, tuple[str, ...]] | None:
    """A view of changes that others ask for as well, and its columns."""
    lake, rows = workshop.lake, source.facts.changed_rows
    if rows is None or rows > MOST_ROWS:
        return None
    location, asker = lake.location(source.table), planned.dynamic_table.id
    names = [column.name for column in columns]
    shared = lake.kept_changes.shared_columns(location, asker, names)
    if not shared:
        if not keep:
            return None
        shared = frozenset(names)
    every = [column.name for column in source.table.shape.columns if column.name in shared]
    view = workshop.new_view()
    found = workshop.spark.create_kept_change_view(
        view, location, classified, every, kept=lake.kept_changes, rows=rows
    )
    return None if found is None else (view, found)


def _columns(source: Source, wanted: tuple[str, ...]) -> tuple[TableColumn, ...]:
    names = {name.lower() for name in wanted}
    every = source.table.shape.columns
    found = tuple(column for column in every if column.name.lower() in names)
    # A query that counts rows reads no column, but a row has to have one.
    return found or every[:1]


@contextmanager
def _parts(
    parts: tuple[Part, ...], relations: SparkRelations, workshop: Workshop
) -> Iterator[SparkRelations]:
    made: dict[str, str] = {}
    try:
        for part in parts:
            view = workshop.new_view()
            workshop.spark.create_part(view, render(part.node, relations))
            made[part.name] = view
            rows = most_rows(part.node, relations.changed_rows or {}, relations.part_rows)
            sizes = {**relations.part_rows, part.name: rows}
            relations = replace(relations, parts=dict(made), part_rows=sizes)
        yield relations
    finally:
        for view in reversed(made.values()):
            workshop.spark.drop_part(view)
