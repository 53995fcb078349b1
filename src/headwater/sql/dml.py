"""INSERT, UPDATE, DELETE and MERGE: Spark runs them as typed, we only read what they write."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.names import ObjectName
from headwater.sql.cursor import Cursor


@dataclass(frozen=True, slots=True)
class Insert:
    """INSERT INTO | OVERWRITE t .."""

    target: ObjectName
    text: str
    overwrite: bool = False

    def to_sql(self) -> str:
        """The statement as typed."""
        return self.text


@dataclass(frozen=True, slots=True)
class Update:
    """UPDATE t SET .."""

    target: ObjectName
    text: str

    def to_sql(self) -> str:
        """The statement as typed."""
        return self.text


@dataclass(frozen=True, slots=True)
class Delete:
    """DELETE FROM t .."""

    target: ObjectName
    text: str

    def to_sql(self) -> str:
        """The statement as typed."""
        return self.text


@dataclass(frozen=True, slots=True)
class Merge:
    """MERGE INTO t USING .."""

    target: ObjectName
    text: str

    def to_sql(self) -> str:
        """The statement as typed."""
        return self.text


def parse_insert(cursor: Cursor) -> Insert:
    """Read the statement as far as its target; the cursor stands before INSERT."""
    cursor.expect("INSERT")
    overwrite = cursor.one_of(("INTO", "OVERWRITE")) == "OVERWRITE"
    if overwrite:
        cursor.accept("INTO")
    if cursor.at("TABLE") and cursor.peek(1).is_name:
        cursor.advance()
    target = cursor.object_name("the table's name")
    if cursor.at_end:
        cursor.fail_expected("VALUES or a query")
    return Insert(target, cursor.text, overwrite)


def parse_update(cursor: Cursor) -> Update:
    """Read the statement as far as its target; the cursor stands before UPDATE."""
    cursor.expect("UPDATE")
    if cursor.at("SET"):
        cursor.fail_expected("the table's name")
    target = cursor.object_name("the table's name")
    if cursor.at_end:
        cursor.fail_expected("SET")
    _require_condition(cursor)
    return Update(target, cursor.text)


def parse_delete(cursor: Cursor) -> Delete:
    """Read the statement as far as its target; the cursor stands before DELETE."""
    cursor.expect("DELETE", "FROM")
    target = cursor.object_name("the table's name")
    _require_condition(cursor)
    return Delete(target, cursor.text)


def _require_condition(cursor: Cursor) -> None:
    """A WHERE at the very end would be an alias to Spark, and all rows would be meant."""
    last = cursor.tokens[-2]
    if last.upper == "WHERE":
        cursor.position = len(cursor.tokens) - 1
        cursor.fail_expected("a condition")


def parse_merge(cursor: Cursor) -> Merge:
    """Read the statement as far as its target; the cursor stands before MERGE."""
    cursor.expect("MERGE")
    if cursor.at("WITH"):
        cursor.expect("WITH", "SCHEMA", "EVOLUTION")
    cursor.expect("INTO")
    target = cursor.object_name("the table's name")
    if cursor.at_end:
        cursor.fail_expected("USING")
    return Merge(target, cursor.text)
