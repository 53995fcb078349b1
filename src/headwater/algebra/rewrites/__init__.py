"""Trees that mean the same and are cheaper to keep current."""

from __future__ import annotations

from dataclasses import replace

from headwater.algebra.nodes import Query
from headwater.algebra.rewrites.merge_projects import merge_projects
from headwater.algebra.rewrites.prune_columns import prune_columns
from headwater.algebra.rewrites.push_filters import push_filters


def simplify(query: Query) -> Query:
    """The same query: filters far down, joins with conditions, only the columns that are needed."""
    tree = merge_projects(push_filters(query.tree))
    return replace(query, tree=merge_projects(prune_columns(tree)))
