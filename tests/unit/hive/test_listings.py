"""What tools ask of the catalog, in the columns of JDBC."""

from __future__ import annotations

import pytest

from headwater.hive.listings import columns, pattern, schemas, table_types, tables
from headwater.result import Column, Result, string_columns

FLAGS = tuple(
    Column(name, "boolean")
    for name in ("is_view", "is_materialized_view", "is_external", "is_dynamic")
)
ANSWERS = {
    "SHOW SCHEMAS": Result.from_rows(string_columns("schema_name"), [("sales",), ("public",)]),
    "SHOW TABLES IN `public`": Result.from_rows(
        (*string_columns("schema_name", "table_name"), *FLAGS),
        [
            ("public", "t", False, False, False, False),
            ("public", "d", False, False, False, True),
            ("public", "v", True, False, False, False),
            ("public", "m", False, True, False, False),
        ],
    ),
    "SHOW TABLES IN `sales`": Result.from_rows(
        (*string_columns("schema_name", "table_name"), *FLAGS), []
    ),
    "SHOW COLUMNS IN `public`.`t`": Result.from_rows(
        string_columns("schema_name", "table_name", "column_name", "data_type", "comment"),
        [
            ("public", "t", "id", "bigint", "the key"),
            ("public", "t", "price", "decimal(10,2)", None),
            ("public", "t", "tags", "array<string>", None),
        ],
    ),
}


def run(text: str) -> Result:
    return ANSWERS[text]


def test_schemas():
    assert schemas(run, None).rows == [("public", ""), ("sales", "")]
    assert schemas(run, "sa%").rows == [("sales", "")]


def test_tables_are_tables_or_views():
    found = {row[2]: row[3] for row in tables(run, "%", None, None)}
    assert found == {"t": "TABLE", "d": "TABLE", "v": "VIEW", "m": "MATERIALIZED VIEW"}
    assert [row[2] for row in tables(run, "public", "_", ["VIEW"])] == ["v"]
    assert {row[0] for row in table_types()} == set(found.values())


def test_columns_have_numbers_of_jdbc_and_sizes():
    rows = columns(run, "public", "t", None).to_dicts()
    shown = [
        (r["COLUMN_NAME"], r["DATA_TYPE"], r["COLUMN_SIZE"], r["DECIMAL_DIGITS"]) for r in rows
    ]
    assert shown == [("id", -5, None, None), ("price", 3, 10, 2), ("tags", 1111, None, None)]
    assert [row["ORDINAL_POSITION"] for row in rows] == [1, 2, 3]
    assert rows[0]["REMARKS"] == "the key"
    assert [row["COLUMN_NAME"] for row in columns(run, None, "t", "p%").to_dicts()] == ["price"]


@pytest.mark.parametrize(
    ("text", "name", "fits"),
    [
        (None, "anything", True),
        ("", "anything", True),
        ("a%", "abc", True),
        ("a_c", "abc", True),
        ("a\\_c", "abc", False),
        ("a\\_c", "a_c", True),
        ("a.c", "abc", False),
    ],
)
def test_patterns_are_those_of_jdbc(text, name, fits):
    assert bool(pattern(text).fullmatch(name)) is fits
