"""GROUP BY and DISTINCT: the groups that the change touches, merged or worked out anew.

K are the keys in delta(R), and R[K] the rows of R with one of them, NULL equal to NULL.

Law: delta(A(R)) = A(new(R)[K]) - A(old(R)[K])
Law: delta(A(R)) = merged(A(old(R)[K]), A(delta(R))) - A(old(R)[K]), for calls that merge exactly
Without keys K is everything, and the one row there is never goes.
"""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.nodes import WEIGHT, Aggregate, Node, Project, columns_of
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.groups import ROWS, groups_of, merged, old_calls
from headwater.incremental.keys import same_keys, touched_keys, with_keys
from headwater.incremental.merging import merges_of
from headwater.incremental.states import State
from headwater.incremental.weights import difference, exchange, kept


def delta(node: Aggregate, tree: Maintained) -> Delta | None:
    """The touched groups as they are, less what they were."""
    if tree.dated(node):
        return difference(node, tree)
    below = tree.delta(node.input)
    if below is None:
        return None
    state = tree.kept(node)
    if state is not None:
        return _from_state(node, state, below, tree)
    return _merged(node, below, tree) or _worked_out(node, below, tree)


def _from_state(node: Aggregate, state: State, below: Delta, tree: Maintained) -> Delta:
    """The groups that are kept plus those of the change; what is kept changes with them."""
    whole = state.node
    merges = merges_of(whole.calls, tree, insert_only=False, keyed=bool(whole.keys))
    assert merges is not None
    groups = groups_of(whole, merges, below, tree, state.rows)
    change = tree.shared(merged(groups, state.stored, tree, stored=True).node)
    tree.keep(state, change)
    # Only what is kept besides may have changed: then both rows are the same.
    return Delta(Project(change, kept((*columns_of(node), WEIGHT))), Rule.MERGED_GROUPS)


def _merged(node: Aggregate, below: Delta, tree: Maintained) -> Delta | None:
    merges = merges_of(node.calls, tree, insert_only=below.insert_only, keyed=bool(node.keys))
    if merges is None:
        return None
    groups = groups_of(node, merges, below, tree, None if below.insert_only else ROWS)
    condition = same_keys(node.keys, tree)
    rows = tree.old(node.input)
    if condition is not None:
        rows = with_keys(rows, groups.change, condition)
    return merged(groups, Aggregate(rows, node.keys, old_calls(groups)), tree)


def _worked_out(node: Aggregate, below: Delta, tree: Maintained) -> Delta:
    condition = same_keys(node.keys, tree)
    if condition is None:
        return replace(difference(node, tree), rule=Rule.AFFECTED_GROUPS)
    touched = touched_keys(below.node, node.keys, tree)

    def grouped(rows: Node) -> Node:
        return replace(node, input=with_keys(rows, touched, condition))

    change = exchange(grouped(tree.new(node.input)), grouped(tree.old(node.input)))
    return Delta(change, Rule.AFFECTED_GROUPS, minimal=True)
