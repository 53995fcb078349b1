"""The tree under maintenance: its old and new form, and the delta of every node.

Invariant: no expression of a plan reads the clock; `current_date` is a literal in each of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date

from sqlglot import exp

from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    Filter,
    Generate,
    Join,
    JoinKind,
    Node,
    Opaque,
    Project,
    Scalar,
    Scan,
    Snapshot,
    TopK,
    Types,
    Union,
    Values,
    Window,
    columns_of,
    inputs_of,
)
from headwater.algebra.walk import nodes_of, scalars_of, transform, with_inputs, with_scalars
from headwater.incremental.deltas import Change, Delta, Rule
from headwater.incremental.operators import (
    aggregate,
    anti_join,
    filter,
    generate,
    inner_join,
    opaque,
    outer_join,
    project,
    scan,
    semi_join,
    top_k,
    top_rows,
    union,
    values,
    window,
)
from headwater.incremental.parts import Parts
from headwater.incremental.states import State, groups_after, groups_before, states_of

# Where a query's text is not taken apart, a word that may be in a comment counts as well.
_DATE_WORDS = ("current_date", "curdate")


@dataclass(frozen=True, slots=True)
class Dates:
    """What `current_date` was at the last refresh, and what it is at this one."""

    old: date
    new: date


@dataclass(frozen=True, slots=True)
class Decision:
    """How the delta of a node is found; with `stored` its old rows come from the table itself."""

    node: Node
    rule: Rule
    insert_only: bool = False
    stored: bool = False


class Maintenance:
    """A tree between two snapshots of its sources."""

    def __init__(
        self,
        tree: Node,
        changes: Mapping[str, Change],
        dates: Dates,
        types: Types,
        states: Collection[str] = (),
    ) -> None:
        self._changes = changes
        self._dates = dates
        self._types = types
        # With one date there is nothing that a date could change.
        self.tree = _at(tree, dates.new) if dates.old == dates.new else tree
        self.parts = Parts()
        self._original = {
            id(inner): given
            for inner, given in zip(nodes_of(self.tree), nodes_of(tree), strict=True)
        }
        self._padded = _padded(self.tree)
        self._decisions: dict[int, Decision] = {}
        self._old: dict[int, tuple[Node, Node]] = {}
        self._new: dict[int, tuple[Node, Node]] = {}
        self._deltas: dict[int, tuple[Node, Delta | None]] = {}
        self._states = {
            id(node): (node, state)
            for node, state in states_of(self.tree, self)
            if state.name in states
        }
        self.changed_states: dict[str, Node] = {}

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """In the order of the tree; a node without one is part of the rule above it."""
        found = (self._decisions.get(id(inner)) for inner in nodes_of(self.tree))
        return tuple(decision for decision in found if decision is not None)

    def decided(self, node: Node, delta: Delta | None, *, stored: bool = False) -> None:
        """Note how the delta of a node is found."""
        given = self._original.get(id(node))
        if given is None:
            return
        rule, insert_only = (
            (Rule.UNCHANGED, True) if delta is None else (delta.rule, delta.insert_only)
        )
        self._decisions[id(node)] = Decision(given, rule, insert_only, stored)

    def old(self, node: Node) -> Node:
        """The node over the sources as they were; unchanged ones are read as they are."""
        if id(node) not in self._old:
            self._old[id(node)] = (node, _at(self._before(node), self._dates.old))
        return self._old[id(node)][1]

    def new(self, node: Node) -> Node:
        """The node over the sources as they are."""
        if id(node) not in self._new:
            now = self._after(node) if self._states else node
            self._new[id(node)] = (node, _at(now, self._dates.new))
        return self._new[id(node)][1]

    def delta(self, node: Node) -> Delta | None:
        """The change of a node's rows; None if there surely is none."""
        if id(node) not in self._deltas:
            found = _delta(node, self) if self.changed(node) else None
            self.decided(node, found)
            if found is not None:
                found = replace(found, node=self.shared(found.node))
            self._deltas[id(node)] = (node, found)
        return self._deltas[id(node)][1]

    @property
    def has_states(self) -> bool:
        """Whether groupings of the tree are kept."""
        return bool(self._states)

    @property
    def untouched_states(self) -> frozenset[str]:
        """The states whose groupings have not changed."""
        unchanged = (s.name for node, s in self._states.values() if not self.changed(node))
        return frozenset(unchanged)

    def kept(self, node: Aggregate) -> State | None:
        """What is kept of a grouping, if that is there."""
        found = self._states.get(id(node))
        return None if found is None else found[1]

    def keep(self, state: State, change: Node) -> None:
        """Note how a state changes."""
        self.changed_states[state.name] = change

    def shared(self, node: Node) -> Node:
        """The same rows, computed once although several places read them."""
        return self.parts.shared(node)

    def change(self, source: str) -> Change:
        """What happened to a source."""
        return self._changes.get(source, Change.NONE)

    def changed(self, node: Node) -> bool:
        """Whether the rows of a node may differ between the snapshots."""
        if isinstance(node, Scan):
            return self.change(node.source) is not Change.NONE
        return self.dated(node) or any(self.changed(inner) for inner in inputs_of(node))

    def dated(self, node: Node) -> bool:
        """Whether an expression in the node itself has another value because the date changed."""
        if self._dates.old == self._dates.new:
            return False
        if isinstance(node, Opaque):
            texts = (piece.lower() for piece in node.pieces if isinstance(piece, str))
            return any(word in text for text in texts for word in _DATE_WORDS)
        return any(_asks_date(scalar) for scalar in scalars_of(node))

    def type_of(self, id: ColumnId) -> str:
        """Spark's short text for a column's type; empty if nobody knows."""
        known = self._types.get(id)
        return "" if known is None else known.type

    def is_float(self, id: ColumnId) -> bool:
        """Whether a column holds floating-point numbers, or may do so."""
        type = self.type_of(id)
        return not type or "float" in type or "double" in type

    def nullable(self, id: ColumnId) -> bool:
        """Whether a column may hold NULL."""
        known = self._types.get(id)
        return known is None or known.nullable or id in self._padded

    def _before(self, node: Node) -> Node:
        """The old form but for the date: kept groups are read, not worked out."""
        if isinstance(node, Scan):
            changed = self.change(node.source) is not Change.NONE
            return replace(node, at=Snapshot.OLD) if changed else node
        state = self.kept(node) if isinstance(node, Aggregate) else None
        if state is not None:
            return groups_before(state, columns_of(node))
        return with_inputs(node, self._before)

    def _after(self, node: Node) -> Node:
        """The new form but for the date: of kept groups only those of the change are new."""
        state = self.kept(node) if isinstance(node, Aggregate) else None
        if state is None:
            return with_inputs(node, self._after)
        if not self.changed(node):
            return groups_before(state, columns_of(node))
        dated = any(self.dated(inner) for inner in nodes_of(node))
        if not dated and self.delta(node) is not None:
            return groups_after(state, self.changed_states[state.name], columns_of(node), self)
        return with_inputs(node, self._after)


