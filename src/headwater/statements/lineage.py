"""What reads what in a workspace, and which of it leads to an object or away from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from headwater.catalog.objects import Table, TableKind
from headwater.catalog.pipes import Pipe
from headwater.catalog.store import Store
from headwater.catalog.streams import Stream
from headwater.errors import UserError
from headwater.names import QualifiedName
from headwater.sql.own_relations import DirectoryRelation
from headwater.sql.relations import find_relations
from headwater.sql.table_changes import TableChanges
from headwater.sql.tokens import tokenize
from headwater.sql.volume_refs import VolumeKind
from headwater.sql.volume_relation import VolumeRelation

_VOLUME, _PIPE, _KAFKA = "VOLUME", "PIPE", "KAFKA"


@dataclass(frozen=True, slots=True, order=True)
class Thing:
    """An end of an edge; topics of Kafka belong to no schema."""

    schema: str
    name: str
    type: str


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """Rows go from a source to a target, which reads it."""

    target: Thing
    source: Thing


def edges(store: Store, workspace: str) -> list[Edge]:
    """All of a workspace, by target."""
    return sorted(set(_Finder.of(store, workspace).edges()))


def around(all_edges: Iterable[Edge], thing: Thing) -> list[tuple[Edge, int]]:
    """The edges on the ways to a thing and from it, nearest first.

    Each with its distance, which is negative for those that lead to it.
    """
    known = list(all_edges)
    up = {edge: -steps for edge, steps in _reached(known, thing, upwards=True)}
    down = dict(_reached(known, thing, upwards=False))
    return sorted((up | down).items(), key=lambda found: (abs(found[1]), found[1], found[0]))


def _reached(known: list[Edge], start: Thing, *, upwards: bool) -> Iterator[tuple[Edge, int]]:
    at: dict[Thing, list[Edge]] = {}
    for edge in known:
        at.setdefault(edge.target if upwards else edge.source, []).append(edge)
    seen, front, steps = {start}, [start], 1
    while front:
        found = [edge for thing in front for edge in at.get(thing, ())]
        yield from ((edge, steps) for edge in found)
        ends = dict.fromkeys(edge.source if upwards else edge.target for edge in found)
        front = [end for end in ends if end not in seen]
        seen.update(front)
        steps += 1


@dataclass(frozen=True, slots=True)
class _Finder:
    """Knows the objects of a workspace by name and by id."""

    store: Store
    workspace: str
    views: list[Table]
    streams: list[Stream]
    tables: Mapping[tuple[str, str], Thing]
    volumes: Mapping[tuple[str, str], Thing]
    by_id: Mapping[str, Thing]

    @classmethod
    def of(cls, store: Store, workspace: str) -> _Finder:
        stored, streams = store.tables.list(workspace), store.streams.list(workspace)
        named = {t.id: Thing(t.schema, t.name, t.kind.words) for t in stored}
        named |= {s.id: Thing(s.schema, s.name, TableKind.STREAM.words) for s in streams}
        volumes = {v.id: Thing(v.schema, v.name, _VOLUME) for v in store.volumes.list(workspace)}
        return cls(
            store,
            workspace,
            [table for table in stored if table.view_text is not None],
            streams,
            {(thing.schema, thing.name): thing for thing in named.values()},
            {(thing.schema, thing.name): thing for thing in volumes.values()},
            named | volumes,
        )

    def edges(self) -> Iterator[Edge]:
        for view in self.views:
            schema = view.view_schema or view.schema
            yield from self._reads(self.by_id[view.id], view.view_text or "", schema)
        for dynamic in self.store.dynamic_tables.list(self.workspace):
            if dynamic.id in self.by_id:
                target = self.by_id[dynamic.id]
                yield from self._reads(target, dynamic.query, dynamic.query_schema)
        for stream in self.streams:
            source = self.by_id.get(stream.source_id)
            if source is not None:
                yield Edge(self.by_id[stream.id], source)
        for pipe in self.store.pipes.list(self.workspace):
            yield from self._pipe(pipe)

    def _pipe(self, pipe: Pipe) -> Iterator[Edge]:
        own = Thing(pipe.schema, pipe.name, _PIPE)
        written = self.by_id.get(pipe.target_id)
        if written is not None:
            yield Edge(written, own)
        if pipe.volume_id is None:
            yield Edge(own, Thing("", pipe.input_name, _KAFKA))
        elif pipe.volume_id in self.by_id:
            yield Edge(own, self.by_id[pipe.volume_id])
        yield from self._reads(own, pipe.body, pipe.body_schema)

    def _reads(self, target: Thing, text: str, schema: str) -> Iterator[Edge]:
        try:
            found = find_relations(text, tokenize(text))
        except UserError:
            # The text of a pipe has its secrets covered, and need not be a statement any more.
            return
        for relation in found.named:
            if relation.role == "read":
                yield from self._edge(
                    target,
                    self.tables,
                    relation.name.qualified(workspace=self.workspace, schema=schema),
                )
        for own in (one.relation for one in found.own):
            if isinstance(own, TableChanges):
                name = own.table.qualified(workspace=self.workspace, schema=schema)
                yield from self._edge(target, self.tables, name)
            elif isinstance(own, VolumeRelation | DirectoryRelation):
                ref = own.volume
                if ref.name is not None:
                    kind = self.tables if ref.kind is VolumeKind.TABLE else self.volumes
                    name = ref.name.qualified(workspace=self.workspace, schema=schema)
                    yield from self._edge(target, kind, name)

    def _edge(
        self, target: Thing, among: Mapping[tuple[str, str], Thing], name: QualifiedName
    ) -> Iterator[Edge]:
        source = among.get((name.schema, name.name))
        if source is not None and name.workspace == self.workspace:
            yield Edge(target, source)
