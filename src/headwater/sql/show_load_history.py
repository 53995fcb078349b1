"""SHOW LOAD HISTORY: what LOAD_HISTORY('t') gives, without a query."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import ObjectName
from headwater.sql.cursor import Cursor
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter


@dataclass(frozen=True, slots=True)
class ShowLoadHistory:
    """SHOW LOAD HISTORY OF t [LIKE|WHERE] [LIMIT]."""

    table: ObjectName
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW LOAD HISTORY OF {self.table}{self.filter.to_sql()}"


def parse_show_load_history(cursor: Cursor) -> ShowLoadHistory:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "LOAD", "HISTORY", "OF")
    table = cursor.object_name("the table's name")
    return ShowLoadHistory(table, parse_show_filter(cursor))