def _padded(tree: Node) -> frozenset[ColumnId]:
    """Columns for which an outer join gives NULLs; below it they may well have none."""
    found: set[ColumnId] = set()
    for node in nodes_of(tree):
        if isinstance(node, Join) and node.kind in (JoinKind.LEFT, JoinKind.FULL):
            found.update(columns_of(node.right))
            found.update(columns_of(node.left) if node.kind is JoinKind.FULL else ())
    return frozenset(found)


def _at(tree: Node, today: date) -> Node:
    """The tree with a date for `current_date`; the same tree if it does not ask for it."""
    if not any(_asks_date(scalar) for node in nodes_of(tree) for scalar in scalars_of(node)):
        return tree

    def dated(scalar: Scalar) -> Scalar:
        if not _asks_date(scalar):
            return scalar
        return scalar.transform(
            lambda inner: _literal(today) if isinstance(inner, exp.CurrentDate) else inner
        )

    return transform(tree, lambda node: with_scalars(node, dated))


def _asks_date(scalar: Scalar) -> bool:
    return scalar.find(exp.CurrentDate) is not None


def _literal(day: date) -> Scalar:
    return exp.Cast(this=exp.Literal.string(day.isoformat()), to=exp.DataType.build("date"))


def _delta(node: Node, tree: Maintenance) -> Delta | None:
    first_rows = top_rows.top_rows(node)
    if first_rows is not None:
        return top_rows.delta(first_rows, tree)
    match node:
        case Scan():
            return scan.delta(node, tree)
        case Values():
            return values.delta(node, tree)
        case Project():
            return project.delta(node, tree)
        case Filter():
            return filter.delta(node, tree)
        case Union():
            return union.delta(node, tree)
        case Generate():
            return generate.delta(node, tree)
        case Aggregate():
            return aggregate.delta(node, tree)
        case Window():
            return window.delta(node, tree)
        case TopK():
            return top_k.delta(node, tree)
        case Join():
            return _join_delta(node, tree)
        case Opaque():
            return opaque.delta(node, tree)
    raise TypeError(f"{type(node).__name__} stands in a delta, not in a query")


def _join_delta(node: Join, tree: Maintenance) -> Delta | None:
    match node.kind:
        case JoinKind.INNER:
            return inner_join.delta(node, tree)
        case JoinKind.LEFT | JoinKind.FULL:
            return outer_join.delta(node, tree)
        case JoinKind.SEMI:
            return semi_join.delta(node, tree)
        case JoinKind.ANTI:
            return anti_join.delta(node, tree)
