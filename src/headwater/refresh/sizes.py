"""How many rows a part of a plan may have, as far as the changes bound them. Pure.

Spark judges a change by the files that hold it, which may be the whole table, and would move both
sides of a join. What is few is sent to all tasks instead, and the other side stays where it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from headwater.algebra.nodes import (
    Aggregate,
    Changes,
    Filter,
    Generate,
    Join,
    JoinKind,
    Net,
    Node,
    Project,
    Shared,
    TopK,
    Union,
    Values,
    Window,
)

FEW = 100_000
"""Rows that may be sent to every task."""
_MATCHES = 10
"""How many matches a changed row is thought to have; a guess, and not a bound."""


def most_rows(node: Node, changed: Mapping[str, int | None], parts: Mapping[str, float]) -> float:
    """About how many rows a node has at most; infinite if no change bounds it.

    `changed` are the changed rows of each source, None where the log does not count them; `parts`
    are the rows of parts that were worked out before.
    """

    def rows(inner: Node) -> float:
        return most_rows(inner, changed, parts)

    match node:
        case Changes(source=source):
            count = changed.get(source)
            return math.inf if count is None else count
        case Shared(part=part):
            return parts.get(part, math.inf)
        case Values(rows=given):
            return len(given)
        case Project() | Filter() | Aggregate() | Window() | Net() | TopK():
            return rows(node.input)
        case Generate():
            return rows(node.input) * _MATCHES
        case Union(branches=branches):
            return sum(rows(branch) for branch in branches)
        case Join(kind=JoinKind.SEMI | JoinKind.ANTI):
            return rows(node.left)
        case Join(kind=JoinKind.INNER):
            return min(rows(node.left), rows(node.right)) * _MATCHES
        case Join(kind=JoinKind.LEFT):
            return rows(node.left) * _MATCHES
        case _:
            return math.inf
