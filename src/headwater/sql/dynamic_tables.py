"""REFRESH, EXPLAIN, VERIFY, ALTER, DROP and SHOW .. REFRESH HISTORY of dynamic tables.

Each of them is also one of materialized views, under the words of its `kind`.
"""

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
from headwater.sql.create_materialized_view import parse_create_materialized_view
from headwater.sql.cursor import Cursor
from headwater.sql.partition_spec import PartitionSpec, parse_partition_spec
from headwater.sql.refresh_clause import RefreshClause, parse_refresh_clause, parse_refresh_mode
from headwater.sql.refreshed_kinds import RefreshedKind, parse_kind
from headwater.sql.show import parse_scope, parse_workspace_scope, scope_to_sql
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter
from headwater.sql.target_lag import TargetLag, parse_target_lag

MOST_REFRESHES = 10_000
"""The highest LIMIT of SHOW DYNAMIC TABLE REFRESH HISTORY."""
_FILTER_WORDS = ("LIKE", "WHERE", "LIMIT")
_ALTERS = ("SUSPEND", "RESUME", "RENAME", "CHANGE", "ALTER", "SET", "UNSET")
_DYNAMIC = RefreshedKind.DYNAMIC_TABLE


@dataclass(frozen=True, slots=True)
class RefreshDynamicTable:
    """REFRESH DYNAMIC TABLE d [PARTITION (p = v, ..)]."""

    name: ObjectName
    partition: PartitionSpec | None = None
    kind: RefreshedKind = _DYNAMIC

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"REFRESH {self.kind} {self.name}{_clause(self.partition)}"


@dataclass(frozen=True, slots=True)
class ExplainRefresh:
    """EXPLAIN REFRESH DYNAMIC TABLE d [PARTITION (..)] [FORMAT JSON]: what it would do now."""

    name: ObjectName
    json: bool = False
    partition: PartitionSpec | None = None
    kind: RefreshedKind = _DYNAMIC

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        tail = f"{_clause(self.partition)}{' FORMAT JSON' if self.json else ''}"
        return f"EXPLAIN REFRESH {self.kind} {self.name}{tail}"


@dataclass(frozen=True, slots=True)
class ExplainCreate:
    """EXPLAIN [FORMAT JSON] CREATE DYNAMIC TABLE | MATERIALIZED VIEW ..: how it is refreshed."""

    create: CreateDynamicTable
    json: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"EXPLAIN {'FORMAT JSON ' if self.json else ''}{self.create.to_sql()}"


@dataclass(frozen=True, slots=True)
class VerifyDynamicTable:
    """VERIFY DYNAMIC TABLE d: compare its rows with those of its query."""

    name: ObjectName
    kind: RefreshedKind = _DYNAMIC

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"VERIFY {self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class DropDynamicTable:
    """DROP DYNAMIC TABLE [IF EXISTS] d [CASCADE]; UNDROP TABLE brings it back."""

    name: ObjectName
    if_exists: bool = False
    cascade: bool = False
    kind: RefreshedKind = _DYNAMIC

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        text = f"DROP {self.kind} {'IF EXISTS ' if self.if_exists else ''}{self.name}"
        return text + (" CASCADE" if self.cascade else "")


@dataclass(frozen=True, slots=True)
class ShowDynamicTables:
    """SHOW DYNAMIC TABLES | MATERIALIZED VIEWS [IN schema | IN WORKSPACE w] [LIKE|WHERE] [LIMIT n].

    At most one scope.
    """

    schema: ObjectName | None = None
    filter: ShowFilter = NO_FILTER
    kind: RefreshedKind = _DYNAMIC
    workspace: ObjectName | None = None

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        scope = scope_to_sql(self.schema)
        if self.workspace is not None:
            scope = f" IN WORKSPACE {self.workspace}"
        return f"SHOW {self.kind}S{scope}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class ShowRefreshHistory:
    """SHOW DYNAMIC TABLE REFRESH HISTORY [d] [LIKE|WHERE] [LIMIT n], newest first."""

    name: ObjectName | None = None
    filter: ShowFilter = NO_FILTER
    kind: RefreshedKind = _DYNAMIC

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        table = f" {self.name}" if self.name is not None else ""
        return f"SHOW {self.kind} REFRESH HISTORY{table}{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class Suspend:
    """SUSPEND, or RESUME: whether the schedule is kept."""

    suspended: bool = True

    def to_sql(self) -> str:
        """As it stands behind the name."""
        return "SUSPEND" if self.suspended else "RESUME"


