"""CREATE, ALTER, DROP, USE, DESC and SHOW of virtual clusters."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

from headwater.errors import Span, UserError, ValueRejected
from headwater.names import did_you_mean, quote_literal, show_identifier
from headwater.sql.assignments import Assignment, parse_assignment
from headwater.sql.cursor import Cursor
from headwater.sql.describe import DescTable, parse_desc_table
from headwater.sql.schemas import Use, parse_use
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter
from headwater.sql.vcluster_properties import (
    ClusterProperties,
    Given,
    checked_changes,
    created_properties,
    properties_to_sql,
)

_NAME = re.compile(r"[A-Za-z0-9_]{3,28}")
_MOST_COMMENT = 1024
_ACTIONS = ("RESUME", "SUSPEND", "CANCEL", "SET")


@dataclass(frozen=True, slots=True)
class CreateVcluster:
    """CREATE VCLUSTER [IF NOT EXISTS] vc [<property> = <value> ..] [COMMENT '..']."""

    name: str
    properties: ClusterProperties = field(default_factory=ClusterProperties)
    comment: str | None = None
    if_not_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        guard = "IF NOT EXISTS " if self.if_not_exists else ""
        rest = [self.properties.to_sql(), _comment_to_sql(self.comment)]
        words = [f"CREATE VCLUSTER {guard}{show_identifier(self.name)}", *filter(None, rest)]
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class ResumeCluster:
    """RESUME: let it run jobs again."""

    def to_sql(self) -> str:
        """The clause behind the cluster's name."""
        return "RESUME"


@dataclass(frozen=True, slots=True)
class SuspendCluster:
    """SUSPEND [FORCE]: when its jobs have ended, or at once with its jobs cancelled."""

    force: bool = False

    def to_sql(self) -> str:
        """The clause behind the cluster's name."""
        return "SUSPEND FORCE" if self.force else "SUSPEND"


@dataclass(frozen=True, slots=True)
class CancelAllJobs:
    """CANCEL ALL JOBS: those that run and those that wait."""

    def to_sql(self) -> str:
        """The clause behind the cluster's name."""
        return "CANCEL ALL JOBS"


@dataclass(frozen=True, slots=True)
class SetCluster:
    """SET <property> = <value> .. [COMMENT '..']: at least one of them."""

    given: Given = ()
    comment: str | None = None
    spans: tuple[tuple[str, Span], ...] = field(default=(), compare=False, repr=False)

    def to_sql(self) -> str:
        """The clause behind the cluster's name."""
        parts = [properties_to_sql(self.given), _comment_to_sql(self.comment)]
        return " ".join(["SET", *filter(None, parts)])


ClusterAction: TypeAlias = ResumeCluster | SuspendCluster | CancelAllJobs | SetCluster


@dataclass(frozen=True, slots=True)
class AlterVcluster:
    """ALTER VCLUSTER [IF EXISTS] vc {RESUME | SUSPEND [FORCE] | CANCEL ALL JOBS | SET ..}."""

    name: str
    action: ClusterAction
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        guard = "IF EXISTS " if self.if_exists else ""
        return f"ALTER VCLUSTER {guard}{show_identifier(self.name)} {self.action.to_sql()}"


@dataclass(frozen=True, slots=True)
class DropVcluster:
    """DROP VCLUSTER [IF EXISTS] vc [FORCE]."""

    name: str
    if_exists: bool = False
    force: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        guard = "IF EXISTS " if self.if_exists else ""
        tail = " FORCE" if self.force else ""
        return f"DROP VCLUSTER {guard}{show_identifier(self.name)}{tail}"


@dataclass(frozen=True, slots=True)
class UseVcluster:
    """USE VCLUSTER vc: where the statements of this session run from now on."""

    name: str

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"USE VCLUSTER {show_identifier(self.name)}"


@dataclass(frozen=True, slots=True)
class DescVcluster:
    """DESC VCLUSTER [EXTENDED] vc."""

    name: str
    extended: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DESC VCLUSTER {'EXTENDED ' if self.extended else ''}{show_identifier(self.name)}"


