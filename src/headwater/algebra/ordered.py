"""The tree of a query whose rows are shown: an ORDER BY at its end counts, also without LIMIT."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from headwater.algebra.binding import bind
from headwater.algebra.binding.top import has_limit
from headwater.algebra.nodes import Node, Query, TopK
from headwater.algebra.qualified import Qualified
from headwater.algebra.walk import transform

_ALL_ROWS = "9223372036854775806"
"""A limit that nobody gives; it is taken out again."""


def bind_ordered(qualified: Qualified, names: tuple[str, ...]) -> Query:
    """The tree of a query, with a TopK of all rows where its rows have an order."""
    whole = qualified.query
    if whole.args.get("order") is None or has_limit(whole):
        return bind(qualified, names)
    limited = whole.copy()
    limited.set("limit", exp.Limit(expression=exp.Literal.number(_ALL_ROWS)))
    query = bind(replace(qualified, query=limited), names)
    return replace(query, tree=transform(query.tree, _without_limit))


def _without_limit(node: Node) -> Node:
    if isinstance(node, TopK) and node.limit is not None and node.limit.name == _ALL_ROWS:
        return replace(node, limit=None)
    return node
