"""Tables and views as lists of the catalog show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.names import quote_identifier
from headwater.studio.desk import Desk
from headwater.studio.listing import ListColumn, studio_path

PATH = "/catalog"
Rows = list[dict[str, Any]]


def kind_of(row: Mapping[str, Any]) -> str:
    """What a row of SHOW TABLES is.

    >>> kind_of({"is_view": False, "is_dynamic": True})
    'DYNAMIC TABLE'
    """
    kinds = (
        ("is_dynamic", "DYNAMIC TABLE"),
        ("is_materialized_view", "MATERIALIZED VIEW"),
        ("is_view", "VIEW"),
        ("is_external", "EXTERNAL TABLE"),
    )
    return next((words for name, words in kinds if row.get(name)), "TABLE")


NAME = ListColumn(
    "table_name",
    "Name",
    link=lambda row: studio_path("catalog", row["schema_name"], row["table_name"]),
)
SCHEMA = ListColumn(
    "schema_name", "Schema", link=lambda row: studio_path("catalog", row["schema_name"])
)
KIND = ListColumn("kind", "Kind", value=kind_of)


async def tables_in(desk: Desk, schema: str) -> Rows:
    """The tables and views of a schema."""
    return await desk.rows(f"SHOW TABLES IN {quote_identifier(schema)}")
