"""What comes after what: tasks in layers from left to right. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from headwater.names import ObjectName
from headwater.sql.parse import parse
from headwater.sql.tasks import AlterTask
from headwater.studio.chart_colors import WORDS

Edges = Mapping[str, tuple[str, ...]]
"""What each task comes after."""


def edges_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """From the rows of SHOW TASKS."""
    return {
        str(ObjectName.of(row["folder"], row["name"])): names_in(row["after"] or "") for row in rows
    }


def names_in(after: str) -> tuple[str, ...]:
    """The names of an AFTER; whatever they hold.

    >>> names_in("etl.a, etl.`b, c`")
    ('etl.a', 'etl.`b, c`')
    """
    if not after:
        return ()
    parsed = parse(f"ALTER TASK x SET AFTER {after}")
    assert isinstance(parsed, AlterTask)
    clauses = getattr(parsed.action, "clauses", None)
    return () if clauses is None else tuple(str(name) for name in clauses.after or ())


def around(edges: Edges, task: str) -> dict[str, tuple[str, ...]]:
    """Only what the task comes after, and what comes after it, directly or not."""
    found = {task} | _reach(task, lambda one: edges.get(one, ()))
    found |= _reach(task, lambda one: [name for name, after in edges.items() if one in after])
    return {name: tuple(a for a in edges.get(name, ()) if a in found) for name in sorted(found)}


def layers(edges: Edges) -> dict[str, int]:
    """How many tasks come before each, on the longest way.

    >>> layers({"a": (), "b": ("a",), "c": ("a", "b")})
    {'a': 0, 'b': 1, 'c': 2}
    """
    depth: dict[str, int] = {}

    def of(name: str) -> int:
        if name not in depth:
            depth[name] = 0
            depth[name] = max((of(one) + 1 for one in edges.get(name, ())), default=0)
        return depth[name]

    for name in edges:
        of(name)
    return dict(sorted(depth.items(), key=lambda item: (item[1], item[0])))


def places(edges: Edges) -> dict[str, tuple[float, float]]:
    """Where each stands: its layer across, its place in the layer down, around the middle."""
    depth = layers(edges)
    sizes: dict[int, int] = {}
    for layer in depth.values():
        sizes[layer] = sizes.get(layer, 0) + 1
    taken: dict[int, int] = {}
    made = {}
    for name, layer in depth.items():
        place = taken.get(layer, 0)
        taken[layer] = place + 1
        made[name] = (layer * 220.0, (place - (sizes[layer] - 1) / 2) * 70.0)
    return made


def graph_options(edges: Edges, states: Mapping[str, str], colors: Mapping[str, str]) -> Any:
    """The options of ECharts; `colors` by state."""
    nodes = [
        {
            "name": name,
            "x": x,
            "y": y,
            "itemStyle": {"color": colors.get(states.get(name, ""), "#94a3b8")},
        }
        for name, (x, y) in places(edges).items()
    ]
    links = [{"source": one, "target": name} for name, after in edges.items() for one in after]
    label = {"show": True, "position": "bottom", "color": WORDS, "overflow": "truncate"}
    series = {
        "type": "graph",
        "layout": "none",
        "roam": True,
        "symbol": "roundRect",
        "symbolSize": [28, 16],
        "edgeSymbol": ["none", "arrow"],
        "edgeSymbolSize": 8,
        "lineStyle": {"color": "#94a3b8", "curveness": 0.05},
        "label": {**label, "width": 190},
        "data": nodes,
        "links": links,
    }
    return {"animation": False, "series": [series], "tooltip": {"show": False}}


def _reach(start: str, following: Any) -> set[str]:
    found: set[str] = set()
    left = [start]
    while left:
        for name in following(left.pop()):
            if name not in found:
                found.add(name)
                left.append(name)
    return found