@dataclass(frozen=True, slots=True)
class ShowVclusters:
    """SHOW VCLUSTERS [LIKE|WHERE] [LIMIT]."""

    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW VCLUSTERS{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class ShowPreloadStatus:
    """SHOW [VCLUSTER vc] PRELOAD CACHED STATUS [LIKE|WHERE] [LIMIT]."""

    name: str | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        scope = "" if self.name is None else f" VCLUSTER {show_identifier(self.name)}"
        return f"SHOW{scope} PRELOAD CACHED STATUS{self.filter.to_sql()}"


def parse_create_vcluster(cursor: Cursor) -> CreateVcluster:
    """Read the statement; the cursor stands before CREATE."""
    cursor.expect("CREATE", "VCLUSTER")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    span = cursor.token.span
    name = cluster_name(cursor)
    if not _NAME.fullmatch(name):
        raise UserError("VCLUSTER_NAME", name=name, span=span)
    given, comment = _settings(cursor)
    return CreateVcluster(name, created_properties(given), comment, if_not_exists)


def parse_alter_vcluster(cursor: Cursor) -> AlterVcluster:
    """Read the statement; the cursor stands before ALTER."""
    cursor.expect("ALTER", "VCLUSTER")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cluster_name(cursor)
    action = _action(cursor)
    cursor.expect_end()
    return AlterVcluster(name, action, if_exists)


def _action(cursor: Cursor) -> ClusterAction:
    if cursor.at("RENAME"):
        raise UserError("VCLUSTER_NAME_FIXED", span=cursor.token.span)
    if cursor.token.upper not in _ACTIONS:
        hint = did_you_mean(cursor.token.text, _ACTIONS)
        cursor.fail_expected("RESUME, SUSPEND, CANCEL ALL JOBS or SET", hint=hint)
    if cursor.accept("RESUME"):
        return ResumeCluster()
    if cursor.accept("SUSPEND"):
        return SuspendCluster(cursor.accept("FORCE"))
    if cursor.accept("CANCEL"):
        cursor.expect("ALL", "JOBS")
        return CancelAllJobs()
    cursor.expect("SET")
    if cursor.at_end:
        cursor.fail_expected("a property or COMMENT")
    given, comment = _settings(cursor)
    spans = tuple((item.name.upper(), item.value_span) for item in given)
    return SetCluster(checked_changes(given), comment, spans)


def _settings(cursor: Cursor) -> tuple[list[Assignment], str | None]:
    """`<property> = <value>` and COMMENT in any order, with or without commas."""
    given: list[Assignment] = []
    comment: str | None = None
    while not cursor.at_end:
        if cursor.at("COMMENT"):
            comment = _comment(cursor)
        else:
            given.append(parse_assignment(cursor))
        if cursor.accept_symbol(",") and cursor.at_end:
            cursor.fail_expected("a property")
    return given, comment


def _comment(cursor: Cursor) -> str:
    cursor.expect("COMMENT")
    cursor.accept_symbol("=")
    span = cursor.token.span
    comment = cursor.string()
    if len(comment) > _MOST_COMMENT:
        raise ValueRejected("VCLUSTER_COMMENT", length=len(comment), most=_MOST_COMMENT, span=span)
    return comment


def _comment_to_sql(comment: str | None) -> str:
    return "" if comment is None else f"COMMENT {quote_literal(comment)}"


def cluster_name(cursor: Cursor) -> str:
    """Take the name of a virtual cluster, in quotes or not; names are in upper case."""
    if cursor.token.kind == "string":
        return cursor.string().upper()
    return cursor.name("the virtual cluster's name").upper()


def parse_drop_vcluster(cursor: Cursor) -> DropVcluster:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP", "VCLUSTER")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cluster_name(cursor)
    force = cursor.accept("FORCE")
    cursor.expect_end()
    return DropVcluster(name, if_exists, force)


def parse_use_vcluster(cursor: Cursor) -> UseVcluster | Use:
    """Read the statement; the cursor stands before USE. A schema may be called `vcluster`."""
    if cursor.peek(2).kind == "end" or cursor.peek(2).text == ".":
        return parse_use(cursor)
    cursor.expect("USE", "VCLUSTER")
    name = cluster_name(cursor)
    cursor.expect_end()
    return UseVcluster(name)


def parse_desc_vcluster(cursor: Cursor) -> DescVcluster | DescTable:
    """Read the statement; the cursor stands before DESC. A table may be called `vcluster`."""
    behind, last = cursor.peek(2), cursor.peek(3)
    named = behind.is_name or behind.kind == "string"
    if not named or (behind.upper == "EXTENDED" and last.kind == "end"):
        return parse_desc_table(cursor)
    cursor.one_of(("DESC", "DESCRIBE"))
    cursor.expect("VCLUSTER")
    extended = cursor.at("EXTENDED") and cursor.accept("EXTENDED")
    name = cluster_name(cursor)
    extended = cursor.accept("EXTENDED") or extended
    cursor.expect_end()
    return DescVcluster(name, extended)


def parse_show_vclusters(cursor: Cursor) -> ShowVclusters:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "VCLUSTERS")
    return ShowVclusters(parse_show_filter(cursor))


def parse_show_preload_status(cursor: Cursor) -> ShowPreloadStatus:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW")
    name = cluster_name(cursor) if cursor.accept("VCLUSTER") else None
    cursor.expect("PRELOAD", "CACHED", "STATUS")
    return ShowPreloadStatus(name, parse_show_filter(cursor))
