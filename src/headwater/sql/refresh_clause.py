"""REFRESH [START WITH <timestamp>] [INTERVAL <interval>] [VCLUSTER <name>], and REFRESH_MODE."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta

from headwater.errors import Span, ValueRejected
from headwater.names import show_identifier
from headwater.sql.cursor import Cursor
from headwater.sql.intervals import duration, duration_between, read_interval

SHORTEST_INTERVAL = 60
"""In seconds: schedules are not kept closer than this."""
MODES = ("AUTO", "INCREMENTAL", "FULL")
STRICT = "INCREMENTAL STRICT"
# What may follow an expression of START WITH.
_ENDS_START = frozenset(
    "INTERVAL VCLUSTER REFRESH REFRESH_MODE TARGET_LAG INITIALIZE COMMENT PROPERTIES TBLPROPERTIES"
    " PARTITIONED CLUSTERED CLUSTER AS".split()
)
_INTERVALS = "write INTERVAL 5 MINUTE, or SECOND, HOUR, DAY"
_OPERATORS = frozenset(("+", "-", "*", "/", "||", ","))


@dataclass(frozen=True, slots=True)
class RefreshClause:
    """The clause; `start` is an expression as typed, `vcluster` in upper case."""

    start: str | None = None
    interval_seconds: int | None = None
    vcluster: str | None = None
    start_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The clause in its canonical spelling."""
        parts = ["REFRESH"]
        if self.start is not None:
            parts.append(f"START WITH {self.start}")
        if self.interval_seconds is not None:
            parts.append(f"INTERVAL {shown_interval(self.interval_seconds)}")
        if self.vcluster is not None:
            parts.append(f"VCLUSTER {show_identifier(self.vcluster)}")
        return " ".join(parts)


def shown_interval(seconds: int) -> str:
    """An interval as it can be typed, in the largest unit that fits.

    >>> shown_interval(3600), shown_interval(90)
    ('1 HOUR', '90 SECOND')
    """
    for length, unit in ((86400, "DAY"), (3600, "HOUR"), (60, "MINUTE")):
        if seconds % length == 0:
            return f"{seconds // length} {unit}"
    return f"{seconds} SECOND"


def parse_refresh_clause(cursor: Cursor) -> RefreshClause:
    """Read what follows REFRESH: its parts in any order, at least one of them."""
    clause = RefreshClause()
    while True:
        if clause.start is None and cursor.accept("START", "WITH"):
            start, span = _start(cursor)
            clause = replace(clause, start=start, start_span=span)
        elif clause.interval_seconds is None and cursor.accept("INTERVAL"):
            clause = replace(clause, interval_seconds=parse_interval(cursor))
        elif clause.vcluster is None and cursor.accept("VCLUSTER"):
            clause = replace(clause, vcluster=parse_vcluster(cursor))
        elif clause == RefreshClause():
            cursor.fail_expected("START WITH, INTERVAL or VCLUSTER")
        else:
            return clause


def parse_interval(
    cursor: Cursor, *, hint: str = _INTERVALS, shortest: str = "REFRESH INTERVAL 1 MINUTE"
) -> int:
    """Read an interval; gives back its whole seconds, of which there must be enough.

    `shortest` is the clause with as few as may be.
    """
    begin = cursor.token.start
    try:
        length = _interval(cursor, hint)
    except (ValueError, OverflowError):
        cursor.fail("this is no interval", start=begin, hint=hint)
    seconds = int(length.total_seconds())
    if seconds < SHORTEST_INTERVAL:
        span = Span(begin, cursor.tokens[cursor.position - 1].end)
        raise ValueRejected(
            "REFRESH_INTERVAL_TOO_SHORT",
            seconds=f"{length.total_seconds():g}",
            least=SHORTEST_INTERVAL,
            clause=shortest,
            span=span,
        )
    return seconds


def _interval(cursor: Cursor, hint: str) -> timedelta:
    token = cursor.token
    if token.kind not in ("number", "string"):
        cursor.fail_expected("an interval", hint=hint)
    amount = cursor.advance().value
    if cursor.token.kind != "word" or _ends_interval(cursor):
        return read_interval(amount)
    unit = cursor.advance().upper
    if cursor.accept("TO"):
        return duration_between(amount, unit, cursor.name("a unit"))
    return duration(amount, unit)


def _ends_interval(cursor: Cursor) -> bool:
    return cursor.token.upper in _ENDS_START


def _start(cursor: Cursor) -> tuple[str, Span]:
    """An expression up to the next clause; an INTERVAL behind an operator is a part of it."""
    begin, depth = cursor.token.start, 0
    while not cursor.at_end:
        before = cursor.tokens[cursor.position - 1]
        first = cursor.token.start == begin
        follows = before.kind == "symbol" and before.text in _OPERATORS
        if depth == 0 and cursor.token.upper in _ENDS_START and not first and not follows:
            break
        depth += cursor.at_symbol("(") - cursor.at_symbol(")")
        cursor.advance()
    end = cursor.tokens[cursor.position - 1].end
    if end <= begin:
        cursor.fail_expected("a timestamp")
    return cursor.text[begin:end], Span(begin, end)


def parse_vcluster(cursor: Cursor) -> str:
    """Read the name of a virtual cluster, in quotes or not."""
    if cursor.token.kind == "string":
        return cursor.string().upper()
    return cursor.name("a virtual cluster").upper()


def parse_refresh_mode(cursor: Cursor) -> str:
    """Read what follows REFRESH_MODE; gives back one of MODES or STRICT."""
    cursor.accept_symbol("=")
    if cursor.token.kind == "string":
        start = cursor.token.span
        words = " ".join(cursor.string().upper().split())
        if words not in (*MODES, STRICT):
            known = ", ".join((*MODES, STRICT))
            expected = f"one of {known}"
            raise ValueRejected(
                "PROPERTY_VALUE", name="REFRESH_MODE", value=words, expected=expected, span=start
            )
        return words
    mode = cursor.one_of(MODES)
    return STRICT if mode == "INCREMENTAL" and cursor.accept("STRICT") else mode
