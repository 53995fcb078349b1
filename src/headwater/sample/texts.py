"""The statements that make the sample and let it grow. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC

from headwater.names import QualifiedName, quote_literal
from headwater.sample.events import Event

NAME = QualifiedName(
    "headwater_sample_data",
    "ecommerce_events_history",
    "ecommerce_events_multicategorystore_live",
)
NAME_OF_DOCUMENTS = QualifiedName("clickzetta_sample_data", NAME.schema, NAME.name)
"""What the documents call it, so that their statements run as they are written."""
CREATE_SCHEMA = f"CREATE SCHEMA IF NOT EXISTS {NAME.workspace}.{NAME.schema}"
CREATE_TABLE = (
    f"CREATE TABLE IF NOT EXISTS {NAME.full} ("
    "event_time TIMESTAMP, event_type STRING, product_id BIGINT, category_id BIGINT,"
    " category_code STRING, brand STRING, price DECIMAL(10, 2), user_id BIGINT,"
    " user_session STRING) COMMENT 'events of a shop, made up as time goes by'"
)
CREATE_SCHEMA_OF_DOCUMENTS = (
    f"CREATE SCHEMA IF NOT EXISTS {NAME_OF_DOCUMENTS.workspace}.{NAME_OF_DOCUMENTS.schema}"
)
_ALL = f"SELECT * FROM {NAME.full}"  # noqa: S608 - a name of our own
CREATE_VIEW = (
    f"CREATE VIEW IF NOT EXISTS {NAME_OF_DOCUMENTS.full}"
    " COMMENT 'the name that the documents have for the sample'"
    f" AS {_ALL}"
)
DROP_VIEW = f"DROP VIEW IF EXISTS {NAME_OF_DOCUMENTS.full}"
DROP_TABLE = f"DROP TABLE IF EXISTS {NAME.full}"


def insert_text(events: Iterable[Event]) -> str:
    """The INSERT of some events."""
    return f"INSERT INTO {NAME.full} VALUES\n" + ",\n".join(_row(event) for event in events)


def _row(event: Event) -> str:
    at = event.event_time.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
    values = (
        f"TIMESTAMP '{at}Z'",
        quote_literal(event.event_type),
        str(event.product_id),
        str(event.category_id),
        _text(event.category_code),
        _text(event.brand),
        str(event.price),
        str(event.user_id),
        quote_literal(event.user_session),
    )
    return f"({', '.join(values)})"


def _text(value: str | None) -> str:
    return "NULL" if value is None else quote_literal(value)
