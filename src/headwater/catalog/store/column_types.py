"""Column types that read the same on every database.

Invariant: what is written is what is read, to the microsecond, on SQLite and on PostgreSQL.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Dialect, Text
from sqlalchemy.types import TypeDecorator

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Instant(TypeDecorator[datetime]):
    """An aware datetime, kept as microseconds since 1970 in UTC."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else microseconds_of(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        return None if value is None else instant_of(value)


def microseconds_of(value: datetime) -> int:
    """An aware datetime as the catalog keeps it."""
    if value.tzinfo is None:
        raise ValueError("a time in the catalog must have a time zone")
    return (value - _EPOCH) // _MICROSECOND


def instant_of(microseconds: int) -> datetime:
    """What `microseconds_of` was given."""
    return _EPOCH + microseconds * _MICROSECOND


class JsonText(TypeDecorator[Any]):
    """A JSON value, kept as text.

    ASCII only: PostgreSQL refuses a NUL character and no database takes half of a surrogate pair,
    but both survive as escapes.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any | None, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(value, separators=(",", ":"))

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Any | None:
        return None if value is None else json.loads(value)


class LooseText(TypeDecorator[str]):
    """Text from outside, such as a statement: what no database can hold becomes U+FFFD.

    A job's record must never be lost because of a stray character in its text.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        storable = value.replace("\0", "\N{REPLACEMENT CHARACTER}")
        if storable.isascii():
            return storable
        return "".join(
            "\N{REPLACEMENT CHARACTER}" if "\ud800" <= c <= "\udfff" else c for c in storable
        )

    def process_result_value(self, value: Any | None, dialect: Dialect) -> str | None:
        return value
