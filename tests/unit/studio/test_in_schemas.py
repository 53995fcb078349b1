"""Lists over all schemas, in which something goes between one statement and the next."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from headwater.errors import UserError
from headwater.studio.in_schemas import in_all_schemas
from headwater.studio.pages.pipes import pipes_page
from headwater.studio.pages.streams import _Screen


class Desk:
    """Answers with what it is given, or raises that."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = {"SHOW SCHEMAS": [{"schema_name": "s"}], **answers}

    async def rows(self, statement: str) -> Any:
        found = self._answers[statement]
        if isinstance(found, Exception):
            raise found
        return found

    row = rows_if_allowed = rows


_GONE = UserError("PIPE_NOT_FOUND", name="s.gone")
_DENIED = UserError("ACCESS_DENIED", user="ann", needed="MONITOR", ask="GRANT ..")


def _pipes(gone: Exception) -> Any:
    names = ("gone", "kept")
    return Desk(
        {
            "SHOW PIPES IN `s`": [{"pipe_name": name, "status": "RUNNING"} for name in names],
            "DESC PIPE EXTENDED `s`.`gone`": gone,
            "DESC PIPE EXTENDED `s`.`kept`": {"pipe_kind": "VOLUME", "files_failed": "2"},
        }
    )


def test_a_pipe_that_is_dropped_while_the_list_is_made_is_not_in_it() -> None:
    rows = asyncio.run(pipes_page._ask(_pipes(_GONE)))
    assert [(row["pipe_name"], row["failed"]) for row in rows] == [("kept", 2)]


def test_of_a_pipe_that_may_not_be_described_the_list_has_what_it_knows() -> None:
    rows = asyncio.run(pipes_page._ask(_pipes(_DENIED)))
    assert [(row["pipe_name"], row["status"]) for row in rows] == [
        ("gone", "RUNNING"),
        ("kept", "RUNNING"),
    ]


def test_what_else_is_wrong_is_said() -> None:
    with pytest.raises(UserError) as caught:
        asyncio.run(pipes_page._ask(_pipes(UserError("UNAUTHENTICATED"))))
    assert caught.value.condition == "UNAUTHENTICATED"


def test_a_stream_that_is_dropped_while_the_list_is_made_is_not_in_it() -> None:
    gone = UserError("STREAM_NOT_FOUND", name="s.gone")
    desk: Any = Desk(
        {
            "SHOW TABLE STREAMS IN `s`": [{"name": "gone"}, {"name": "kept"}],
            "DESC TABLE STREAM EXTENDED `s`.`gone`": gone,
            "DESC TABLE STREAM EXTENDED `s`.`kept`": {"base_tables": "w.s.t"},
        }
    )
    assert [row["name"] for row in asyncio.run(_Screen(desk).ask())] == ["kept"]


def test_a_schema_that_is_dropped_while_the_list_is_made_is_not_in_it() -> None:
    desk: Any = Desk(
        {
            "SHOW SCHEMAS": [{"schema_name": "gone"}, {"schema_name": "s"}],
            "SHOW PIPES IN `gone`": UserError("SCHEMA_NOT_FOUND", name="gone"),
            "SHOW PIPES IN `s`": [{"pipe_name": "kept"}],
        }
    )
    found = asyncio.run(in_all_schemas(desk, "SHOW PIPES"))
    assert found == [{"schema_name": "s", "pipe_name": "kept"}]
