"""What the screens of dynamic tables ask."""

from __future__ import annotations

from typing import Any

from headwater.names import QualifiedName, show_identifier
from headwater.studio.desk import Desk
from headwater.studio.lags import lag_seconds, lag_share, troubles

PATH = "/dynamic-tables"
Rows = list[dict[str, Any]]


async def all_tables(desk: Desk) -> Rows:
    """The dynamic tables of the workspace, each with its lag and what is wrong with it."""
    rows = await desk.rows(f"SHOW DYNAMIC TABLES IN WORKSPACE {show_identifier(desk.workspace)}")
    now = desk.now
    return [_judged(row, lag_seconds(row, now)) for row in rows]


def full_name(row: dict[str, Any]) -> str:
    """The name of a row of `all_tables`, as statements spell it; no other one has it."""
    return name_of(row["schema_name"], row["name"])


def name_of(schema: str, name: str) -> str:
    """A name as statements spell it."""
    return str(QualifiedName("", schema, name))


def _judged(row: dict[str, Any], lag: int | None) -> dict[str, Any]:
    # To ten seconds: a page at rest is not drawn anew for less.
    shown = None if lag is None else lag // 10 * 10
    return {
        **row,
        "key": full_name(row),
        "lag": shown,
        "share": lag_share(row, shown),
        "troubles": troubles(row, lag),
    }