@dataclass(frozen=True, slots=True)
class SetRefresh:
    """SET REFRESH [START WITH ..] [INTERVAL ..] [VCLUSTER ..]: another schedule."""

    clause: RefreshClause

    def to_sql(self) -> str:
        """As it stands behind the name."""
        return f"SET {self.clause.to_sql()}"


@dataclass(frozen=True, slots=True)
class SetTargetLag:
    """SET TARGET_LAG = <lag>, in place of the schedule there was."""

    lag: TargetLag

    def to_sql(self) -> str:
        """As it stands behind the name."""
        return f"SET {self.lag.to_sql()}"


@dataclass(frozen=True, slots=True)
class UnsetSchedule:
    """UNSET REFRESH, or UNSET TARGET_LAG: from now on refreshed by hand alone."""

    clause: str

    def to_sql(self) -> str:
        """As it stands behind the name."""
        return f"UNSET {self.clause}"


@dataclass(frozen=True, slots=True)
class SetMode:
    """SET REFRESH_MODE = <mode>."""

    mode: str

    def to_sql(self) -> str:
        """As it stands behind the name."""
        return f"SET REFRESH_MODE = {self.mode}"


@dataclass(frozen=True, slots=True)
class SetQueryRewrite:
    """ENABLE, or DISABLE QUERY REWRITE: whether queries may read a view in place of its sources."""

    enabled: bool

    def to_sql(self) -> str:
        """As it stands behind the name."""
        return f"{'ENABLE' if self.enabled else 'DISABLE'} QUERY REWRITE"


TableAction: TypeAlias = (
    SetComment | SetProperties | UnsetProperties | RenameTo | RenameColumn | ChangeColumn
)
"""What may be done to the table below, as ALTER TABLE does it."""
DynamicAction: TypeAlias = (
    Suspend | SetRefresh | SetTargetLag | UnsetSchedule | SetMode | SetQueryRewrite | TableAction
)


@dataclass(frozen=True, slots=True)
class AlterDynamicTable:
    """ALTER DYNAMIC TABLE [IF EXISTS] d <action>."""

    name: ObjectName
    action: DynamicAction
    if_exists: bool = False
    kind: RefreshedKind = _DYNAMIC

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        guard = "IF EXISTS " if self.if_exists else ""
        return f"ALTER {self.kind} {guard}{self.name} {self.action.to_sql()}"


def parse_refresh_dynamic_table(cursor: Cursor) -> RefreshDynamicTable:
    """Read the statement; the cursor stands before REFRESH."""
    cursor.expect("REFRESH")
    kind = parse_kind(cursor)
    name = cursor.object_name(kind.owner)
    partition = parse_partition_spec(cursor)
    cursor.expect_end()
    return RefreshDynamicTable(name, partition, kind)


def _clause(partition: PartitionSpec | None) -> str:
    return "" if partition is None else f" {partition.to_sql()}"


def parse_explain_refresh(cursor: Cursor) -> ExplainRefresh:
    """Read the statement; the cursor stands before EXPLAIN. FORMAT JSON may stand at both ends."""
    cursor.expect("EXPLAIN")
    json = cursor.accept("FORMAT", "JSON")
    cursor.expect("REFRESH")
    kind = parse_kind(cursor)
    name = cursor.object_name(kind.owner)
    partition = parse_partition_spec(cursor)
    json = cursor.accept("FORMAT", "JSON") or json
    cursor.expect_end()
    return ExplainRefresh(name, json, partition, kind)


def parse_explain_create(cursor: Cursor) -> ExplainCreate:
    """Read the statement; the cursor stands before EXPLAIN."""
    cursor.expect("EXPLAIN")
    json = cursor.accept("FORMAT", "JSON")
    if cursor.at("CREATE", "MATERIALIZED"):
        return ExplainCreate(parse_create_materialized_view(cursor).table, json)
    return ExplainCreate(parse_create_dynamic_table(cursor), json)


