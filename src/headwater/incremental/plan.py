"""From a query and what changed in its sources to the rows that a refresh has to write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from headwater.algebra.walk import nodes_of
from headwater.incremental.deltas import Change, Delta
from headwater.incremental.maintenance import Dates, Decision, Maintenance
from headwater.incremental.parts import Part
from headwater.incremental.stored import by_stable_columns, from_stored, whole_difference
from headwater.incremental.weights import kept


class Outcome(StrEnum):
    """What there is to write."""

    NOTHING = "NOTHING"
    """No row can have changed."""
    APPEND = "APPEND"
    """Rows that are to be added, each as often as it comes."""
    CHANGE = "CHANGE"
    """Rows with weights: no row comes twice, and no weight is 0."""


@dataclass(frozen=True, slots=True)
class DeltaPlan:
    """The rows to write and the parts to compute before, in this order.

    `rows` has the columns of the query's tree, and for a CHANGE the weight behind them.
    """

    kind: Outcome
    rows: Node
    parts: tuple[Part, ...] = ()
    decisions: tuple[Decision, ...] = ()


def plan(query: Query, changes: Mapping[str, Change], dates: Dates, types: Types) -> DeltaPlan:
    """How the table is brought from the old snapshot to the new one.

    `types` hold for both: a column is nullable if it is so at one of them.
    """
    tree = Maintenance(query.tree, changes, dates, types)
    return _planned(tree, _change(query, tree))


def _change(query: Query, tree: Maintenance) -> Delta | None:
    if not tree.changed(tree.tree):
        return tree.delta(tree.tree)
    if any(isinstance(node, Opaque) and tree.dated(node) for node in nodes_of(tree.tree)):
        # Nobody can put the old date into a text that is not taken apart.
        return whole_difference(query, tree)
    return from_stored(query, tree) or by_stable_columns(query, tree)


def _planned(tree: Maintenance, delta: Delta | None) -> DeltaPlan:
    ids = columns_of(tree.tree)
    if delta is None:
        return DeltaPlan(Outcome.NOTHING, Values(ids, ()), (), tree.decisions)
    kind = Outcome.APPEND if delta.insert_only else Outcome.CHANGE
    rows, parts = tree.parts.used_by(_to_write(delta, ids))
    return DeltaPlan(kind, rows, parts, tree.decisions)


def _to_write(delta: Delta, ids: Sequence[ColumnId]) -> Node:
    if delta.insert_only:
        return Project(delta.node, kept(ids))
    return delta.node if delta.minimal else Net(delta.node)
