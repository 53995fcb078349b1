"""SHOW LINEAGE."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import ObjectName
from headwater.sql.cursor import Cursor
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter


@dataclass(frozen=True, slots=True)
class ShowLineage:
    """SHOW LINEAGE [OF name] [LIKE|WHERE] [LIMIT]: what reads what."""

    name: ObjectName | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        of = "" if self.name is None else f" OF {self.name}"
        return f"SHOW LINEAGE{of}{self.filter.to_sql()}"


def parse_show_lineage(cursor: Cursor) -> ShowLineage:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "LINEAGE")
    name = cursor.object_name("the table's name") if cursor.accept("OF") else None
    return ShowLineage(name, parse_show_filter(cursor))
