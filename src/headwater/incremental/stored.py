"""The change of a whole query whose old rows need not be worked out, because the table holds them.

Law: new(Q) = old(Q) + delta, where the part of old(Q) that changes is read from the table: the rows
of the touched keys, if the keys of the topmost grouping or window are columns of the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from headwater.algebra.nodes import (
    WEIGHT,
    Aggregate,
    ColumnId,
    Field,
    Filter,
    Named,
    Node,
    Opaque,
    Project,
    Query,
    Stored,
    TopK,
    Union,
    Window,
    column,
    columns_of,
    inputs_of,
)
from headwater.incremental.deltas import Delta, Rule
from headwater.incremental.groups import groups_of, merged, row_count_of
from headwater.incremental.keys import same_keys, touched_keys, with_keys
from headwater.incremental.maintenance import Maintenance
from headwater.incremental.merging import Merge, merges_of
from headwater.incremental.operators.top_rows import TopRows, top_rows
from headwater.incremental.stability import unstable_columns
from headwater.incremental.weights import exchange, kept


@dataclass(frozen=True, slots=True)
class Top:
    """The topmost operator that is not linear, what stands above it, and what the table holds.

    `names` says under which id a column of the operator, or of its input, is a column of the root;
    `unstable` are the columns of its input that have other values when they are worked out again.
    """

    above: tuple[Project | Filter, ...]
    core: Node
    stored: Stored
    names: Mapping[ColumnId, ColumnId]
    unstable: frozenset[ColumnId]
    whole: bool = True
    """Whether the table holds all rows of the query, and no others."""

    def over(self, core: Node) -> Node:
        """The query with another core."""
        rows = core
        for node in reversed(self.above):
            rows = replace(node, input=rows)
        return rows

    def has(self, ids: Sequence[ColumnId]) -> bool:
        """Whether the table holds all these columns as they are."""
        return all(id in self.names for id in ids)

    def rows_of(self, rows: Node, ids: Sequence[ColumnId]) -> Node:
        """Rows of the table under the ids that columns have in the core."""
        return Project(rows, tuple(Named(id, column(self.names[id])) for id in ids))

    @property
    def complete(self) -> bool:
        """Whether each row of the core is one of the table, and has the values it had."""
        filtered = any(isinstance(node, Filter) for node in self.above)
        return self.whole and not self.unstable and not filtered

    def finds(self, keys: Sequence[ColumnId]) -> bool:
        """Whether the rows of a key can be found in the table."""
        return self.has(keys) and self.unstable.isdisjoint(keys)


def from_stored(query: Query, tree: Maintenance, *, whole: bool = True) -> Delta | None:
    """The change of the root with the table's rows for the old ones; None if that does not fit."""
    top = top_of(query, tree)
    if top is None or any(tree.dated(node) for node in top.above):
        return None
    if tree.has_states and not isinstance(top.core, TopK):
        # Kept groups know more than the table does, and have to change with it.
        return None
    top = replace(top, whole=whole)
    delta = _of_core(top, tree)
    if delta is None:
        return None
    tree.decided(top.core, delta, stored=True)
    for node in top.above:
        tree.decided(node, replace(delta, rule=Rule.LINEAR))
    return delta


def whole_difference(query: Query, tree: Maintenance) -> Delta:
    """Law: delta = new(Q) - what the table holds. Right for every query."""
    change = exchange(tree.new(tree.tree), stored_rows(query, tree.tree))
    delta = Delta(change, Rule.DIFFERENCE, minimal=True)
    tree.decided(tree.tree, delta, stored=True)
    return delta


