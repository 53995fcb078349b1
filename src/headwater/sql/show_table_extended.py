"""SHOW TABLE EXTENDED: Spark's listing of tables, by which tools such as dbt find their way."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import ObjectName, quote_literal
from headwater.sql.cursor import Cursor
from headwater.sql.show import parse_scope, scope_to_sql


@dataclass(frozen=True, slots=True)
class ShowTableExtended:
    """SHOW TABLE EXTENDED [IN schema] LIKE 'pattern'; the pattern is Spark's: `*` and `|`."""

    pattern: str
    schema: ObjectName | None = None

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        scope = scope_to_sql(self.schema)
        return f"SHOW TABLE EXTENDED{scope} LIKE {quote_literal(self.pattern)}"


def parse_show_table_extended(cursor: Cursor) -> ShowTableExtended:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "TABLE", "EXTENDED")
    schema = parse_scope(cursor)
    cursor.expect("LIKE")
    pattern = cursor.string("a pattern")
    cursor.expect_end()
    return ShowTableExtended(pattern, schema)
