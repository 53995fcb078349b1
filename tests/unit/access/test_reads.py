"""What a text reads, for the decision: also where words or grammar alone would miss it."""

from __future__ import annotations

import pytest

from headwater.access.code_in_text import role_of_text
from headwater.access.reads import reads_of
from headwater.errors import UserError
from headwater.sql.roles import Role
from headwater.sql.tokens import tokenize


def names(text: str) -> set[str]:
    return {str(read.name) for read in reads_of(text).reads}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * FROM a, b JOIN s.c ON 1 = 1", {"a", "b", "s.c"}),
        ("SELECT (SELECT max(x) FROM secret) FROM a", {"a", "secret"}),
        ("SELECT * FROM a WHERE EXISTS (SELECT 1 FROM secret)", {"a", "secret"}),
        ("WITH x AS (SELECT * FROM secret) SELECT * FROM x", {"secret"}),
        ("WITH secret AS (SELECT * FROM secret) SELECT * FROM secret", {"secret"}),
        ("WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b", set()),
        ("WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a", {"b"}),
        ("SELECT * FROM s WHERE 1 IN (WITH s AS (SELECT 1) SELECT * FROM s)", {"s"}),
        ("WITH a AS (SELECT 1) SELECT * FROM s WINDOW s AS (PARTITION BY 1)", {"s"}),
        ("SELECT * FROM a PIVOT (sum(x) FOR y IN (1, 2)) p, secret", {"a", "secret"}),
        ("SELECT * FROM a, LATERAL (SELECT a.x), secret", {"a", "secret"}),
        ("SELECT * FROM a LATERAL VIEW explode(m) e AS k, v", {"a"}),
        ("SELECT * FROM (SELECT * FROM secret)", {"secret"}),
        ("SELECT * FROM (TABLE secret)", {"secret", "table"}),
        ("SELECT 1 UNION ALL SELECT * FROM secret", {"secret"}),
        ("FROM secret SELECT *", {"secret"}),
        ("EXPLAIN EXTENDED SELECT * FROM secret", {"secret"}),
        ("DESC QUERY SELECT * FROM secret", {"secret"}),
        ("SELECT * FROM delta.`/a/b`", {"delta.`/a/b`"}),
        ("SELECT * FROM w.s.t", {"w.s.t"}),
        ("CACHE LAZY TABLE secret", {"secret"}),
        ("DECLARE x = (SELECT max(a) FROM secret)", {"secret"}),
        ("SET VAR x = (SELECT max(a) FROM secret)", {"secret"}),
        ("CREATE TEMPORARY FUNCTION f() RETURN SELECT max(a) FROM secret", {"secret"}),
        ("CREATE TEMPORARY VIEW mine AS SELECT * FROM secret", {"secret"}),
        ("CREATE TEMPORARY VIEW mine (x COMMENT 'y') AS SELECT * FROM secret", {"secret"}),
        ("CREATE TEMPORARY VIEW secret AS SELECT * FROM secret", {"secret"}),
        ("SELECT * FROM a JOIN (SHOW TABLES) ON 1 = 1", {"a"}),
        ("SELECT 1", set()),
    ],
)
def test_every_relation_is_found(text: str, expected: set[str]) -> None:
    found = names(text)
    certain = {str(read.name) for read in reads_of(text).reads if read.certain}
    assert expected & {"secret", "s", "a", "b", "w.s.t", "delta.`/a/b`"} <= found
    assert found <= expected
    assert certain <= found


def test_a_table_that_is_written_and_read_is_both() -> None:
    found = reads_of("INSERT INTO t SELECT * FROM a PIVOT (sum(x) FOR y IN (1)) p, t")
    assert {str(write.name) for write in found.writes} == {"t"}
    assert {str(read.name) for read in found.reads} == {"a", "t"}
    only_written = reads_of("INSERT INTO t SELECT * FROM a")
    assert {str(read.name) for read in only_written.reads} == {"a"}


def test_every_target_of_an_insert_is_found() -> None:
    found = reads_of("FROM a INSERT INTO t SELECT x INSERT OVERWRITE u SELECT y")
    assert {str(write.name) for write in found.writes} == {"t", "u"}


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("SELECT 1", Role.VIEWER),
        ("SELECT reflect('java.lang.Runtime', 'x')", Role.DEVELOPER),
        ("SELECT `reflect`('java.lang.Runtime', 'x')", Role.DEVELOPER),
        ("SELECT Java_Method ('a', 'b')", Role.DEVELOPER),
        ("SELECT * FROM IDENTIFIER('sec' || 'ret')", Role.DEVELOPER),
        ("SELECT TRANSFORM (a) USING 'sh -c id' FROM VALUES (1) AS t(a)", Role.DEVELOPER),
        ("FROM a INSERT INTO t SELECT x INSERT OVERWRITE DIRECTORY '/tmp/x' SELECT y", Role.ADMIN),
        ("SELECT reflect FROM (SELECT 1 AS reflect)", Role.VIEWER),
    ],
)
def test_code_and_paths_are_for_those_who_are_trusted(text: str, role: Role) -> None:
    assert role_of_text(tokenize(text)) is role


@pytest.mark.parametrize("text", ["SELECT * FROM a WHERE (", "SELECT FROM FROM a b c d e"])
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(UserError) as caught:
        reads_of(text)
    assert caught.value.condition == "ACCESS_UNCLEAR"
