"""Joins with a change read of the other side only where the keys of the change lie.

Law: L join R on a = b is L join (R where b lies in S) on a = b, if every a that is not NULL lies in
S. So where keys that change together lie together, as those of new orders do, of a large table the
pages that hold them are read, and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.algebra.nodes import (
    Aggregate,
    Changes,
    ColumnId,
    Filter,
    Join,
    JoinKind,
    Net,
    Node,
    Project,
    Scan,
    Shared,
    Stored,
    TopK,
    Union,
    Window,
    column,
    columns_of,
)
from headwater.algebra.walk import with_inputs
from headwater.incremental.conjuncts import conjuncts_of
from headwater.incremental.parts import Part
from headwater.incremental.plan import DeltaPlan
from headwater.incremental.spans import Spans
from headwater.incremental.states import StateChange

Origin = tuple[str, str]
"""A column of the changes of a source: the source's id, the column's name."""
Origins = frozenset[Origin]
"""Columns of changes among whose values are all those of a column, but for NULL."""


@dataclass(frozen=True, slots=True)
class Place:
    """A column of a table, or of what is kept of one, by which rows can be left out."""

    leaf: Scan | Stored
    name: str


Ask = Callable[[Origins, Place], Spans | None]
"""The spans of what changed, if it pays to read only there; None to read everything."""


def narrowed(delta: DeltaPlan, ask: Ask) -> DeltaPlan:
    """The same rows, read where the changes lie."""
    known: dict[str, Mapping[ColumnId, Origins]] = {}
    parts = []
    for part in delta.parts:
        node, known[part.name] = _narrowed(part.node, known, ask)
        parts.append(Part(part.name, node))
    rows, _ = _narrowed(delta.rows, known, ask)
    states = (
        StateChange(state.name, _narrowed(state.rows, known, ask)[0]) for state in delta.states
    )
    return replace(delta, rows=rows, parts=tuple(parts), states=tuple(states))


def places_asked(delta: DeltaPlan) -> list[tuple[Origins, Place]]:
    """What `narrowed` would ask for."""
    found: list[tuple[Origins, Place]] = []

    def ask(origins: Origins, place: Place) -> Spans | None:
        found.append((origins, place))
        return None

    narrowed(delta, ask)
    return found


_Known = Mapping[str, Mapping[ColumnId, Origins]]


def _narrowed(node: Node, parts: _Known, ask: Ask) -> tuple[Node, dict[ColumnId, Origins]]:
    """The node, and of its columns those whose values are values of changes."""
    if isinstance(node, Join):
        return _join(node, parts, ask)
    found: list[dict[ColumnId, Origins]] = []

    def inner(one: Node) -> Node:
        changed, origins = _narrowed(one, parts, ask)
        found.append(origins)
        return changed

    made = with_inputs(node, inner)
    return made, _of_columns(node, found, parts)


def _of_columns(
    node: Node, below: Sequence[dict[ColumnId, Origins]], parts: _Known
) -> dict[ColumnId, Origins]:
    match node:
        case Changes(source=source, fields=fields):
            return {field.id: frozenset({(source, field.name.lower())}) for field in fields}
        case Shared(part=part, fields=fields):
            known = parts.get(part, {})
            return {field.id: known[field.name] for field in fields if field.name in known}
        case Project(outputs=outputs):
            return {
                named.id: below[0][named.value.name]
                for named in outputs
                if isinstance(named.value, exp.Column) and named.value.name in below[0]
            }
        case Aggregate(keys=keys):
            return {id: below[0][id] for id in keys if id in below[0]}
        case Union(branches=branches, ids=ids):
            by_place = [
                [origins.get(id) for id in columns_of(branch)]
                for branch, origins in zip(branches, below, strict=True)
            ]
            columns = {id: [one[place] for one in by_place] for place, id in enumerate(ids)}
            return {
                id: frozenset().union(*(one for one in found if one))
                for id, found in columns.items()
                if all(found)
            }
        case Filter() | Window() | TopK() | Net():
            return below[0]
        case _:
            return {}


def _join(node: Join, parts: _Known, ask: Ask) -> tuple[Node, dict[ColumnId, Origins]]:
    left, left_origins = _narrowed(node.left, parts, ask)
    right, right_origins = _narrowed(node.right, parts, ask)
    # A row of the other side is left out only if it can be part of no row of the join.
    may_left = node.kind in (JoinKind.INNER, JoinKind.SEMI)
    may_right = node.kind is not JoinKind.FULL
    for one, other, or_null in _equalities(node):
        given = left_origins.get(one)
        if given is not None and other not in right_origins and may_right:
            right = _where(right, other, given, ask, or_null=or_null)
            right_origins[other] = given
        given = right_origins.get(other)
        if given is not None and one not in left_origins and may_left:
            left = _where(left, one, given, ask, or_null=or_null)
            left_origins[one] = given
    made = replace(node, left=left, right=right)
    if node.kind in (JoinKind.SEMI, JoinKind.ANTI):
        return made, left_origins
    return made, left_origins | right_origins


def _equalities(node: Join) -> list[tuple[ColumnId, ColumnId, bool]]:
    """A column of the left side, the one of the right side it must equal, and whether NULL does."""
    left, right = frozenset(columns_of(node.left)), frozenset(columns_of(node.right))
    found = []
    for part in conjuncts_of(node.condition):
        if not isinstance(part, exp.EQ | exp.NullSafeEQ):
            continue
        one, other = part.this, part.expression
        if not (isinstance(one, exp.Column) and isinstance(other, exp.Column)):
            continue
        or_null = isinstance(part, exp.NullSafeEQ)
        if one.name in left and other.name in right:
            found.append((one.name, other.name, or_null))
        elif other.name in left and one.name in right:
            found.append((other.name, one.name, or_null))
    return found


def _where(rows: Node, id: ColumnId, origins: Origins, ask: Ask, *, or_null: bool) -> Node:
    place = _place_of(rows, id)
    spans = None if place is None else ask(origins, place)
    if spans is None:
        return rows
    return Filter(rows, spans.condition(column(id), or_null=or_null))


def _place_of(node: Node, id: ColumnId) -> Place | None:
    """The column of a leaf that a filter on a column gets to, as Spark moves filters down."""
    match node:
        case Scan(fields=fields) | Stored(fields=fields):
            return next((Place(node, field.name) for field in fields if field.id == id), None)
        case Project(input=inner, outputs=outputs):
            value = next(named.value for named in outputs if named.id == id)
            return _place_of(inner, value.name) if isinstance(value, exp.Column) else None
        case Filter(input=inner):
            return _place_of(inner, id)
        case Aggregate(input=inner, keys=keys):
            return _place_of(inner, id) if id in keys else None
        case Window(input=inner, partition=partition):
            return _place_of(inner, id) if id in partition else None
        case Join(kind=kind, left=left, right=right):
            if id in columns_of(left):
                return None if kind is JoinKind.FULL else _place_of(left, id)
            return _place_of(right, id) if kind is JoinKind.INNER else None
        case _:
            return None
