"""A Kafka external table inside a query: the columns it declares, over its messages."""

from __future__ import annotations

from headwater.catalog.objects import Table
from headwater.names import quote_identifier

_TEXTS = "map<string,string>"


def declared_columns(table: Table, view: str) -> str:
    """A sub-query over `view`, which has all columns of READ_KAFKA."""
    columns = kafka_columns(table)
    return f"(SELECT {columns} FROM {quote_identifier(view)})"  # noqa: S608 - names are quoted


def kafka_columns(table: Table) -> str:
    """What to select from all columns of READ_KAFKA to have those of the table."""
    return ", ".join(_column(c.name, c.type) for c in table.shape.columns)


def _column(name: str, kind: str) -> str:
    quoted = quote_identifier(name)
    if kind.replace(" ", "").lower() == _TEXTS:
        return f"transform_values({quoted}, (k, v) -> CAST(v AS STRING)) AS {quoted}"
    return quoted
