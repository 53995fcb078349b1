"""Completion in the editor: which statements it asks, and how rarely."""

from __future__ import annotations

import asyncio
from typing import Any

from headwater.errors import UserError
from headwater.studio.completion_words import CompletionWords, complete

_ANSWERS = {
    "SHOW SCHEMAS": [{"schema_name": "public"}, {"schema_name": "sales"}],
    "SHOW TABLES": [{"table_name": "orders"}],
    "SHOW TABLES IN `sales`": [{"table_name": "my table"}],
    "SHOW COLUMNS IN `orders`": [{"column_name": "order_id"}, {"column_name": "Amount"}],
    "SHOW TABLE STREAMS": [],
}


class Lake:
    def __init__(self) -> None:
        self.asked: list[str] = []

    async def ask(self, statement: str) -> list[dict[str, Any]]:
        self.asked.append(statement)
        if statement not in _ANSWERS:
            raise UserError("UNAUTHENTICATED")
        return _ANSWERS[statement]


def offered(lake: Lake, words: CompletionWords, before: str, after: str = "") -> list[str]:
    return [one.text for one in asyncio.run(complete(before, after, words, lake.ask))]


def test_columns_of_the_tables_that_the_statement_names() -> None:
    assert offered(Lake(), CompletionWords(), "SELECT o", " FROM orders")[:1] == ["order_id"]


def test_tables_of_a_schema_behind_its_dot() -> None:
    assert offered(Lake(), CompletionWords(), "SELECT * FROM sales.") == ["`my table`"]


def test_what_is_known_is_not_asked_again_until_something_changes() -> None:
    lake, words = Lake(), CompletionWords()
    offered(lake, words, "SELECT * FROM o")
    asked = len(lake.asked)
    assert offered(lake, words, "SELECT * FROM or") == ["orders"]
    assert len(lake.asked) == asked
    words.forget()
    offered(lake, words, "SELECT * FROM o")
    assert len(lake.asked) == 2 * asked


def test_what_the_user_may_not_see_has_no_words() -> None:
    assert offered(Lake(), CompletionWords(), "SHOW VOLUME DIRECTORY ") == ["public", "sales"]


def test_keywords_need_no_lake() -> None:
    lake = Lake()
    assert "SCHEMAS" in offered(lake, CompletionWords(), "SHOW SCH")
