"""CREATE DYNAMIC TABLE as text: clauses in any order, intervals in every spelling, errors."""

from __future__ import annotations

import itertools

import pytest

from headwater.errors import UserError
from headwater.sql.alter_table import AlterTable
from headwater.sql.create_dynamic_table import CreateDynamicTable
from headwater.sql.create_table import CreateTable
from headwater.sql.describe import DescTable
from headwater.sql.drop import DropTable
from headwater.sql.parse import parse
from headwater.sql.target_lag import TargetLag


def create(text: str) -> CreateDynamicTable:
    statement = parse(text)
    assert isinstance(statement, CreateDynamicTable)
    return statement


@pytest.mark.parametrize(
    ("interval", "seconds"),
    [
        ("1 minute", 60),
        ("1 MINUTES", 60),
        ("60 SECOND", 60),
        ("'5' MINUTE", 300),
        ("'5 minute'", 300),
        ('"2 Hours"', 7200),
        ("'1 day 1 hour'", 90_000),
        ("2 DAY", 172_800),
        ("'1 23:59:59.999' DAY TO SECOND", 172_799),
        ("'01:30' HOUR TO MINUTE", 5400),
    ],
)
def test_an_interval_may_be_spelt_in_many_ways(interval: str, seconds: int) -> None:
    clause = create(f"CREATE DYNAMIC TABLE d REFRESH INTERVAL {interval} VCLUSTER v AS SELECT 1")
    assert clause.refresh is not None
    assert (clause.refresh.interval_seconds, clause.refresh.vcluster) == (seconds, "V")


