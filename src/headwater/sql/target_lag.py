"""TARGET_LAG = '<interval>' | DOWNSTREAM, and INITIALIZE = ON_CREATE | ON_SCHEDULE."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import quote_literal
from headwater.sql.cursor import Cursor
from headwater.sql.refresh_clause import parse_interval, shown_interval

ON_CREATE = "ON_CREATE"
ON_SCHEDULE = "ON_SCHEDULE"
INITIALIZE = (ON_CREATE, ON_SCHEDULE)


@dataclass(frozen=True, slots=True)
class TargetLag:
    """How far behind its sources a table may be; without seconds its readers say it: DOWNSTREAM."""

    seconds: int | None = None

    def to_sql(self) -> str:
        """The clause in its canonical spelling."""
        shown = None if self.seconds is None else quote_literal(shown_interval(self.seconds))
        return f"TARGET_LAG = {shown or 'DOWNSTREAM'}"


def parse_target_lag(cursor: Cursor) -> TargetLag:
    """Read what follows TARGET_LAG."""
    cursor.accept_symbol("=")
    if cursor.accept("DOWNSTREAM"):
        return TargetLag()
    cursor.accept("INTERVAL")
    hint, shortest = "write TARGET_LAG = '5 minutes', or DOWNSTREAM", "TARGET_LAG = '1 minute'"
    return TargetLag(parse_interval(cursor, hint=hint, shortest=shortest))


def parse_initialize(cursor: Cursor) -> str:
    """Read what follows INITIALIZE; gives back one of INITIALIZE."""
    cursor.accept_symbol("=")
    return cursor.one_of(INITIALIZE)
