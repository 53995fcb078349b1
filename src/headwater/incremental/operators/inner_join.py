"""Inner joins of any number of inputs: one term for each that changed.

Law: delta(R1 .. Rn) = sum over i of new(R1) .. new(Ri-1), delta(Ri), old(Ri+1) .. old(Rn)
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from headwater.algebra.nodes import (
    ColumnId,
    Filter,
    Join,
    JoinKind,
    Node,
    Scalar,
    columns_of,
)
from headwater.incremental.conjuncts import all_of, columns_in, conjuncts_of
from headwater.incremental.deltas import Delta, Maintained, Rule
from headwater.incremental.operators import filter as filter_rule
from headwater.incremental.weights import change_of, gathered


def delta(node: Join, tree: Maintained) -> Delta | None:
    """A term for each changed input of the whole chain of inner joins."""
    inputs, conjuncts = _chain(node)
    fixed = [part for part in conjuncts if part.find(exp.CurrentDate) is None]
    if len(fixed) < len(conjuncts):
        moving = [part for part in conjuncts if part.find(exp.CurrentDate) is not None]
        condition = all_of(moving)
        assert condition is not None
        plain = _in_order(inputs, fixed)
        return filter_rule.delta(Filter(plain, condition), tree)
    return terms(inputs, conjuncts, columns_of(node), tree)


def terms(
    inputs: Sequence[Node], conjuncts: Sequence[Scalar], ids: Sequence[ColumnId], tree: Maintained
) -> Delta | None:
    """The change of a join of `inputs`."""
    changes = [tree.delta(node) for node in inputs]
    found = [change for change in changes if change is not None]
    if not found:
        return None
    parts = []
    for place, change in enumerate(changes):
        if change is None:
            continue
        others = [
            (tree.new if other < place else tree.old)(node)
            for other, node in enumerate(inputs)
            if other != place
        ]
        parts.append(change_of(joined([change.node, *others], conjuncts), ids))
    return Delta(
        gathered(parts, ids),
        Rule.TELESCOPED,
        insert_only=all(change.insert_only for change in found),
    )


def joined(inputs: Sequence[Node], conjuncts: Sequence[Scalar]) -> Node:
    """Inputs joined from the first on, each by what connects it to those before.

    Spark joins in the order written, so the small input stands first, and an input that nothing
    connects yet waits.
    """
    rows, waiting = _filtered(inputs[0], conjuncts)
    left = list(inputs[1:])
    while left:
        after = left.pop(_best(rows, left, waiting))
        rows, waiting = _attached(rows, after, waiting)
    return rows


def _in_order(inputs: Sequence[Node], conjuncts: Sequence[Scalar]) -> Node:
    """The join as a node of the tree, its columns in the order of the inputs."""
    rows, waiting = _filtered(inputs[0], conjuncts)
    for after in inputs[1:]:
        rows, waiting = _attached(rows, after, waiting)
    return rows


def _attached(rows: Node, after: Node, waiting: list[Scalar]) -> tuple[Node, list[Scalar]]:
    """One join more, by all conjuncts whose columns are there now."""
    known = frozenset(columns_of(rows)) | frozenset(columns_of(after))
    ready = [part for part in waiting if columns_in(part) <= known]
    rest = [part for part in waiting if not columns_in(part) <= known]
    return Join(JoinKind.INNER, rows, after, all_of(ready)), rest


def _chain(node: Node) -> tuple[list[Node], list[Scalar]]:
    if not (isinstance(node, Join) and node.kind is JoinKind.INNER):
        return [node], []
    left, left_parts = _chain(node.left)
    right, right_parts = _chain(node.right)
    return left + right, left_parts + right_parts + list(conjuncts_of(node.condition))


def _filtered(rows: Node, conjuncts: Sequence[Scalar]) -> tuple[Node, list[Scalar]]:
    known = frozenset(columns_of(rows))
    ready = all_of([part for part in conjuncts if columns_in(part) <= known])
    rest = [part for part in conjuncts if not columns_in(part) <= known]
    return (rows if ready is None else Filter(rows, ready)), rest


def _best(rows: Node, left: Sequence[Node], conjuncts: Sequence[Scalar]) -> int:
    """The place of the input to come next: connected by an equality, else by anything."""
    before = frozenset(columns_of(rows))

    def connection(place: int) -> int:
        after = frozenset(columns_of(left[place]))
        connecting = [
            part
            for part in conjuncts
            if columns_in(part) <= before | after and columns_in(part) & after
        ]
        equal = any(
            isinstance(part, exp.EQ | exp.NullSafeEQ) and columns_in(part) & before
            for part in connecting
        )
        return 2 if equal else int(any(columns_in(part) & before for part in connecting))

    return max(range(len(left)), key=connection)
