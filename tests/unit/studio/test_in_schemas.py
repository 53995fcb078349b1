"""Lists over all schemas, of which one goes between one statement and the next."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from headwater.errors import UserError
from headwater.studio.in_schemas import in_all_schemas


def _desk(error: Exception) -> Any:
    """Lists two schemas, of which the first cannot be looked into."""
    answers: dict[str, Any] = {
        "SHOW SCHEMAS": [{"schema_name": "gone"}, {"schema_name": "s"}],
        "SHOW PIPES IN `gone`": error,
        "SHOW PIPES IN `s`": [{"pipe_name": "kept"}],
    }

    async def rows(statement: str) -> Any:
        if isinstance(answers[statement], Exception):
            raise answers[statement]
        return answers[statement]

    return SimpleNamespace(rows=rows)


def test_a_schema_that_is_dropped_while_the_list_is_made_is_not_in_it() -> None:
    desk = _desk(UserError("SCHEMA_NOT_FOUND", name="gone"))
    found = asyncio.run(in_all_schemas(desk, "SHOW PIPES"))
    assert found == [{"schema_name": "s", "pipe_name": "kept"}]


def test_what_else_is_wrong_is_said() -> None:
    with pytest.raises(UserError) as caught:
        asyncio.run(in_all_schemas(_desk(UserError("UNAUTHENTICATED")), "SHOW PIPES"))
    assert caught.value.condition == "UNAUTHENTICATED"
