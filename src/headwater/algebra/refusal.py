"""Why a query cannot be taken apart: the construct, the reason, and where it stands."""

from __future__ import annotations

from enum import StrEnum

from sqlglot import exp

from headwater.errors import Span


class Reason(StrEnum):
    """What stands in the way of an incremental refresh of the whole query."""

    SYNTAX_UNKNOWN = "SYNTAX_UNKNOWN"
    NAME_UNKNOWN = "NAME_UNKNOWN"
    FUNCTION = "FUNCTION"
    RECURSION = "RECURSION"
    SAMPLE = "SAMPLE"
    TABLE_FUNCTION = "TABLE_FUNCTION"
    TIME_TRAVEL = "TIME_TRAVEL"
    LATERAL_SUBQUERY = "LATERAL_SUBQUERY"
    CORRELATION = "CORRELATION"
    SUBQUERY = "SUBQUERY"


class NotIncremental(Exception):
    """A construct that has no place in the tree; the caller keeps the query as one opaque node."""

    def __init__(self, construct: str, reason: Reason, span: Span | None = None) -> None:
        super().__init__(f"{construct}: {reason}")
        self.construct = construct
        self.reason = reason
        self.span = span


def refuse(construct: str, reason: Reason, at: exp.Expression | None = None) -> NotIncremental:
    """The refusal of a construct, with the first place that the parser knows inside of it."""
    return NotIncremental(construct, reason, None if at is None else _span(at))


def _span(at: exp.Expression) -> Span | None:
    for node in at.walk(bfs=False):
        start, end = node.meta.get("start"), node.meta.get("end")
        if isinstance(start, int) and isinstance(end, int):
            return Span(start, end + 1)
    return None
