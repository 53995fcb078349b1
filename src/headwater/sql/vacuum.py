"""VACUUM [TABLE] t [RETAIN n HOURS] [DRY RUN]: remove the files that no version needs."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.errors import Span
from headwater.names import ObjectName
from headwater.sql.cursor import Cursor


@dataclass(frozen=True, slots=True)
class Vacuum:
    """VACUUM t; `hours` is how long the files of old versions stay, None for the table's own."""

    name: ObjectName
    hours: int | None = None
    dry_run: bool = False
    hours_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        retain = f" RETAIN {self.hours} HOURS" if self.hours is not None else ""
        return f"VACUUM TABLE {self.name}{retain}{' DRY RUN' if self.dry_run else ''}"


def parse_vacuum(cursor: Cursor) -> Vacuum:
    """Read the statement; the cursor stands before VACUUM."""
    cursor.expect("VACUUM")
    if cursor.at("TABLE") and cursor.peek(1).is_name and cursor.peek(1).upper != "RETAIN":
        cursor.advance()
    name = cursor.object_name("the table's name")
    hours, span = None, None
    if cursor.accept("RETAIN"):
        span = cursor.token.span
        hours = cursor.integer("a number of hours")
        cursor.one_of(("HOURS", "HOUR"))
    dry_run = cursor.accept("DRY", "RUN")
    cursor.expect_end()
    return Vacuum(name, hours, dry_run, span)
