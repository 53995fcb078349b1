"""SET key = value, SET key, SET, and RESET: settings of one session."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import quote_literal
from headwater.sql.cursor import Cursor

TIME_ZONE_KEY = "spark.sql.session.timeZone"


@dataclass(frozen=True, slots=True)
class Set:
    """SET key = value."""

    key: str
    value: str

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SET {self.key} = {quote_literal(self.value)}"


@dataclass(frozen=True, slots=True)
class ShowSettings:
    """SET (all settings of the session) or SET key (one of them)."""

    key: str | None = None

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return "SET" if self.key is None else f"SET {self.key}"


@dataclass(frozen=True, slots=True)
class Reset:
    """RESET key, or RESET for all."""

    key: str | None = None

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return "RESET" if self.key is None else f"RESET {self.key}"


def _key(cursor: Cursor) -> str:
    parts = [cursor.name("a setting")]
    while cursor.at_symbol(".") or cursor.at_symbol("-"):
        parts.append(cursor.advance().text)
        if cursor.token.kind == "number":
            parts.append(cursor.advance().text)
        else:
            parts.append(cursor.name("the rest of the setting's name"))
    return "".join(parts)


def parse_set(cursor: Cursor) -> Set | ShowSettings | Reset:
    """Read the statement; the cursor stands before SET. The value may be unquoted."""
    cursor.expect("SET")
    if cursor.at_end:
        return ShowSettings()
    if cursor.accept("TIME", "ZONE"):
        return _time_zone(cursor)
    key = _key(cursor)
    if cursor.at_end:
        return ShowSettings(key)
    cursor.expect_symbol("=")
    if cursor.token.kind == "string" and cursor.peek(1).kind == "end":
        return Set(key, cursor.advance().value)
    if cursor.at_end:
        cursor.fail_expected("a value")
    return Set(key, cursor.rest()[0])


def _time_zone(cursor: Cursor) -> Set | Reset:
    """SET TIME ZONE 'name' | LOCAL."""
    if cursor.accept("LOCAL"):
        statement: Set | Reset = Reset(TIME_ZONE_KEY)
    else:
        statement = Set(TIME_ZONE_KEY, cursor.string("a time zone in quotes, or LOCAL"))
    cursor.expect_end()
    return statement


def parse_reset(cursor: Cursor) -> Reset:
    """Read the statement; the cursor stands before RESET."""
    cursor.expect("RESET")
    key = None if cursor.at_end else _key(cursor)
    cursor.expect_end()
    return Reset(key)
