"""What cannot be while rows are those of the query: a plan that meets it fails where it runs.

Invariant: a refresh that fails writes nothing, so the old rows stay.
"""

from __future__ import annotations

from sqlglot import exp

from headwater.algebra.nodes import ColumnId, Named, Node, Scalar, Window, column

NEGATIVE_COUNT = "headwater: more rows go from a group than it has"
TWO_ROWS = "headwater: a group is there twice"
COPIES: ColumnId = "#copies"
"""How many rows of the table have a key."""


def with_copies(rows: Node, keys: tuple[ColumnId, ...]) -> Node:
    """Rows with the number of those that have the same key beside them."""
    over = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[column(key) for key in keys])
    return Window(rows, keys, (Named(COPIES, over),))


def sound(condition: Scalar, left: Scalar | None, *, copies: bool) -> Scalar:
    """A condition that fails where a group has fewer than no rows `left`, or is there twice."""
    nought, one = exp.Literal.number(0), exp.Literal.number(1)
    ifs = []
    if copies:
        ifs.append(_failing(exp.GT(this=column(COPIES), expression=one), TWO_ROWS))
    if left is not None:
        ifs.append(_failing(exp.LT(this=left, expression=nought), NEGATIVE_COUNT))
    return exp.Case(ifs=ifs, default=condition) if ifs else condition


def _failing(condition: Scalar, words: str) -> exp.If:
    error = exp.Anonymous(this="raise_error", expressions=[exp.Literal.string(words)])
    return exp.If(this=condition, true=error)
