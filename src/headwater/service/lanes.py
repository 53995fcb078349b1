"""Which statements must never wait behind a long query. Pure.

Invariant: what runs in the quick lane asks the catalog and Delta's log; it never waits for Spark.
"""

from __future__ import annotations

from enum import StrEnum

from headwater.errors import UserError
from headwater.sql.tokens import tokenize

_QUICK_WORDS = frozenset({"SHOW", "DESC", "DESCRIBE", "USE", "CANCEL"})
_LONGEST = 10_000


class Lane(StrEnum):
    """Where a statement waits and runs."""

    QUICK = "quick"
    COMPUTING = "computing"


def lane_of(script: str) -> Lane:
    """The lane of a script; one of several statements computes, and so does a very long one.

    >>> lane_of("/* who */ SHOW TABLES;"), lane_of("SELECT 1")
    (<Lane.QUICK: 'quick'>, <Lane.COMPUTING: 'computing'>)
    """
    if len(script) > _LONGEST:
        return Lane.COMPUTING
    try:
        tokens = tokenize(script)
    except UserError:
        # It fails before it could compute anything.
        return Lane.QUICK
    ends = [place for place, token in enumerate(tokens) if token.text == ";"]
    alone = not ends or ends[0] >= len(tokens) - 2
    return Lane.QUICK if alone and tokens[0].upper in _QUICK_WORDS else Lane.COMPUTING
