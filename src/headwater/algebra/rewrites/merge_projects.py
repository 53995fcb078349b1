"""Projects on Projects become one, and those that change nothing go.

Law: no expression is evaluated more often than before, so one that others share stays below.
"""

from __future__ import annotations

from collections import Counter

from sqlglot import exp

from headwater.algebra.expressions import substituted
from headwater.algebra.nodes import Named, Node, Project, columns_of
from headwater.algebra.walk import transform


def merge_projects(node: Node) -> Node:
    """The tree with as few Projects as that takes; its columns stay as they are."""
    return transform(node, _merged)


def _merged(node: Node) -> Node:
    if not isinstance(node, Project):
        return node
    if isinstance(node.input, Project) and _may_merge(node, node.input):
        values = {output.id: output.value for output in node.input.outputs}
        outputs = tuple(Named(o.id, substituted(o.value, values)) for o in node.outputs)
        return _merged(Project(node.input.input, outputs))
    return node.input if _changes_nothing(node) else node


def _may_merge(outer: Project, inner: Project) -> bool:
    uses = Counter(
        found.name for output in outer.outputs for found in output.value.find_all(exp.Column)
    )
    return all(
        isinstance(output.value, exp.Column | exp.Literal | exp.Null) or uses[output.id] <= 1
        for output in inner.outputs
    )


def _changes_nothing(node: Project) -> bool:
    same = all(
        isinstance(output.value, exp.Column) and output.value.name == output.id
        for output in node.outputs
    )
    return same and columns_of(node.input) == tuple(output.id for output in node.outputs)
