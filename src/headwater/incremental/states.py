"""Groups kept beside a dynamic table, so that what they were need not be worked out.

A state of a grouping A is A with every count that its calls need to be merged, and a count of rows.

Law: state(A) = A' over the sources at the frontier, and delta(A') turns it into that of the next
one. Whoever changes the input of A without changing its state has to give the state up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.algebra.nodes import (
    WEIGHT,
    Aggregate,
    ColumnId,
    Field,
    Filter,
    Join,
    JoinKind,
    Named,
    Node,
    Project,
    Shared,
    Stored,
    Union,
    column,
    columns_of,
)
from headwater.algebra.walk import nodes_of, with_inputs
from headwater.incremental.deltas import Maintained
from headwater.incremental.keys import prime, same_keys
from headwater.incremental.merging import is_row_count, merges_of
from headwater.incremental.parts import Part
from headwater.incremental.weights import kept

MOST_STATES = 5
_GONE: ColumnId = "#gone"


@dataclass(frozen=True, slots=True)
class State:
    """A grouping as it is kept; `rows` is its count of rows, by which one tells that it is gone."""

    name: str
    node: Aggregate
    rows: ColumnId

    @property
    def stored(self) -> Stored:
        """The groups as they were."""
        pairs = zip(columns_of(self.node), state_names(self.node), strict=True)
        return Stored(tuple(Field(id, name) for id, name in pairs), self.name)


@dataclass(frozen=True, slots=True)
class StateChange:
    """What a refresh changes in a state: its rows, with their weights behind."""

    name: str
    rows: Node


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A query worked out in full with its states, each of which is a part; parts come in order."""

    rows: Node
    parts: tuple[Part, ...]
    states: tuple[tuple[str, Shared], ...]


def state_names(node: Node) -> tuple[str, ...]:
    """What the columns of a state are called where it is stored: ids may be no names for files."""
    return tuple(f"c{place}" for place in range(len(columns_of(node))))


def states_of(root: Node, tree: Maintained) -> Iterator[tuple[Aggregate, State]]:
    """The groupings of a tree that can be kept, with what is kept of them."""
    number = 0
    for node in nodes_of(root):
        if isinstance(node, Aggregate) and number < MOST_STATES:
            state = _state(node, f"s{number + 1}", tree)
            if state is not None:
                number += 1
                yield node, state


def _state(node: Aggregate, name: str, tree: Maintained) -> State | None:
    merges = merges_of(node.calls, tree, insert_only=False, keyed=bool(node.keys))
    if merges is None or not node.calls:
        return None
    calls = [*node.calls, *(call for merge in merges for call in merge.kept)]
    rows = next((call.id for call in calls if is_row_count(call.value, tree)), None)
    if rows is None:
        rows = f"#rows {name}"
        calls.append(Named(rows, exp.Count(this=exp.Star())))
    return State(name, replace(node, calls=tuple(calls)), rows)


def groups_before(state: State, ids: Sequence[ColumnId]) -> Node:
    """The grouping as it was, from what is kept."""
    return Project(state.stored, kept(ids))


def groups_after(state: State, change: Node, ids: Sequence[ColumnId], tree: Maintained) -> Node:
    """The grouping as it is: kept groups that the change leaves alone, and those that come.

    Law: a change has a group at most once as it was and once as it is.
    """
    keys = state.node.keys
    went = Filter(change, exp.LT(this=column(WEIGHT), expression=exp.Literal.number(0)))
    came = Filter(change, exp.GT(this=column(WEIGHT), expression=exp.Literal.number(0)))
    outputs = [Named(prime(key), column(key)) for key in keys]
    condition = same_keys(keys, tree)
    if condition is None:
        outputs, condition = [Named(_GONE, exp.true())], column(_GONE)
    stay = Join(JoinKind.ANTI, state.stored, Project(went, tuple(outputs)), condition)
    return Union((Project(stay, kept(ids)), Project(came, kept(ids))), tuple(ids))


def rebuilt(root: Node, states: dict[int, State]) -> Rebuilt:
    """The tree with the groupings that are kept, by identity, read from parts of their own."""
    parts: list[Part] = []
    made: list[tuple[str, Shared]] = []

    def build(node: Node) -> Node:
        inner = with_inputs(node, build)
        state = states.get(id(node))
        if state is None or not isinstance(inner, Aggregate):
            return inner
        whole = replace(inner, calls=state.node.calls)
        fields = tuple(Field(id, id) for id in columns_of(whole))
        shared = Shared(state.name, fields)
        parts.append(Part(state.name, whole))
        made.append((state.name, shared))
        return Project(shared, kept(columns_of(inner)))

    rows = build(root)
    return Rebuilt(rows, tuple(parts), tuple(made))
