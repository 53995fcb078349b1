"""Going through a tree: every node, every expression, and the tree with some of them replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from headwater.algebra.nodes import (
    Aggregate,
    Filter,
    Generate,
    Join,
    Named,
    Net,
    Node,
    Opaque,
    Project,
    Scalar,
    Scan,
    TopK,
    Union,
    Values,
    Window,
    inputs_of,
)


def nodes_of(node: Node) -> Iterator[Node]:
    """The node and everything below it, inputs last."""
    yield node
    for inner in inputs_of(node):
        yield from nodes_of(inner)


def sources_of(node: Node) -> frozenset[str]:
    """The ids of the tables a tree reads."""
    return frozenset(inner.source for inner in nodes_of(node) if isinstance(inner, Scan))


def scalars_of(node: Node) -> tuple[Scalar, ...]:
    """The expressions that stand in a node itself."""
    match node:
        case Project(outputs=outputs):
            return tuple(named.value for named in outputs)
        case Filter(condition=condition):
            return (condition,)
        case Join(condition=condition):
            return () if condition is None else (condition,)
        case Aggregate(calls=calls) | Window(calls=calls):
            return tuple(named.value for named in calls)
        case Generate(generator=generator):
            return (generator,)
        case TopK(order=order, limit=limit, offset=offset):
            return tuple(value for value in (*order, limit, offset) if value is not None)
        case Values(rows=rows):
            return tuple(value for row in rows for value in row)
        case _:
            return ()


def with_inputs(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node with each of its inputs replaced."""
    match node:
        case Join(left=left, right=right):
            return replace(node, left=change(left), right=change(right))
        case Union(branches=branches):
            return replace(node, branches=tuple(change(branch) for branch in branches))
        case Opaque(scans=scans):
            changed = (change(scan) for scan in scans)
            return replace(node, scans=tuple(s for s in changed if isinstance(s, Scan)))
        case Project() | Filter() | Aggregate() | Window() | Generate() | TopK() | Net():
            return replace(node, input=change(node.input))
        case _:
            return node


def with_scalars(node: Node, change: Callable[[Scalar], Scalar]) -> Node:
    """The node with each expression that stands in it replaced; `change` gives new ones."""

    def named(items: tuple[Named, ...]) -> tuple[Named, ...]:
        return tuple(Named(item.id, change(item.value)) for item in items)

    match node:
        case Project(outputs=outputs):
            return replace(node, outputs=named(outputs))
        case Filter(condition=condition):
            return replace(node, condition=change(condition))
        case Join(condition=condition) if condition is not None:
            return replace(node, condition=change(condition))
        case Aggregate(calls=calls) | Window(calls=calls):
            return replace(node, calls=named(calls))
        case Generate(generator=generator):
            return replace(node, generator=change(generator))
        case TopK(order=order):
            return replace(node, order=tuple(change(value) for value in order))
        case Values(rows=rows):
            return replace(node, rows=tuple(tuple(change(v) for v in row) for row in rows))
        case _:
            return node


def transform(node: Node, change: Callable[[Node], Node]) -> Node:
    """The tree with `change` done to every node, inputs first."""
    return change(with_inputs(node, lambda inner: transform(inner, change)))