@pytest.mark.parametrize("interval", ["59 SECOND", "'0' MINUTE", "-1 DAY", "1 MONTH", "", "'x'"])
def test_what_is_no_interval_or_too_short_is_refused(interval: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(f"CREATE DYNAMIC TABLE d REFRESH INTERVAL {interval} AS SELECT 1")
    assert caught.value.condition in ("REFRESH_INTERVAL_TOO_SHORT", "SYNTAX_ERROR")
    assert caught.value.span is not None


CLAUSES = (
    "PARTITIONED BY (a)",
    "CLUSTERED BY (b) INTO 4 BUCKETS",
    "COMMENT 'x'",
    "PROPERTIES ('user.k' = 'v')",
    "REFRESH START WITH now() + INTERVAL '1' DAY INTERVAL 1 HOUR VCLUSTER v",
    "REFRESH_MODE = INCREMENTAL STRICT",
    "INITIALIZE = ON_CREATE",
)


@pytest.mark.laws
def test_clauses_come_in_any_order() -> None:
    statements = {
        create(f"CREATE DYNAMIC TABLE d (a, b) {' '.join(order)} AS SELECT 1, 2").to_sql()
        for order in itertools.permutations(CLAUSES)
    }
    assert len(statements) == 1


@pytest.mark.parametrize("clause", CLAUSES)
def test_no_clause_stands_twice(clause: str) -> None:
    with pytest.raises(UserError, match="SYNTAX_ERROR"):
        parse(f"CREATE DYNAMIC TABLE d {clause} {clause} AS SELECT 1")


@pytest.mark.parametrize(
    "start",
    [
        "'2030-01-01'",
        "TIMESTAMP '2030-01-01 00:00:00'",
        "current_timestamp() + interval '1' day",
        "date_trunc('DAY', now() - INTERVAL 1 HOUR) + INTERVAL 1 DAY",
        "CAST('2030-01-01' AS TIMESTAMP)",
    ],
)
@pytest.mark.parametrize("rest", ["INTERVAL 1 HOUR", "VCLUSTER v", "COMMENT 'x'", ""])
def test_the_start_ends_where_the_next_clause_begins(start: str, rest: str) -> None:
    statement = create(f"CREATE DYNAMIC TABLE d REFRESH START WITH {start} {rest} AS SELECT 1 AS a")
    assert statement.refresh is not None
    assert statement.refresh.start == start
    assert statement.query == "SELECT 1 AS a"


@pytest.mark.parametrize(
    ("lag", "seconds"),
    [
        ("= '5 minutes'", 300),
        ("'1 hour'", 3600),
        ("= INTERVAL 2 HOUR", 7200),
        ("= 90 SECOND", 90),
        ("= '1 23:59:59.999' DAY TO SECOND", 172_799),
        ("= DOWNSTREAM", None),
        ("downstream", None),
    ],
)
def test_a_lag_may_be_spelt_in_many_ways_and_a_cluster_named_beside_it(
    lag: str, seconds: int | None
) -> None:
    made = create(f"CREATE DYNAMIC TABLE d TARGET_LAG {lag} REFRESH VCLUSTER gp AS SELECT 1")
    assert made.target_lag == TargetLag(seconds)
    assert made.refresh is not None
    assert made.refresh.vcluster == "GP"


def test_the_parts_of_a_refresh_clause_come_in_any_order() -> None:
    parts = ("START WITH '2030-01-01'", "INTERVAL 1 HOUR", "VCLUSTER v")
    clauses = {
        create(f"CREATE DYNAMIC TABLE d REFRESH {' '.join(order)} AS SELECT 1").refresh
        for order in itertools.permutations(parts)
    }
    assert len(clauses) == 1


def test_the_query_is_kept_as_typed_with_its_place() -> None:
    text = "CREATE DYNAMIC TABLE d\nAS  SELECT /* as */ 1 AS refresh -- end"
    statement = create(text)
    assert statement.query_span is not None
    assert text[statement.query_span.start :] == statement.query
    assert statement.query == "SELECT /* as */ 1 AS refresh -- end"


@pytest.mark.parametrize(
    "text",
    [
        "CREATE DYNAMIC TABLE d",
        "CREATE DYNAMIC TABLE d AS",
        "CREATE DYNAMIC TABLE d SELECT 1",
        "CREATE DYNAMIC TABLE AS SELECT 1",
        "CREATE DYNAMIC TABLE d () AS SELECT 1",
        "CREATE DYNAMIC TABLE d (a, A) AS SELECT 1, 2",
        "CREATE DYNAMIC TABLE d (a) PARTITIONED BY (b) AS SELECT 1",
        "CREATE DYNAMIC TABLE d REFRESH AS SELECT 1",
        "CREATE DYNAMIC TABLE d REFRESH_MODE = SOMETIMES AS SELECT 1",
        "CREATE DYNAMIC TABLE d TARGET_LAG AS SELECT 1",
        "CREATE DYNAMIC TABLE d TARGET_LAG = UPSTREAM AS SELECT 1",
        "CREATE DYNAMIC TABLE d TARGET_LAG = '59 seconds' AS SELECT 1",
        "CREATE DYNAMIC TABLE d TARGET_LAG = DOWNSTREAM REFRESH INTERVAL 1 HOUR AS SELECT 1",
        "CREATE DYNAMIC TABLE d REFRESH START WITH now() TARGET_LAG = '1 hour' AS SELECT 1",
        "CREATE DYNAMIC TABLE d INITIALIZE = NEVER AS SELECT 1",
        "CREATE OR REPLACE DYNAMIC TABLE IF NOT EXISTS d AS SELECT 1",
    ],
)
def test_half_a_statement_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        parse(text)


def test_a_table_may_be_called_dynamic() -> None:
    assert isinstance(parse("CREATE TABLE dynamic (a INT)"), CreateTable)
    assert isinstance(parse("ALTER TABLE dynamic SET COMMENT 'x'"), AlterTable)
    assert parse("DESC dynamic") == DescTable(parse("DROP TABLE dynamic").name)  # type: ignore[attr-defined]
    assert isinstance(parse("DROP TABLE dynamic"), DropTable)
