"""What a query keeps current, by the words of its statements: a dynamic table or a view."""

from __future__ import annotations

from enum import StrEnum

from headwater.sql.cursor import Cursor


class RefreshedKind(StrEnum):
    """Both are the same table with a query; queries may be rewritten onto a materialized view."""

    DYNAMIC_TABLE = "DYNAMIC TABLE"
    MATERIALIZED_VIEW = "MATERIALIZED VIEW"

    @property
    def owner(self) -> str:
        """What an error expects where its name is missing."""
        return f"the {self.lower()}'s name"


def parse_kind(cursor: Cursor) -> RefreshedKind:
    """Take the words of one of them."""
    if cursor.accept("MATERIALIZED"):
        cursor.expect("VIEW")
        return RefreshedKind.MATERIALIZED_VIEW
    cursor.expect("DYNAMIC", "TABLE")
    return RefreshedKind.DYNAMIC_TABLE
