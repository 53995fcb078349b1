"""Parts of a plan that several places read: computed once, in order, before the rows.

Invariant: a part reads only parts before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from headwater.algebra.nodes import Changes, Field, Filter, Node, Project, Shared, columns_of
from headwater.algebra.walk import nodes_of, transform


@dataclass(frozen=True, slots=True)
class Part:
    """Rows under a name; their columns have their ids for names."""

    name: str
    node: Node


class Parts:
    """The parts of a plan as it grows."""

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._shared: dict[int, tuple[Node, Node]] = {}

    def shared(self, node: Node) -> Node:
        """The rows of a node as a part; what costs next to nothing is repeated instead."""
        if is_cheap(node) or isinstance(node, Shared):
            return node
        known = self._shared.get(id(node))
        if known is None:
            part = Part(f"p{len(self._parts) + 1}", node)
            self._parts.append(part)
            fields = tuple(Field(id, id) for id in columns_of(node))
            # The node is kept with it: its identity is the key.
            known = self._shared[id(node)] = (node, Shared(part.name, fields))
        return known[1]

    def used_by(self, *rows: Node) -> tuple[tuple[Node, ...], tuple[Part, ...]]:
        """The rows, and the parts they need; a part that one place reads stands there instead."""
        reads = sum((_reads(node) for node in rows), Counter[str]())
        for part in reversed(self._parts):
            if reads[part.name]:
                reads += _reads(part.node)
        alone: dict[str, Node] = {}
        kept = []
        for part in self._parts:
            if not reads[part.name]:
                continue
            node = _with(part.node, alone)
            if reads[part.name] == 1:
                alone[part.name] = node
            else:
                kept.append(Part(part.name, node))
        return tuple(_with(node, alone) for node in rows), tuple(kept)


def is_cheap(node: Node) -> bool:
    """Whether a node takes the changes of one source row by row."""
    match node:
        case Changes():
            return True
        case Project(input=inner) | Filter(input=inner):
            return is_cheap(inner)
        case _:
            return False


def _reads(node: Node) -> Counter[str]:
    return Counter(inner.part for inner in nodes_of(node) if isinstance(inner, Shared))


def _with(node: Node, parts: Mapping[str, Node]) -> Node:
    def put(inner: Node) -> Node:
        return parts.get(inner.part, inner) if isinstance(inner, Shared) else inner

    return transform(node, put) if parts else node
