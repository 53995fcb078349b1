"""From a query and what changed in its sources to the rows that a refresh has to write."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from headwater.algebra.nodes import (
    ColumnId,
    Net,
    Node,
    Opaque,
    Project,
    Query,
    Types,
    Values,
    columns_of,
)
from headwater.algebra.outline import outline
from headwater.algebra.walk import nodes_of
from headwater.incremental.deltas import Change, Delta
from headwater.incremental.maintenance import Dates, Decision, Maintenance
from headwater.incremental.parts import Part
from headwater.incremental.rewriting import rewritten
from headwater.incremental.states import Rebuilt, StateChange, rebuilt, states_of
from headwater.incremental.stored import (
    by_stable_columns,
    from_stored,
    merges_with_table,
    whole_difference,
)
from headwater.incremental.weights import kept


class Outcome(StrEnum):
    """What there is to write."""

    NOTHING = "NOTHING"
    """No row can have changed."""
    APPEND = "APPEND"
    """Rows that are to be added, each as often as it comes."""
    CHANGE = "CHANGE"
    """Rows with weights: no row comes twice, and no weight is 0."""
    REWRITE = "REWRITE"
    """All rows of a small table, each with its FATE (`incremental/rewriting.py`)."""


@dataclass(frozen=True, slots=True)
class DeltaPlan:
    """The rows to write and the parts to compute before, in this order.

    `rows` has the columns of the query's tree, and behind them for a CHANGE the weight and for a
    REWRITE the fate.
    """

    kind: Outcome
    rows: Node
    parts: tuple[Part, ...] = ()
    decisions: tuple[Decision, ...] = ()
    states: tuple[StateChange, ...] = ()
    kept_states: frozenset[str] = frozenset()
    """The states that stay right as they are."""


def plan(
    query: Query,
    changes: Mapping[str, Change],
    dates: Dates,
    types: Types,
    states: Collection[str] = (),
    *,
    whole: bool = True,
    small: bool = False,
) -> DeltaPlan:
    """How the table is brought from the old snapshot to the new one, with the states there are.

    `types` hold for both: a column is nullable if it is so at one of them. Without `whole`, the
    table may hold other rows than those of the query, and nothing is added to what it holds. One
    that is `small` may be written anew.
    """
    tree = Maintenance(query.tree, changes, dates, types, states)
    if whole and small and tree.changed(tree.tree):
        found = rewritten(query, tree)
        if found is not None:
            (rows,), parts = tree.parts.used_by(found)
            return DeltaPlan(Outcome.REWRITE, rows, parts, tree.decisions)
        # What was looked at above may have left marks of rules that are not used.
        tree = Maintenance(query.tree, changes, dates, types, states)
    return _planned(tree, _change(query, tree, whole=whole))


def rebuild(query: Query, dates: Dates, types: Types) -> Rebuilt | None:
    """How all rows are worked out together with states; None if there is nothing to keep.

    What merges with the table's own rows needs no state.
    """
    tree = Maintenance(query.tree, {}, dates, types)
    root = tree.new(tree.tree)
    found = {id(node): state for node, state in states_of(root, tree)}
    if not found or merges_with_table(query, tree):
        return None
    return rebuilt(root, found)


def signatures(query: Query, dates: Dates, types: Types) -> dict[str, str]:
    """What each state of a query is a state of, in a text: other code may keep other groups."""
    tree = Maintenance(query.tree, {}, dates, types)
    return {state.name: outline(state.node) for _, state in states_of(tree.tree, tree)}


def _change(query: Query, tree: Maintenance, *, whole: bool) -> Delta | None:
    if not tree.changed(tree.tree):
        return tree.delta(tree.tree)
    if any(isinstance(node, Opaque) and tree.dated(node) for node in nodes_of(tree.tree)):
        # Nobody can put the old date into a text that is not taken apart.
        return whole_difference(query, tree)
    return from_stored(query, tree, whole=whole) or by_stable_columns(query, tree)


def _planned(tree: Maintenance, delta: Delta | None) -> DeltaPlan:
    ids = columns_of(tree.tree)
    kept_states = tree.untouched_states
    if delta is None:
        nothing = Values(ids, ())
        return DeltaPlan(Outcome.NOTHING, nothing, (), tree.decisions, kept_states=kept_states)
    kind = Outcome.APPEND if delta.insert_only else Outcome.CHANGE
    changed = tree.changed_states
    roots, parts = tree.parts.used_by(_to_write(delta, ids), *changed.values())
    states = tuple(StateChange(name, rows) for name, rows in zip(changed, roots[1:], strict=True))
    return DeltaPlan(kind, roots[0], parts, tree.decisions, states, kept_states)


def _to_write(delta: Delta, ids: Sequence[ColumnId]) -> Node:
    if delta.insert_only:
        return Project(delta.node, kept(ids))
    return delta.node if delta.minimal else Net(delta.node)
