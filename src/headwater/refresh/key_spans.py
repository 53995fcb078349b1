"""Where the keys of a change lie, if it pays to read no more of large tables than that.

The keys are asked of the changes that are kept in memory, the tables' own ends of their files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from headwater.algebra.nodes import Changes, ColumnId, Field, Scan, Snapshot
from headwater.algebra.render import render
from headwater.incremental.narrowing import Origin, Origins, Place, narrowed, places_asked
from headwater.incremental.plan import DeltaPlan
from headwater.incremental.spans import Spans, spans_of, together
from headwater.lake.changes.kept import MOST_ROWS
from headwater.lake.commits.stored_table import read_stored_table
from headwater.lake.delta_log.physical_names import physical_names
from headwater.lake.delta_log.value_range import NUMBERS, value_range
from headwater.refresh.outlook import Outlook, Workshop
from headwater.refresh.relations import SparkRelations

LEAST_ROWS = 500_000
"""Of a table: a smaller one is read in less time than it takes to ask where the keys lie."""
MOST_SHARE = 0.5
"""Of the range of a table's values: if keys lie all over it, nothing is left out."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Columns of changes that could narrow what is read of large tables, and these places."""

    columns: Mapping[str, frozenset[str]]
    places: frozenset[Place]

    @property
    def sources(self) -> frozenset[str]:
        """The sources whose changes are looked at."""
        return frozenset(self.columns)


NOTHING = Wanted({}, frozenset())


def wanted_spans(outlook: Outlook) -> Wanted:
    """What to ask for, from the plan and the sizes of tables. No I/O."""
    if outlook.delta is None or outlook.planned.is_very_little:
        return NOTHING
    kinds = _kinds_of_changes(outlook)
    columns: defaultdict[str, set[str]] = defaultdict(set)
    places: set[Place] = set()
    for origins, place in places_asked(outlook.delta):
        kind = _kind_of_place(place, outlook)
        if _rows_of(place, outlook) < LEAST_ROWS or not kind:
            continue
        if any(_family(kinds.get(origin, "")) != kind for origin in origins):
            continue
        places.add(place)
        for source, name in origins:
            columns[source].add(name)
    return Wanted(
        {source: frozenset(names) for source, names in columns.items()}, frozenset(places)
    )


def narrowed_plan(
    outlook: Outlook, workshop: Workshop, relations: SparkRelations, wanted: Wanted
) -> DeltaPlan:
    """The plan of an outlook, read where the changes lie."""
    delta = outlook.delta
    assert delta is not None
    if not wanted.places:
        return delta
    spans = {
        (source, name): found
        for source, names in wanted.columns.items()
        for name, found in _spans_of(source, sorted(names), workshop, relations).items()
    }
    useful: dict[tuple[Origins, Place], Spans | None] = {}

    def ask(origins: Origins, place: Place) -> Spans | None:
        if place not in wanted.places:
            return None
        if (origins, place) not in useful:
            found = together([spans[origin] for origin in sorted(origins)])
            useful[origins, place] = found if _leaves_out(found, place, outlook, workshop) else None
        return useful[origins, place]

    return narrowed(delta, ask)


def _spans_of(
    source: str, names: list[str], workshop: Workshop, relations: SparkRelations
) -> dict[str, Spans]:
    fields = tuple(Field(f"k{place}", name) for place, name in enumerate(names))
    rows = render(Changes(source, source, fields), relations)
    values = workshop.spark.column_values(rows, [field.id for field in fields])
    return {field.name: spans_of(values[field.id]) for field in fields}


def _leaves_out(spans: Spans, place: Place, outlook: Outlook, workshop: Workshop) -> bool:
    location, version = _version_of(place, outlook, workshop)
    log = workshop.spark.folder(location).log
    physical = {key.lower(): value for key, value in physical_names(log, version).items()}
    files = read_stored_table(log, version).files
    kind = _kind_of_place(place, outlook)
    ends = value_range(files, physical[place.name.lower()], "date" if kind == "date" else "bigint")
    return ends is not None and spans.share_of(*ends) <= MOST_SHARE


def _version_of(place: Place, outlook: Outlook, workshop: Workshop) -> tuple[str, int]:
    """Where the table of a place is, and the version that is read."""
    leaf, planned = place.leaf, outlook.planned
    if isinstance(leaf, Scan):
        source = next(one for one in planned.sources if one.table.id == leaf.source)
        before, version = source.facts.from_version, source.facts.to_version
        if leaf.at is Snapshot.OLD and before is not None:
            version = before
        return workshop.lake.location(source.table), version
    if leaf.state is not None:
        state = outlook.states[leaf.state]
        return state.location, state.version
    return workshop.lake.location(planned.table), planned.table.shape.delta_version


def _rows_of(place: Place, outlook: Outlook) -> int:
    leaf, planned = place.leaf, outlook.planned
    if isinstance(leaf, Scan):
        return next(s.facts.rows or 0 for s in planned.sources if s.table.id == leaf.source)
    # Nobody counts the groups of a state: as many as there are rows in the largest source, at most.
    if leaf.state is not None:
        return max((source.facts.rows or 0 for source in planned.sources), default=0)
    return planned.table.shape.totals.rows or 0


def _kinds_of_changes(outlook: Outlook) -> dict[Origin, str]:
    """The type of each column of changes that are few enough to be looked at."""
    return {
        (source.table.id, column.name.lower()): column.type
        for source in outlook.planned.sources
        if source.facts.changed_rows is not None and source.facts.changed_rows <= MOST_ROWS
        for column in source.table.shape.columns
    }


def _kind_of_place(place: Place, outlook: Outlook) -> str:
    known = outlook.types.get(_id_of(place))
    return "" if known is None else _family(known.type)


def _id_of(place: Place) -> ColumnId:
    return next(field.id for field in place.leaf.fields if field.name == place.name).rstrip("'")


def _family(kind: str) -> str:
    """Types whose values are compared as they are; empty for all others."""
    return "number" if kind in NUMBERS else kind if kind == "date" else ""
