"""Which functions a dynamic table may not call, and what only looks like one."""

from __future__ import annotations

import pytest

from headwater.sql.determinism import find_not_deterministic
from headwater.sql.tokens import tokenize


def found(query: str, *columns: str) -> str | None:
    token = find_not_deterministic(tokenize(query), columns=columns)
    return None if token is None else token.text


@pytest.mark.parametrize(
    ("query", "function"),
    [
        ("SELECT rand() FROM t", "rand"),
        ("SELECT a, RANDN(7) AS b FROM t", "RANDN"),
        ("SELECT uuid() FROM t", "uuid"),
        ("SELECT * FROM t WHERE at > now() - INTERVAL 1 DAY", "now"),
        ("SELECT current_timestamp FROM t", "current_timestamp"),
        ("SELECT a FROM t WHERE at < CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP"),
        ("SELECT a FROM t WHERE at < current_timestamp()", "current_timestamp"),
        ("SELECT coalesce(owner, current_user) FROM t", "current_user"),
        ("SELECT user FROM t", "user"),
        ("SELECT unix_timestamp() FROM t", "unix_timestamp"),
        ("SELECT input_file_name() FROM t", "input_file_name"),
        ("SELECT * FROM t TABLESAMPLE (10 PERCENT)", "TABLESAMPLE"),
        ("SELECT CASE WHEN a THEN localtimestamp END FROM t", "localtimestamp"),
        ("SELECT uuid(), rand() FROM t", "uuid"),
    ],
)
def test_what_gives_another_value_each_time_is_found(query: str, function: str) -> None:
    assert found(query) == function


@pytest.mark.parametrize(
    "query",
    [
        "SELECT current_date, current_date() FROM t",
        "SELECT at AS current_timestamp FROM t",
        "SELECT at current_timestamp FROM t",
        "SELECT t.current_timestamp, t.user FROM t",
        "SELECT 'rand()', `rand` FROM t -- uuid()",
        "SELECT unix_timestamp(at) FROM t",
        "SELECT random FROM t",
        "SELECT s.rand(1) FROM t",
        "SELECT * FROM rand",
    ],
)
def test_what_only_looks_like_it_is_not(query: str) -> None:
    assert found(query) is None


def test_a_column_of_a_source_may_have_the_name_of_a_function() -> None:
    assert found("SELECT user, count(*) FROM t GROUP BY user", "user") is None
    assert found("SELECT User FROM t", "USER") is None
    assert found("SELECT user() FROM t", "user") == "user"
