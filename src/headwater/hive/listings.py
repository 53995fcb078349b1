"""What tools ask of the catalog: schemas, tables, columns, in the columns that JDBC fixes.

Everything comes from statements of the client's own session, so it sees what it may see; none of
them needs Spark.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from headwater.hive.columns import type_name
from headwater.names import quote_identifier
from headwater.result import Column, Result, Row, string_columns

Run = Callable[[str], Result]

_TABLE_TYPES = ("TABLE", "VIEW", "MATERIALIZED VIEW")
_TABLES = string_columns("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE", "REMARKS")
_SCHEMAS = string_columns("TABLE_SCHEM", "TABLE_CATALOG")
_COLUMNS = (
    *string_columns("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME"),
    Column("DATA_TYPE", "int"),
    Column("TYPE_NAME", "string"),
    Column("COLUMN_SIZE", "int"),
    Column("BUFFER_LENGTH", "int"),
    Column("DECIMAL_DIGITS", "int"),
    Column("NUM_PREC_RADIX", "int"),
    Column("NULLABLE", "int"),
    *string_columns("REMARKS", "COLUMN_DEF"),
    Column("SQL_DATA_TYPE", "int"),
    Column("SQL_DATETIME_SUB", "int"),
    Column("CHAR_OCTET_LENGTH", "int"),
    Column("ORDINAL_POSITION", "int"),
    Column("IS_NULLABLE", "string"),
)
# The numbers of java.sql.Types.
_JDBC = {
    "boolean": 16,
    "tinyint": -6,
    "smallint": 5,
    "int": 4,
    "bigint": -5,
    "float": 6,
    "double": 8,
    "decimal": 3,
    "string": 12,
    "varchar": 12,
    "char": 1,
    "date": 91,
    "timestamp": 93,
    "timestamp_ntz": 93,
    "binary": -2,
}
_OTHER = 1111
_NUMBERS = re.compile(r"\((\d+)(?:,\s*(\d+))?\)")


def pattern(text: str | None) -> re.Pattern[str]:
    """JDBC's patterns: % is any text, _ one character, a backslash takes their meaning away.

    >>> bool(pattern("a\\\\_%").fullmatch("A_b")), bool(pattern("a\\\\_%").fullmatch("axb"))
    (True, False)
    """
    parts, escaped = [], False
    for sign in text if text else "%":
        if escaped or sign not in "%_\\":
            parts.append(re.escape(sign))
            escaped = False
        elif sign == "\\":
            escaped = True
        else:
            parts.append(".*" if sign == "%" else ".")
    return re.compile("".join(parts), re.IGNORECASE | re.DOTALL)


def schemas(run: Run, schema: str | None) -> Result:
    """GetSchemas."""
    return Result.from_rows(_SCHEMAS, [(name, "") for name in _schemas(run, schema)])


def _schemas(run: Run, schema: str | None) -> list[str]:
    wanted = pattern(schema)
    return sorted(row[0] for row in run("SHOW SCHEMAS").rows if wanted.fullmatch(row[0]))


def tables(run: Run, schema: str | None, table: str | None, types: list[str] | None) -> Result:
    """GetTables."""
    found = [("", where, name, kind, "") for where, name, kind in _tables(run, schema, table)]
    return Result.from_rows(_TABLES, [row for row in found if not types or row[3] in types])


def _tables(run: Run, schema: str | None, table: str | None) -> list[tuple[str, str, str]]:
    wanted, found = pattern(table), list[tuple[str, str, str]]()
    for where in _schemas(run, schema):
        for row in run(f"SHOW TABLES IN {quote_identifier(where)}").to_dicts():
            if wanted.fullmatch(row["table_name"]):
                found.append((where, row["table_name"], _table_type(row)))
    return sorted(found)


def _table_type(row: dict[str, Any]) -> str:
    """Tools know tables and views; a dynamic table is read like any other."""
    if row["is_materialized_view"]:
        return "MATERIALIZED VIEW"
    return "VIEW" if row["is_view"] else "TABLE"


def table_types() -> Result:
    """GetTableTypes."""
    return Result.from_rows(string_columns("TABLE_TYPE"), [(name,) for name in _TABLE_TYPES])


def columns(run: Run, schema: str | None, table: str | None, column: str | None) -> Result:
    """GetColumns."""
    wanted, rows = pattern(column), list[Row]()
    for where, name, _ in _tables(run, schema, table):
        shown = run(
            f"SHOW COLUMNS IN {quote_identifier(where)}.{quote_identifier(name)}"
        ).to_dicts()
        rows += [
            _column_row((where, name, own["column_name"]), own, place)
            for place, own in enumerate(shown, start=1)
            if wanted.fullmatch(own["column_name"])
        ]
    return Result.from_rows(_COLUMNS, rows)


def _column_row(names: tuple[str, str, str], own: dict[str, Any], place: int) -> Row:
    kind = own["data_type"]
    word, numbers = type_name(kind), _NUMBERS.search(kind)
    size = int(numbers.group(1)) if numbers else None
    digits = int(numbers.group(2) or 0) if numbers and word == "decimal" else None
    known = _JDBC.get(word, _OTHER)
    return (
        *("", *names, known, kind.upper(), size, None, digits, 10 if digits is not None else None),
        *(1, own["comment"] or "", None, None, None, None, place, "YES"),
    )


def catalogs() -> Result:
    """GetCatalogs: there is none above schemas."""
    return Result.from_rows(string_columns("TABLE_CAT"), [])


def functions() -> Result:
    """GetFunctions: tools get along without them."""
    names = ("FUNCTION_CAT", "FUNCTION_SCHEM", "FUNCTION_NAME", "REMARKS")
    kinds = (Column("FUNCTION_TYPE", "int"), Column("SPECIFIC_NAME", "string"))
    return Result.from_rows((*string_columns(*names), *kinds), [])


def types() -> Result:
    """GetTypeInfo: the names of types with their numbers in JDBC."""
    shape = (Column("TYPE_NAME", "string"), Column("DATA_TYPE", "int"))
    return Result.from_rows(shape, [(name.upper(), number) for name, number in _JDBC.items()])
