"""CREATE EXTERNAL TABLE .. USING KAFKA: its columns and options, and every mistake."""

from __future__ import annotations

import itertools

import pytest

from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.sql.create_kafka_table import CreateKafkaTable, KafkaTableOptions
from headwater.sql.create_table import ColumnDefinition
from headwater.sql.parse import parse
from headwater.sql.targets import written_table

COLUMNS = "(key BINARY, value BINARY NOT NULL)"
OPTIONS = "OPTIONS('group_id' = 'g', 'topics' = 'orders')"
TABLE = f"CREATE EXTERNAL TABLE t {COLUMNS}"
KEY = ColumnDefinition("key", "BINARY")
VALUE = ColumnDefinition("value", "BINARY", nullable=False)


def refused(text: str) -> tuple[UserError, str]:
    with pytest.raises(UserError) as raised:
        parse(text)
    span = raised.value.span
    assert span is not None
    return raised.value, text[span.start : span.end]


def test_the_smallest_table_has_the_defaults() -> None:
    statement = parse(f"{TABLE} USING KAFKA {OPTIONS} CONNECTION c")
    assert statement == CreateKafkaTable(
        ObjectName("t"),
        (KEY, VALUE),
        KafkaTableOptions(("orders",), "g", "earliest", "latest", 2000, 1, 2000),
        ObjectName("c"),
    )
    assert written_table(statement) is None


def test_the_table_of_the_documents() -> None:
    statement = parse(
        "CREATE EXTERNAL TABLE IF NOT EXISTS w.s.t ( topic string, partition int, `offset` bigint,"
        " `timestamp` timestamp_ltz, timestamp_type string, headers map<string,string>,"
        " key binary, value binary COMMENT 'x') USING kafka OPTIONS('group_id'='g',"
        " 'topics'='a,b', 'starting_offset'='{\"a\": {\"0\": 1}}', 'ending_offset'='latest',"
        " 'cz.kafka.seek.timeout.ms'='3000', 'cz.kafka.request.retry.times'='2',"
        " 'CZ.KAFKA.request.retry.intervalms'='4000') CONNECTION w.c COMMENT 'y'"
    )
    assert isinstance(statement, CreateKafkaTable)
    assert [column.type for column in statement.columns] == [
        "STRING",
        "INT",
        "BIGINT",
        "TIMESTAMP",
        "STRING",
        "MAP<STRING, STRING>",
        "BINARY",
        "BINARY",
    ]
    assert statement.options == KafkaTableOptions(
        ("a", "b"), "g", '{"a": {"0": 1}}', "latest", 3000, 2, 4000
    )
    assert statement.connection == ObjectName("c", workspace="w")
    assert (statement.comment, statement.if_not_exists) == ("y", True)


def test_clauses_come_in_any_order() -> None:
    clauses = ["USING KAFKA", OPTIONS, "CONNECTION c", "COMMENT = 'x'"]
    expected = parse(f"{TABLE} {' '.join(clauses)}")
    for order in itertools.permutations(clauses):
        assert parse(f"{TABLE} {' '.join(order)}") == expected


@pytest.mark.parametrize(
    ("text", "condition", "place"),
    [
        (
            f"CREATE EXTERNAL TABLE t USING KAFKA {OPTIONS} CONNECTION c",
            "KAFKA_COLUMNS_MISSING",
            "USING",
        ),
        (
            f"CREATE EXTERNAL TABLE t (id INT) USING KAFKA {OPTIONS} CONNECTION c",
            "KAFKA_COLUMN",
            "id",
        ),
        (
            f"CREATE EXTERNAL TABLE t (key STRING) USING KAFKA {OPTIONS} CONNECTION c",
            "KAFKA_COLUMN",
            "key STRING",
        ),
        (
            "CREATE EXTERNAL TABLE t (headers MAP<STRING, INT>) USING KAFKA",
            "KAFKA_COLUMN",
            "headers MAP<STRING, INT>",
        ),
        (
            "CREATE EXTERNAL TABLE t (partition INT DEFAULT 1) USING KAFKA",
            "KAFKA_COLUMN",
            "partition INT DEFAULT 1",
        ),
        ("CREATE EXTERNAL TABLE t (key BINARY, KEY BINARY) USING KAFKA", "SYNTAX_ERROR", "("),
        (f"{TABLE} USING KAFKA CONNECTION c", "KAFKA_TABLE_CLAUSE_MISSING", ""),
        (f"{TABLE} USING KAFKA {OPTIONS}", "KAFKA_TABLE_CLAUSE_MISSING", ""),
        (
            f"{TABLE} USING KAFKA OPTIONS('group_id' = 'g') CONNECTION c",
            "KAFKA_TABLE_CLAUSE_MISSING",
            "(",
        ),
        (f"{TABLE} USING KAFKA OPTIONS('topic' = 'a') CONNECTION c", "OPTION_UNKNOWN", "'topic'"),
        (f"{TABLE} USING KAFKA OPTIONS('topics' = '') CONNECTION c", "OPTION_VALUE", "''"),
        (
            f"{TABLE} USING KAFKA OPTIONS('topics' = 'a', 'starting_offset' = '') CONNECTION c",
            "OPTION_VALUE",
            "''",
        ),
        (
            f"{TABLE} USING KAFKA OPTIONS('cz.kafka.seek.timeout.ms' = '-1') CONNECTION c",
            "OPTION_VALUE",
            "'-1'",
        ),
        (f"{TABLE} USING KAFKA {OPTIONS} USING KAFKA", "SYNTAX_ERROR", "USING"),
        (f"{TABLE} USING KAFKA LOCATION 'x'", "SYNTAX_ERROR", "LOCATION"),
        (f"{TABLE} USING DELTA LOCATION 'x'", "EXTERNAL_TABLE_FORMAT", "DELTA"),
        (f"{TABLE} LOCATION 'x'", "EXTERNAL_TABLE_FORMAT", "LOCATION"),
        ("CREATE EXTERNAL TABLE t (id INT)", "EXTERNAL_TABLE_FORMAT", ""),
        (f"CREATE OR REPLACE EXTERNAL TABLE t {COLUMNS}", "EXTERNAL_TABLE_REPLACED", "OR"),
    ],
)
def test_mistakes_are_pointed_at(text: str, condition: str, place: str) -> None:
    error, pointed = refused(text)
    assert (error.condition, pointed) == (condition, place)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (f"{TABLE} USING KAFKA OPTIONS('topic' = 'a') CONNECTION c", "did you mean topics?"),
        ("CREATE EXTERNAL TABLE t (vlaue BINARY) USING KAFKA", "did you mean value?"),
        ("CREATE EXTERNAL TABLE t (id INT) USING KAFKA", "its columns are topic STRING, partition"),
        ("CREATE EXTERNAL TABLE t USING KAFKA", "(key BINARY, value BINARY)"),
        ("CREATE EXTERNAL TABLE t USING CSV", "CREATE EXTERNAL VOLUME"),
    ],
)
def test_the_hint_is_the_next_thing_to_type(text: str, hint: str) -> None:
    assert hint in (refused(text)[0].hint or "")