def by_stable_columns(query: Query, tree: Maintenance) -> Delta | None:
    """The change of a query some of whose columns have other values when worked out again.

    Law: new(Q) = old(Q) - stored[K] + new(Q)[K], where K are the values of the other columns in
    delta(Q), which may be wrong in those columns alone.
    """
    unstable = unstable_columns(tree.tree, tree)
    if unstable is None:
        return whole_difference(query, tree)
    delta = tree.delta(tree.tree)
    if delta is None or delta.insert_only or not unstable:
        return delta
    ids = columns_of(tree.tree)
    keys = [id for id in ids if id not in unstable and _is_groupable(tree.type_of(id))]
    if not keys:
        return whole_difference(query, tree)
    touched, condition = touched_keys(delta.node, keys, tree), _same(keys, tree)
    came = with_keys(tree.new(tree.tree), touched, condition)
    went = with_keys(stored_rows(query, tree.tree), touched, condition)
    replaced = Delta(exchange(came, went), delta.rule, minimal=True)
    tree.decided(tree.tree, replaced, stored=True)
    return replaced


def _is_groupable(type: str) -> bool:
    return "map<" not in type and "variant" not in type


def stored_rows(query: Query, root: Node) -> Stored:
    """What the table holds, under the ids of the query's columns."""
    pairs = zip(columns_of(root), query.names, strict=True)
    return Stored(tuple(Field(id, name) for id, name in pairs))


def top_of(query: Query, tree: Maintenance) -> Top | None:
    """The topmost operator of a query that is not linear; None if it reads unstable rows."""
    above: list[Project | Filter] = []
    core = tree.tree
    while isinstance(core, Project | Filter) and top_rows(core) is None:
        above.append(core)
        core = core.input
    unstable: set[ColumnId] = set()
    for inner in inputs_of(core):
        found = unstable_columns(inner, tree)
        if found is None:
            return None
        unstable |= found
    names = {id: id for id in columns_of(core)}
    for node in reversed(above):
        if isinstance(node, Project):
            plain = {
                named.value.name: named.id
                for named in node.outputs
                if isinstance(named.value, exp.Column)
            }
            names = {id: plain[name] for id, name in names.items() if name in plain}
    stored = stored_rows(query, tree.tree)
    return Top(tuple(above), core, stored, names, frozenset(unstable))


def _of_core(top: Top, tree: Maintenance) -> Delta | None:
    first_rows = top_rows(top.core)
    if first_rows is not None:
        return _first_rows(top, first_rows, tree)
    match top.core:
        case Aggregate() as node if not tree.dated(node):
            return _merged(top, node, tree) or _by_keys(
                top, node, node.keys, tree, Rule.AFFECTED_GROUPS
            )
        case Window() as node if not tree.dated(node):
            return _by_keys(top, node, node.partition, tree, Rule.AFFECTED_PARTITIONS)
        case TopK() as node:
            return _limited(top, node, tree) or _difference(top, tree)
        case Opaque() | Aggregate() | Window():
            return _difference(top, tree)
    return None


def _difference(top: Top, tree: Maintenance) -> Delta:
    change = exchange(top.over(tree.new(top.core)), top.stored)
    return Delta(change, Rule.DIFFERENCE, minimal=True)


def _by_keys(
    top: Top, node: Aggregate | Window, keys: Sequence[ColumnId], tree: Maintenance, rule: Rule
) -> Delta | None:
    """The rows of the touched keys now, less those that the table holds."""
    if not keys:
        rule = rule if isinstance(node, Aggregate) else Rule.DIFFERENCE
        return replace(_difference(top, tree), rule=rule)
    below = tree.delta(node.input)
    if below is None or not top.finds(keys):
        return None
    touched = touched_keys(below.node, keys, tree)
    now = with_keys(tree.new(node.input), touched, _same(keys, tree))
    came = top.over(replace(node, input=now))
    return Delta(exchange(came, _held(top, keys, touched, tree)), rule, minimal=True)


def _held(top: Top, keys: Sequence[ColumnId], touched: Node, tree: Maintenance) -> Node:
    """The table's rows of touched keys."""
    return with_keys(top.stored, touched, _same(keys, tree, top.names))


