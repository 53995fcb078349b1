"""CREATE MATERIALIZED VIEW as text: its clauses, and what stands in for those of dynamic tables."""

from __future__ import annotations

import itertools

import pytest

from headwater.errors import UserError
from headwater.sql.create_materialized_view import CreateMaterializedView
from headwater.sql.describe import DescTable
from headwater.sql.drop import UndropTable
from headwater.sql.history import RestoreTable
from headwater.sql.parse import parse
from headwater.sql.show import ShowCreateTable


def create(text: str) -> CreateMaterializedView:
    statement = parse(text)
    assert isinstance(statement, CreateMaterializedView)
    return statement


CLAUSES = (
    "PARTITIONED BY (a)",
    "CLUSTERED BY (b) SORTED BY (b) INTO 4 BUCKETS",
    "COMMENT 'x'",
    "BUILD DEFERRED",
    "REFRESH START WITH now() INTERVAL 1 HOUR VCLUSTER v",
    "DISABLE QUERY REWRITE",
)


def test_clauses_come_in_any_order() -> None:
    statements = {
        create(f"CREATE MATERIALIZED VIEW v (a, b) {' '.join(order)} AS SELECT 1, 2").to_sql()
        for order in itertools.permutations(CLAUSES)
    }
    assert len(statements) == 1


def test_a_view_is_filled_and_used_for_queries_unless_the_statement_says_otherwise() -> None:
    made = create("CREATE MATERIALIZED VIEW v AS SELECT 1")
    assert made.fills
    assert made.table.query_rewrite
    other = create("CREATE MATERIALIZED VIEW v BUILD DEFERRED DISABLE QUERY REWRITE AS SELECT 1")
    assert not other.fills
    assert not other.table.query_rewrite


@pytest.mark.parametrize(
    "clauses", ["", "BUILD DEFERRED", "DISABLE QUERY REWRITE", "BUILD IMMEDIATE"]
)
def test_or_replace_needs_both_clauses(clauses: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(f"CREATE OR REPLACE MATERIALIZED VIEW v {clauses} AS SELECT 1")
    assert caught.value.condition == "MATERIALIZED_VIEW_REPLACED"
    assert "BUILD DEFERRED DISABLE QUERY REWRITE" in (caught.value.hint or "")
    assert caught.value.span is not None


@pytest.mark.parametrize(
    "clause",
    [
        "BUILD",
        "BUILD LATER",
        "BUILD DEFERRED BUILD IMMEDIATE",
        "DISABLE REWRITE",
        "IMMUTABLE WHERE (a > 1)",
        "INITIALIZE = ON_CREATE",
        "COMMENT 'a' COMMENT 'b'",
    ],
)
def test_what_is_no_clause_of_a_view_is_refused_with_its_place(clause: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(f"CREATE MATERIALIZED VIEW v {clause} AS SELECT 1")
    assert caught.value.condition == "SYNTAX_ERROR"
    assert caught.value.span is not None


def test_a_rewrite_is_nothing_for_dynamic_tables() -> None:
    with pytest.raises(UserError):
        parse("ALTER DYNAMIC TABLE d DISABLE QUERY REWRITE")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("DESC MATERIALIZED VIEW v EXTENDED", DescTable),
        ("DESC MATERIALIZED VIEW EXTENDED v", DescTable),
        ("SHOW CREATE MATERIALIZED VIEW v", ShowCreateTable),
        ("UNDROP MATERIALIZED VIEW v", UndropTable),
        ("RESTORE MATERIALIZED VIEW v TO VERSION AS OF 1", RestoreTable),
    ],
)
def test_statements_about_tables_take_the_words_too(text: str, kind: type) -> None:
    assert isinstance(parse(text), kind)
