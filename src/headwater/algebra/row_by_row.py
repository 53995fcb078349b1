"""Whether a query can be asked of rows as they come, and never of all of them at once.

Law: of a query without an objection, the answer to some rows of `streams` and the answer to other
rows of them are together the answer to all these rows, as bags, if other sources stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection

from headwater.algebra.nodes import (
    Aggregate,
    Filter,
    Generate,
    Join,
    JoinKind,
    Net,
    Node,
    Project,
    Scan,
    TopK,
    Union,
    Window,
)
from headwater.algebra.walk import nodes_of

_WORDS = {
    Aggregate: "a grouping",
    Window: "a window function",
    TopK: "ORDER BY with LIMIT",
    Net: "a set operation",
}


def objection(tree: Node, streams: Collection[str]) -> str | None:
    """What of a query needs more than the rows that come, in words; None if nothing does."""
    if not _reads(tree, streams):
        return "a query of other tables alone"
    match tree:
        case Scan():
            return None
        case Project() | Filter() | Generate():
            return objection(tree.input, streams)
        case Union():
            if not all(_reads(branch, streams) for branch in tree.branches):
                return "UNION ALL with rows of other tables, which would come again each time"
            found = (objection(branch, streams) for branch in tree.branches)
            return next((words for words in found if words is not None), None)
        case Join():
            return _of_join(tree, streams)
        case _:
            return _WORDS.get(type(tree), "a sub-query that is not taken apart")


def _of_join(join: Join, streams: Collection[str]) -> str | None:
    left, right = _reads(join.left, streams), _reads(join.right, streams)
    if left and right:
        return "a join of changes with changes"
    if join.kind is not JoinKind.INNER and (right or join.kind is JoinKind.FULL):
        return "a join that keeps rows of another table, whether changes match them or not"
    return objection(join.left if left else join.right, streams)


def _reads(tree: Node, streams: Collection[str]) -> bool:
    return any(isinstance(node, Scan) and node.source in streams for node in nodes_of(tree))
