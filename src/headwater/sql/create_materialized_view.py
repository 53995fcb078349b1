"""CREATE [OR REPLACE] MATERIALIZED VIEW: a dynamic table with BUILD and DISABLE QUERY REWRITE."""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.sql.create_dynamic_table import CreateDynamicTable, parse_clause, parse_create
from headwater.sql.cursor import Cursor
from headwater.sql.target_lag import ON_CREATE, ON_SCHEDULE

_CLAUSES = (
    "PARTITIONED",
    "CLUSTERED",
    "COMMENT",
    "PROPERTIES",
    "BUILD",
    "REFRESH",
    "REFRESH_MODE",
    "TARGET_LAG",
    "DISABLE",
    "AS",
)
_OTHER_SPELLINGS = ("CLUSTER", "TBLPROPERTIES")


@dataclass(frozen=True, slots=True)
class CreateMaterializedView:
    """CREATE [OR REPLACE | IF NOT EXISTS] MATERIALIZED VIEW v .. AS query."""

    table: CreateDynamicTable

    @property
    def name(self) -> ObjectName:
        """The view's name."""
        return self.table.name

    @property
    def fills(self) -> bool:
        """Whether the statement computes the rows: BUILD IMMEDIATE, which is the default."""
        return self.table.initialize != ON_SCHEDULE

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return self.table.to_sql()


def parse_create_materialized_view(cursor: Cursor) -> CreateMaterializedView:
    """Read the statement; the cursor stands before CREATE."""
    table = parse_create(cursor, _clause)
    if table.or_replace and (table.initialize != ON_SCHEDULE or table.query_rewrite):
        raise UserError("MATERIALIZED_VIEW_REPLACED", view=table.name, span=table.name_span)
    return CreateMaterializedView(replace(table, initialize=table.initialize or ON_CREATE))


def _clause(cursor: Cursor, statement: CreateDynamicTable) -> CreateDynamicTable:
    start = cursor.token.start
    if cursor.accept("BUILD"):
        if statement.initialize is not None:
            cursor.fail("BUILD stands here twice", start=start)
        when = cursor.one_of(("IMMEDIATE", "DEFERRED"))
        return replace(statement, initialize=ON_CREATE if when == "IMMEDIATE" else ON_SCHEDULE)
    if cursor.accept("DISABLE"):
        cursor.expect("QUERY", "REWRITE")
        return replace(statement, query_rewrite=False)
    if cursor.token.upper not in (*_CLAUSES, *_OTHER_SPELLINGS):
        cursor.one_of(_CLAUSES)
    return parse_clause(cursor, statement)