def parse_verify_dynamic_table(cursor: Cursor) -> VerifyDynamicTable:
    """Read the statement; the cursor stands before VERIFY."""
    cursor.expect("VERIFY")
    kind = parse_kind(cursor)
    name = cursor.object_name(kind.owner)
    cursor.expect_end()
    return VerifyDynamicTable(name, kind)


def parse_drop_dynamic_table(cursor: Cursor) -> DropDynamicTable:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP")
    kind = parse_kind(cursor)
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name(kind.owner)
    cascade = cursor.accept("CASCADE")
    if not cascade:
        cursor.accept("RESTRICT")
    cursor.expect_end()
    return DropDynamicTable(name, if_exists, cascade, kind)


def parse_show_dynamic_tables(cursor: Cursor) -> ShowDynamicTables:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW")
    kind = RefreshedKind.DYNAMIC_TABLE
    if cursor.accept("MATERIALIZED", "VIEWS"):
        kind = RefreshedKind.MATERIALIZED_VIEW
    else:
        cursor.expect("DYNAMIC", "TABLES")
    workspace = parse_workspace_scope(cursor)
    schema = None if workspace is not None else parse_scope(cursor)
    return ShowDynamicTables(schema, parse_show_filter(cursor), kind, workspace)


def parse_show_refresh_history(cursor: Cursor) -> ShowRefreshHistory:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW")
    kind = parse_kind(cursor)
    cursor.expect("REFRESH", "HISTORY")
    name = None
    if cursor.token.is_name and cursor.token.upper not in _FILTER_WORDS:
        name = cursor.object_name(kind.owner)
    start = cursor.position
    tail = parse_show_filter(cursor)
    if tail.limit is not None and not 1 <= tail.limit <= MOST_REFRESHES:
        limit = next(t for t in reversed(cursor.tokens[start:]) if t.kind == "number")
        problem = f"LIMIT goes from 1 to {MOST_REFRESHES}"
        raise UserError("SYNTAX_ERROR", problem=problem, span=limit.span)
    return ShowRefreshHistory(name, tail, kind)


def parse_alter_dynamic_table(cursor: Cursor) -> AlterDynamicTable:
    """Read the statement; the cursor stands before ALTER."""
    cursor.expect("ALTER")
    kind = parse_kind(cursor)
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name(kind.owner)
    action = _rewriting(cursor) if kind is RefreshedKind.MATERIALIZED_VIEW else None
    action = action or _action(cursor, name)
    cursor.expect_end()
    return AlterDynamicTable(name, action, if_exists, kind)


def _rewriting(cursor: Cursor) -> DynamicAction | None:
    for word in ("ENABLE", "DISABLE"):
        if cursor.accept(word, "QUERY", "REWRITE"):
            return SetQueryRewrite(word == "ENABLE")
    return None


def _action(cursor: Cursor, name: ObjectName) -> DynamicAction:
    if cursor.accept("SUSPEND"):
        return Suspend()
    if cursor.accept("RESUME"):
        return Suspend(suspended=False)
    if cursor.accept("SET", "REFRESH_MODE"):
        return SetMode(parse_refresh_mode(cursor))
    if cursor.accept("SET", "REFRESH"):
        return SetRefresh(parse_refresh_clause(cursor))
    if cursor.accept("SET", "TARGET_LAG"):
        return SetTargetLag(parse_target_lag(cursor))
    for clause in ("REFRESH", "TARGET_LAG"):
        if cursor.accept("UNSET", clause):
            return UnsetSchedule(clause)
    if cursor.token.upper not in (*_ALTERS, "ADD", "DROP", "CLUSTER"):
        hint = did_you_mean(cursor.token.text, _ALTERS)
        cursor.fail_expected(" or ".join(_ALTERS), hint=hint)
    span = cursor.token.span
    return table_action(parse_action(cursor), name, span=span)


def table_action(action: Action, name: object, *, span: Span | None) -> TableAction:
    """An action of ALTER TABLE that leaves what columns hold alone, or an error."""
    match action:
        case SetComment() | SetProperties() | UnsetProperties() | RenameTo():
            return action
        case ChangeColumn() if action.comment is not None:
            return action
        case RenameColumn() if len(action.column) == 1:
            return action
    raise NotSupported("DYNAMIC_TABLE_COLUMNS", table=name, span=span)
