"""REFRESH, EXPLAIN, VERIFY, ALTER, DROP and SHOW .. REFRESH HISTORY of dynamic tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from headwater.errors import NotSupported, Span, UserError
from headwater.names import ObjectName, did_you_mean
from headwater.sql.alter_table import (
    Action,
    ChangeColumn,
    RenameColumn,
    RenameTo,
    SetComment,
    SetProperties,
    UnsetProperties,
    parse_action,
)
from headwater.sql.create_dynamic_table import CreateDynamicTable, parse_create_dynamic_table
from headwater.sql.cursor import Cursor
from headwater.sql.refresh_clause import (
    RefreshClause,
    parse_refresh_interval,
    parse_refresh_mode,
    parse_vcluster,
)
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter

MOST_REFRESHES = 10_000
"""The highest LIMIT of SHOW DYNAMIC TABLE REFRESH HISTORY."""
_FILTER_WORDS = ("LIKE", "WHERE", "LIMIT")
_ALTERS = ("SUSPEND", "RESUME", "RENAME", "CHANGE", "ALTER", "SET", "UNSET")


@dataclass(frozen=True, slots=True)
class RefreshDynamicTable:
    """REFRESH DYNAMIC TABLE d."""

    name: ObjectName

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"REFRESH DYNAMIC TABLE {self.name}"


@dataclass(frozen=True, slots=True)
class ExplainRefresh:
    """EXPLAIN REFRESH DYNAMIC TABLE d [FORMAT JSON]: what a refresh would do now."""

    name: ObjectName
    json: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"EXPLAIN REFRESH DYNAMIC TABLE {self.name}{' FORMAT JSON' if self.json else ''}"


@dataclass(frozen=True, slots=True)
class ExplainCreate:
    """EXPLAIN [FORMAT JSON] CREATE DYNAMIC TABLE ..: how the query would be refreshed."""

    create: CreateDynamicTable
    json: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"EXPLAIN {'FORMAT JSON ' if self.json else ''}{self.create.to_sql()}"


@dataclass(frozen=True, slots=True)
class VerifyDynamicTable:
    """VERIFY DYNAMIC TABLE d: compare its rows with those of its query."""

    name: ObjectName

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"VERIFY DYNAMIC TABLE {self.name}"


@dataclass(frozen=True, slots=True)
class DropDynamicTable:
    """DROP DYNAMIC TABLE [IF EXISTS] d; UNDROP TABLE brings it back."""

    name: ObjectName
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DROP DYNAMIC TABLE {'IF EXISTS ' if self.if_exists else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class ShowRefreshHistory:
    """SHOW DYNAMIC TABLE REFRESH HISTORY [d] [LIKE|WHERE] [LIMIT n], newest first."""

    name: ObjectName | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        table = f" {self.name}" if self.name is not None else ""
        return f"SHOW DYNAMIC TABLE REFRESH HISTORY{table}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class Suspend:
    """SUSPEND, or RESUME: whether the schedule is kept."""

    suspended: bool = True

    def to_sql(self) -> str:
        """As it stands behind the name."""
        return "SUSPEND" if self.suspended else "RESUME"


@dataclass(frozen=True, slots=True)
class SetRefresh:
    """SET REFRESH [INTERVAL <interval>] [VCLUSTER <name>]: another schedule."""

    clause: RefreshClause

    def to_sql(self) -> str:
        """As it stands behind the name."""
        return f"SET {self.clause.to_sql()}"


@dataclass(frozen=True, slots=True)
class SetMode:
    """SET REFRESH_MODE = <mode>."""

    mode: str

    def to_sql(self) -> str:
        """As it stands behind the name."""
        return f"SET REFRESH_MODE = {self.mode}"


TableAction: TypeAlias = SetComment | SetProperties | UnsetProperties | RenameTo | ChangeColumn
"""What may be done to the table below, as ALTER TABLE does it."""
DynamicAction: TypeAlias = Suspend | SetRefresh | SetMode | TableAction


@dataclass(frozen=True, slots=True)
class AlterDynamicTable:
    """ALTER DYNAMIC TABLE [IF EXISTS] d <action>."""

    name: ObjectName
    action: DynamicAction
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        guard = "IF EXISTS " if self.if_exists else ""
        return f"ALTER DYNAMIC TABLE {guard}{self.name} {self.action.to_sql()}"


def parse_refresh_dynamic_table(cursor: Cursor) -> RefreshDynamicTable:
    """Read the statement; the cursor stands before REFRESH."""
    cursor.expect("REFRESH", "DYNAMIC", "TABLE")
    name = cursor.object_name("the dynamic table's name")
    if cursor.at("PARTITION"):
        raise NotSupported("REFRESH_PARTITION", table=name, span=cursor.token.span)
    cursor.expect_end()
    return RefreshDynamicTable(name)


def parse_explain_refresh(cursor: Cursor) -> ExplainRefresh:
    """Read the statement; the cursor stands before EXPLAIN. FORMAT JSON may stand at both ends."""
    cursor.expect("EXPLAIN")
    json = cursor.accept("FORMAT", "JSON")
    cursor.expect("REFRESH", "DYNAMIC", "TABLE")
    name = cursor.object_name("the dynamic table's name")
    json = cursor.accept("FORMAT", "JSON") or json
    cursor.expect_end()
    return ExplainRefresh(name, json)


def parse_explain_create(cursor: Cursor) -> ExplainCreate:
    """Read the statement; the cursor stands before EXPLAIN."""
    cursor.expect("EXPLAIN")
    json = cursor.accept("FORMAT", "JSON")
    return ExplainCreate(parse_create_dynamic_table(cursor), json)


def parse_verify_dynamic_table(cursor: Cursor) -> VerifyDynamicTable:
    """Read the statement; the cursor stands before VERIFY."""
    cursor.expect("VERIFY", "DYNAMIC", "TABLE")
    name = cursor.object_name("the dynamic table's name")
    cursor.expect_end()
    return VerifyDynamicTable(name)


def parse_drop_dynamic_table(cursor: Cursor) -> DropDynamicTable:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP", "DYNAMIC", "TABLE")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name("the dynamic table's name")
    cursor.expect_end()
    return DropDynamicTable(name, if_exists)


def parse_show_refresh_history(cursor: Cursor) -> ShowRefreshHistory:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "DYNAMIC", "TABLE", "REFRESH", "HISTORY")
    name = None
    if cursor.token.is_name and cursor.token.upper not in _FILTER_WORDS:
        name = cursor.object_name("the dynamic table's name")
    start = cursor.position
    tail = parse_show_filter(cursor)
    if tail.limit is not None and not 1 <= tail.limit <= MOST_REFRESHES:
        limit = next(t for t in reversed(cursor.tokens[start:]) if t.kind == "number")
        problem = f"LIMIT goes from 1 to {MOST_REFRESHES}"
        raise UserError("SYNTAX_ERROR", problem=problem, span=limit.span)
    return ShowRefreshHistory(name, tail)


def parse_alter_dynamic_table(cursor: Cursor) -> AlterDynamicTable:
    """Read the statement; the cursor stands before ALTER."""
    cursor.expect("ALTER", "DYNAMIC", "TABLE")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name("the dynamic table's name")
    action = _action(cursor, name)
    cursor.expect_end()
    return AlterDynamicTable(name, action, if_exists)


def _action(cursor: Cursor, name: ObjectName) -> DynamicAction:
    if cursor.accept("SUSPEND"):
        return Suspend()
    if cursor.accept("RESUME"):
        return Suspend(suspended=False)
    if cursor.accept("SET", "REFRESH_MODE"):
        return SetMode(parse_refresh_mode(cursor))
    if cursor.accept("SET", "REFRESH"):
        return SetRefresh(_schedule(cursor))
    if cursor.token.upper not in (*_ALTERS, "ADD", "DROP", "CLUSTER"):
        hint = did_you_mean(cursor.token.text, _ALTERS)
        cursor.fail_expected(" or ".join(_ALTERS), hint=hint)
    span = cursor.token.span
    return table_action(parse_action(cursor), name, span=span)


def _schedule(cursor: Cursor) -> RefreshClause:
    seconds = parse_refresh_interval(cursor) if cursor.at("INTERVAL") else None
    vcluster = parse_vcluster(cursor) if cursor.accept("VCLUSTER") else None
    if seconds is None and vcluster is None:
        cursor.fail_expected("INTERVAL or VCLUSTER")
    return RefreshClause(interval_seconds=seconds, vcluster=vcluster)


def table_action(action: Action, name: object, *, span: Span | None) -> TableAction:
    """An action of ALTER TABLE that leaves the columns alone, or an error."""
    match action:
        case SetComment() | SetProperties() | UnsetProperties() | RenameTo():
            return action
        case ChangeColumn() if action.comment is not None:
            return action
        case RenameColumn():
            hint = f"CREATE OR REPLACE DYNAMIC TABLE {name} AS SELECT {action.column[-1]} AS .."
            raise NotSupported("DYNAMIC_TABLE_COLUMNS", table=name, span=span, hint=hint)
    raise NotSupported("DYNAMIC_TABLE_COLUMNS", table=name, span=span)
