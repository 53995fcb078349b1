"""Lineage as layers, from what leads to an object to what reads it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Node:
    """An object in a layer."""

    schema: str
    name: str
    type: str

    @property
    def title(self) -> str:
        """Its name as a person reads it."""
        return f"{self.schema}.{self.name}" if self.schema else self.name


@dataclass(frozen=True, slots=True)
class Layer:
    """What is so many steps away; those before the object have negative distances."""

    distance: int
    nodes: tuple[tuple[Node, tuple[Node, ...]], ...]
    """Each with what it is connected to in the direction of the object."""


def layers(edges: Sequence[Mapping[str, Any]]) -> list[Layer]:
    """The rows of SHOW LINEAGE OF .. as layers, from the farthest source to the farthest reader.

    An object that is met twice stands where it is nearest.
    """
    nearest: dict[tuple[Node, bool], int] = {}
    towards: dict[tuple[Node, bool], list[Node]] = {}
    for edge in sorted(edges, key=lambda edge: abs(edge["distance"])):
        distance = int(edge["distance"])
        source, target = _node(edge, "source"), _node(edge, "target")
        far, near = (source, target) if distance < 0 else (target, source)
        side = (far, distance < 0)
        nearest.setdefault(side, distance)
        towards.setdefault(side, []).append(near)
    return [
        Layer(
            at,
            tuple(
                (node, tuple(sorted(set(towards[node, side]))))
                for (node, side), distance in sorted(nearest.items())
                if distance == at
            ),
        )
        for at in sorted(set(nearest.values()))
    ]


def _node(edge: Mapping[str, Any], end: str) -> Node:
    return Node(edge[f"{end}_schema"], edge[f"{end}_name"], edge[f"{end}_type"])
