"""A query that reads stored views where these hold what it asks for.

Law: the rows of the rewritten query are those of the query, as a bag, whenever each view holds the
rows of its tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.algebra.answering.answer import Answer, answer
from headwater.algebra.answering.blocks import joined
from headwater.algebra.answering.leaves import leaf_answer
from headwater.algebra.answering.roll_up import rolled_up
from headwater.algebra.answering.views import StoredView
from headwater.algebra.expressions import all_of, references
from headwater.algebra.nodes import Filter, Named, Node, Opaque, Project, Query, columns_of
from headwater.algebra.walk import sources_of, with_inputs

_MOST_USES = 8


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The query, and the views that it reads now, by the ids of their tables."""

    query: Query
    used: tuple[str, ...] = ()


def rewrite(query: Query, views: Sequence[StoredView]) -> Rewritten:
    """Read views wherever one answers a part of the query; the first ones are preferred."""
    tree, used = query.tree, []
    for use in range(_MOST_USES):
        found = _with_a_view(tree, views, use)
        if found is None:
            break
        tree, view = found
        used.append(view.source)
    return Rewritten(replace(query, tree=tree), tuple(used))


def _with_a_view(
    tree: Node, views: Sequence[StoredView], use: int
) -> tuple[Node, StoredView] | None:
    for view in views:
        if not sources_of(view.tree) <= sources_of(tree):
            continue
        made = _somewhere(tree, view.fresh(use))
        if made is not None:
            return made, view
    return None


def _somewhere(node: Node, view: StoredView) -> Node | None:
    """The tree with the view in one place, as far up as it goes."""
    made = _here(node, view)
    # Nothing may stand for the scans of a text that is not taken apart.
    if made is not None or isinstance(node, Opaque):
        return made
    done: list[Node] = []

    def change(inner: Node) -> Node:
        found = None if done else _somewhere(inner, view)
        if found is None:
            return inner
        done.append(found)
        return found

    changed = with_inputs(node, change)
    return changed if done else None


def _here(node: Node, view: StoredView) -> Node | None:
    found = answer(view.tree, node, leaf_answer, partly=True)
    if found is not None and set(columns_of(node)) <= found.columns.keys():
        return _built(node, found, view)
    return rolled_up(view, node)


def _built(node: Node, found: Answer, view: StoredView) -> Node:
    outputs = tuple(Named(id, found.columns[id]) for id in columns_of(node))
    read = [*found.conditions, *(output.value for output in outputs)]
    scan = view.scan({id for scalar in read for id in references(scalar)})
    rows = joined((scan, *found.rest))
    condition = all_of(found.conditions)
    return Project(rows if condition is None else Filter(rows, condition), outputs)
