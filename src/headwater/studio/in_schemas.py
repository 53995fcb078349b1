"""Lists over all schemas, from statements that list one.

Law: what is dropped between one statement and the next is left out, and spoils no list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater.errors import UserError
from headwater.names import quote_identifier
from headwater.studio.desk import Desk

Rows = list[dict[str, Any]]


def sql_name(schema: str, name: str) -> str:
    """The name of an object in a statement.

    >>> sql_name("public", "a`b")
    '`public`.`a``b`'
    """
    return f"{quote_identifier(schema)}.{quote_identifier(name)}"


async def schemas_of(desk: Desk) -> list[str]:
    """The schemas that the user may see."""
    return [row["schema_name"] for row in await desk.rows("SHOW SCHEMAS")]


async def in_all_schemas(desk: Desk, show: str) -> Rows:
    """The rows of `SHOW ..` in each schema, with the schema's name."""
    found: Rows = []
    for schema in await schemas_of(desk):
        rows = await in_schema(desk, show, schema)
        found += [{"schema_name": schema} | row for row in rows]
    return found


async def in_schema(desk: Desk, show: str, schema: str) -> Rows:
    """The rows of `SHOW ..` in a schema; none if it was dropped since."""
    try:
        return await desk.rows_if_allowed(f"{show} IN {quote_identifier(schema)}")
    except UserError as error:
        _require_gone(error)
        return []


async def listed_details(desk: Desk, describe: str) -> Mapping[str, Any] | None:
    """What a DESC says of something that a list has; None if it was dropped since.

    Nothing is said of what the user may see but not look into.
    """
    try:
        return await desk.row(describe)
    except UserError as error:
        if error.condition == "ACCESS_DENIED":
            return {}
        _require_gone(error)
        return None


def _require_gone(error: UserError) -> None:
    if not error.condition.endswith("_NOT_FOUND"):
        raise error
