"""Trees that mean the same and are cheaper to keep current."""

from headwater.algebra.nodes import Query


def simplify(query: Query) -> Query:
    return query
