"""Where the boxes of a graph stand: in layers from left to right. Pure.

Laws: what a box reads stands left of it; boxes do not overlap; the same graph gives the same
places. Of a graph that is too large the boxes nearest to the one in focus are kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

WIDTH, HEIGHT = 190, 66
_GAP_X, _GAP_Y, _EDGE = 70, 18, 16
_SWEEPS = 4
MOST_BOXES = 150

Edge = tuple[str, str]
"""What is read, and what reads it."""


@dataclass(frozen=True, slots=True)
class Near:
    """The part of a graph that is shown, and how many boxes of it are not."""

    nodes: frozenset[str]
    hidden_upstream: int = 0
    hidden_downstream: int = 0


@dataclass(frozen=True, slots=True)
class Layout:
    """The upper left corners of the boxes, the lines as an SVG path, and the size of it all."""

    places: Mapping[str, tuple[int, int]]
    path: str
    width: int
    height: int


def near(
    edges: Iterable[Edge],
    focus: str,
    *,
    upstream: bool = True,
    downstream: bool = True,
    most: int = MOST_BOXES,
) -> Near:
    """What the focus reads and what reads it, directly or not, the nearest first.

    >>> sorted(near([("a", "b"), ("b", "c"), ("x", "c")], "b").nodes)
    ['a', 'b', 'c']
    >>> near([("a", "b"), ("b", "c")], "b", upstream=False).nodes == {"b", "c"}
    True
    """
    pairs = list(edges)
    up = _reached([(b, a) for a, b in pairs], focus) if upstream else []
    down = _reached(pairs, focus) if downstream else []
    # Half of the places for each side; what one side does not need, the other one gets.
    room = max(most - 1, 0)
    for_up = min(len(up), max(room - room // 2, room - len(down)))
    for_down = min(len(down), room - for_up)
    kept = frozenset([focus, *up[:for_up], *down[:for_down]])
    return Near(kept, len(set(up) - kept), len(set(down) - kept))


def layout(nodes: Iterable[str], edges: Iterable[Edge]) -> Layout:
    """Layers by the longest way from a source, ordered so that few lines cross."""
    known = sorted(set(nodes))
    inside = set(known)
    pairs = sorted({(a, b) for a, b in edges if a in inside and b in inside and a != b})
    layers = _ordered(_layers(known, pairs), pairs)
    places = {
        node: (_EDGE + x * (WIDTH + _GAP_X), _EDGE + y * (HEIGHT + _GAP_Y))
        for x, layer in enumerate(layers)
        for y, node in enumerate(layer)
    }
    tallest = max((len(layer) for layer in layers), default=0)
    return Layout(
        places,
        " ".join(_curve(places[a], places[b]) for a, b in pairs),
        2 * _EDGE + max(len(layers) * (WIDTH + _GAP_X) - _GAP_X, 0),
        2 * _EDGE + max(tallest * (HEIGHT + _GAP_Y) - _GAP_Y, 0),
    )


def _reached(edges: Iterable[Edge], start: str) -> list[str]:
    """What can be reached along the edges, the nearest first, without the start."""
    following: dict[str, list[str]] = {}
    for source, target in sorted(set(edges)):
        following.setdefault(source, []).append(target)
    found, seen, waiting = list[str](), {start}, deque([start])
    while waiting:
        for target in following.get(waiting.popleft(), ()):
            if target not in seen:
                seen.add(target)
                found.append(target)
                waiting.append(target)
    return found


def _layers(nodes: list[str], edges: list[Edge]) -> list[list[str]]:
    reads: dict[str, list[str]] = {node: [] for node in nodes}
    readers: dict[str, list[str]] = {node: [] for node in nodes}
    for source, target in edges:
        reads[target].append(source)
        readers[source].append(target)
    left = {node: len(reads[node]) for node in nodes}
    depth = dict.fromkeys(nodes, 0)
    ready = deque(node for node in nodes if not left[node])
    while ready:
        node = ready.popleft()
        for reader in readers[node]:
            depth[reader] = max(depth[reader], depth[node] + 1)
            left[reader] -= 1
            if not left[reader]:
                ready.append(reader)
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in nodes:
        layers[depth[node]].append(node)
    return layers


def _ordered(layers: list[list[str]], edges: list[Edge]) -> list[list[str]]:
    """Each box near the middle of those it is joined to."""
    joined: dict[str, list[str]] = {}
    for source, target in edges:
        joined.setdefault(source, []).append(target)
        joined.setdefault(target, []).append(source)
    ordered = [list(layer) for layer in layers]
    for sweep in range(_SWEEPS):
        place = {node: float(y) for layer in ordered for y, node in enumerate(layer)}
        for layer in ordered if sweep % 2 == 0 else reversed(ordered):
            middle = {node: _middle(node, joined.get(node, ()), place) for node in layer}
            layer.sort(key=lambda node, middle=middle: (middle[node], node))  # type: ignore[misc]
            place.update({node: float(y) for y, node in enumerate(layer)})
    return ordered


def _middle(node: str, others: Iterable[str], place: Mapping[str, float]) -> float:
    places = [place[other] for other in others]
    return sum(places) / len(places) if places else place[node]


def _curve(source: tuple[int, int], target: tuple[int, int]) -> str:
    x1, y1 = source[0] + WIDTH, source[1] + HEIGHT // 2
    x2, y2 = target[0], target[1] + HEIGHT // 2
    bend = (x1 + x2) // 2
    return f"M{x1} {y1} C{bend} {y1} {bend} {y2} {x2} {y2}"
