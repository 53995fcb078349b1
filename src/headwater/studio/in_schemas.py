"""Lists over all schemas, from statements that list one.

Law: a schema that is dropped between one statement and the next is left out, and spoils no list.
"""

from __future__ import annotations

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
        try:
            rows = await desk.rows(f"{show} IN {quote_identifier(schema)}")
        except UserError as error:
            if error.condition != "SCHEMA_NOT_FOUND":
                raise
            continue  # it was dropped a moment ago
        found += [{"schema_name": schema} | row for row in rows]
    return found
