"""UPDATE and DELETE with sub-queries become MERGE by edits that keep what was typed."""

from __future__ import annotations

import pytest

from headwater.sql.edits import apply_edits
from headwater.sql.subquery_dml import (
    MergedTable,
    delete_as_merge,
    has_subquery,
    update_as_merge,
)
from headwater.sql.tokens import tokenize

TABLE = MergedTable("`public`.`t`", ["id", "n"])
SAME = "<=> headwater_meant.`id` AND {0}.`n` <=> headwater_meant.`n`"


def merged(text: str) -> str:
    make = update_as_merge if text.startswith("UPDATE") else delete_as_merge
    return apply_edits(text, make(text, tokenize(text), TABLE)).text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("DELETE FROM t WHERE id IN (SELECT 1)", True),
        ("DELETE FROM t WHERE id IN (WITH c AS (SELECT 1) FROM c)", True),
        ("DELETE FROM t WHERE id IN (1, 2) AND n = 'x (SELECT'", False),
        ("UPDATE t SET n = (id + 1)", False),
    ],
)
def test_a_subquery_is_seen(text: str, found: bool) -> None:
    assert has_subquery(tokenize(text)) is found


def test_delete_with_and_without_an_alias() -> None:
    assert merged("DELETE FROM s.t WHERE id IN (SELECT 1)") == (
        "MERGE INTO `public`.`t` AS `t` USING (FROM s.t AS `t` "
        "SELECT DISTINCT `t`.* WHERE id IN (SELECT 1)\n"
        ") AS headwater_meant ON `t`.`id` " + SAME.format("`t`") + " WHEN MATCHED THEN DELETE"
    )
    assert merged("DELETE FROM t x WHERE x.id IN (SELECT 1) -- why").startswith(
        "MERGE INTO `public`.`t` AS `x` USING (FROM t x "
        "SELECT DISTINCT `x`.* WHERE x.id IN (SELECT 1) -- why\n) AS headwater_meant"
    )


def test_update_keeps_every_value_as_typed() -> None:
    text = "UPDATE t AS a SET a.n = (SELECT max(x, 1) FROM u), id = CASE WHEN n = 1 THEN 2 END"
    assert merged(text + " WHERE n = 0") == (
        "MERGE INTO `public`.`t` AS `a` USING (FROM t AS a SELECT DISTINCT `a`.*, "
        " (SELECT max(x, 1) FROM u) AS `headwater_value_1`, "
        " CASE WHEN n = 1 THEN 2 END AS `headwater_value_2` WHERE n = 0\n"
        ") AS headwater_meant ON `a`.`id` " + SAME.format("`a`") + " WHEN MATCHED THEN UPDATE SET "
        "a.n = headwater_meant.`headwater_value_1`, id = headwater_meant.`headwater_value_2`"
    )