def _same(
    keys: Sequence[ColumnId],
    tree: Maintenance,
    names: Mapping[ColumnId, ColumnId] | None = None,
) -> exp.Expression:
    condition = same_keys(keys, tree, named=names)
    assert condition is not None
    return condition


@dataclass(frozen=True, slots=True)
class Mergeable:
    """How the groups of a table are merged with those of a change of their input.

    `rows` is the call that counts the rows of a group; None if no group can go.
    """

    below: Delta
    merges: tuple[Merge, ...]
    rows: ColumnId | None


def mergeable(top: Top, node: Aggregate, tree: Maintenance) -> Mergeable | None:
    """Whether the groups that the table holds are all that a change needs."""
    below = tree.delta(node.input)
    if below is None or not (top.complete and top.has(columns_of(node))):
        return None
    merges = merges_of(node.calls, tree, insert_only=below.insert_only, keyed=bool(node.keys))
    if merges is None or any(merge.kept for merge in merges):
        return None
    rows = row_count_of(node, tree) if node.keys and not below.insert_only else None
    if node.keys and not below.insert_only and rows is None:
        # Without a count nobody can tell when a group is gone.
        return None
    return Mergeable(below, merges, rows)


def _merged(top: Top, node: Aggregate, tree: Maintenance) -> Delta | None:
    """The table's groups plus those of the change: no source is read but for its changes."""
    found = mergeable(top, node, tree)
    if found is None:
        return None
    groups = groups_of(node, found.merges, found.below, tree, found.rows)
    held: Node = top.stored
    if node.keys:
        held = _held(top, node.keys, groups.change, tree)
    delta = merged(groups, top.rows_of(held, columns_of(node)), tree, stored=True)
    return replace(delta, node=_carried(top, delta.node))


def merges_with_table(query: Query, tree: Maintenance) -> bool:
    """Whether the groups that the table holds are all that whatever change needs."""
    top = top_of(query, tree)
    if top is None or not isinstance(top.core, Aggregate) or not top.complete:
        return False
    node = top.core
    merges = merges_of(node.calls, tree, insert_only=False, keyed=bool(node.keys))
    if merges is None or any(merge.kept for merge in merges) or not top.has(columns_of(node)):
        return False
    return not node.keys or row_count_of(node, tree) is not None


def _carried(top: Top, change: Node) -> Node:
    """The projections above, with the weight behind their columns."""
    rows = change
    for node in reversed(top.above):
        assert isinstance(node, Project)
        rows = Project(rows, (*node.outputs, *kept((WEIGHT,))))
    return rows


def _first_rows(top: Top, found: TopRows, tree: Maintenance) -> Delta | None:
    keys = found.window.partition
    below = tree.delta(found.window.input)
    if below is None or not top.finds(keys):
        return None
    touched = touched_keys(below.node, keys, tree)
    held = _held(top, keys, touched, tree)
    ids = columns_of(found.window.input)
    if below.insert_only and top.complete and found.rest is None and top.has(ids):
        held = tree.shared(held)
        candidates = Union((top.rows_of(held, ids), Project(below.node, kept(ids))), ids)
        came = top.over(found.over(candidates))
        return Delta(exchange(came, held), Rule.TOP_ROWS, minimal=True)
    now = with_keys(tree.new(found.window.input), touched, _same(keys, tree))
    came = top.over(found.checked(found.over(now)))
    return Delta(exchange(came, held), Rule.AFFECTED_PARTITIONS, minimal=True)


def _limited(top: Top, node: TopK, tree: Maintenance) -> Delta | None:
    """The first of those that the table holds and those that came."""
    below = tree.delta(node.input)
    ids = columns_of(node)
    if below is None or not below.insert_only or node.offset is not None or tree.dated(node):
        return None
    if not (top.complete and top.has(ids)):
        return None
    candidates = Union((top.rows_of(top.stored, ids), Project(below.node, kept(ids))), ids)
    came = top.over(replace(node, input=candidates))
    return Delta(exchange(came, top.stored), Rule.TOP_ROWS, minimal=True)
