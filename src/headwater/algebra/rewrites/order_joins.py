"""Inner joins in an order in which each has a condition, if there is such an order.

The order of the text is kept where it serves: an input waits only until something connects it.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from headwater.algebra.expressions import all_of, bare, references
from headwater.algebra.nodes import (
    Aggregate,
    ColumnId,
    Filter,
    Join,
    JoinKind,
    Node,
    Project,
    Scalar,
    columns_of,
)

Push = Callable[[Node, tuple[Scalar, ...]], Node]


def order_joins(inputs: tuple[Node, ...], conditions: tuple[Scalar, ...], push: Push) -> Node:
    """The inputs joined; `push` takes down conditions about one input, or about the joined rows."""
    ids = [frozenset(columns_of(node)) for node in inputs]
    own: list[list[Scalar]] = [[] for _ in inputs]
    between: list[Scalar] = []
    constant: list[Scalar] = []
    for condition in conditions:
        found = references(condition)
        places = [at for at, known in enumerate(ids) if found & known]
        if not places:
            constant.append(condition)
        elif len(places) == 1:
            own[places[0]].append(condition)
        else:
            between.append(condition)
    nodes = [push(node, tuple(mine)) for node, mine in zip(inputs, own, strict=True)]
    joined = _joined(nodes, ids, between)
    above = all_of(constant)
    return joined if above is None else Filter(joined, above)


def _joined(nodes: list[Node], ids: list[frozenset[ColumnId]], conditions: list[Scalar]) -> Node:
    waiting = list(range(len(nodes)))
    # A single row connects nothing; it waits for those that do.
    first = next((at for at in waiting if not is_one_row(nodes[at])), 0)
    waiting.remove(first)
    joined, known = nodes[first], ids[first]
    left = list(conditions)
    while waiting:
        at = _next(waiting, nodes, ids, known, left)
        waiting.remove(at)
        known |= ids[at]
        ready = [condition for condition in left if references(condition) <= known]
        left = [condition for condition in left if condition not in ready]
        joined = Join(JoinKind.INNER, joined, nodes[at], all_of(ready))
    return joined


def _next(
    waiting: list[int],
    nodes: list[Node],
    ids: list[frozenset[ColumnId]],
    known: frozenset[ColumnId],
    conditions: list[Scalar],
) -> int:
    def connects(at: int, condition: Scalar) -> bool:
        found = references(condition)
        return bool(found & ids[at]) and found <= known | ids[at]

    for wanted in (_is_equality, _is_any):
        for at in waiting:
            if any(wanted(condition) and connects(at, condition) for condition in conditions):
                return at
    # Nothing connects: begin the next island with an input that has many rows.
    return next((at for at in waiting if not is_one_row(nodes[at])), waiting[0])


def _is_equality(condition: Scalar) -> bool:
    return isinstance(bare(condition), exp.EQ | exp.NullSafeEQ)


def _is_any(condition: Scalar) -> bool:
    return True


def is_one_row(node: Node) -> bool:
    """Whether a node has one row at most, whatever the sources hold."""
    while isinstance(node, Project | Filter):
        node = node.input
    return isinstance(node, Aggregate) and not node.keys
