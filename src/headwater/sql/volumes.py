"""CREATE [EXTERNAL] VOLUME, ALTER VOLUME REFRESH, DROP, DESC and SHOW VOLUMES."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.errors import NotSupported, Span
from headwater.names import ObjectName, quote_literal
from headwater.sql.cursor import Cursor
from headwater.sql.describe import DescTable, parse_desc_table
from headwater.sql.show import parse_scope, scope_to_sql
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter
from headwater.sql.volume_paths import Location

DEFAULT_CLUSTER = "DEFAULT"


@dataclass(frozen=True, slots=True)
class Directory:
    """DIRECTORY = (ENABLE = .., AUTO_REFRESH = ..): the table of a volume's files."""

    enable: bool = False
    auto_refresh: bool = False

    def to_sql(self) -> str:
        """The clause."""
        enable, refresh = str(self.enable).upper(), str(self.auto_refresh).upper()
        return f"DIRECTORY = (ENABLE = {enable}, AUTO_REFRESH = {refresh})"


@dataclass(frozen=True, slots=True)
class Notification:
    """NOTIFICATION = (..): the queue that tells of new and deleted files."""

    queue_type: str
    queue_name: str
    virtual_cluster: str = DEFAULT_CLUSTER

    def to_sql(self) -> str:
        """The clause."""
        return (
            f"NOTIFICATION = (QUEUE_TYPE = {quote_literal(self.queue_type)},"
            f" QUEUE_NAME = {quote_literal(self.queue_name)},"
            f" VIRTUAL_CLUSTER = {quote_literal(self.virtual_cluster)})"
        )


@dataclass(frozen=True, slots=True)
class CreateExternalVolume:
    """CREATE [OR REPLACE] EXTERNAL VOLUME [IF NOT EXISTS] v LOCATION .. USING CONNECTION c .."""

    name: ObjectName
    location: Location
    connection: ObjectName
    directory: Directory = Directory()
    recursive: bool = False
    notification: Notification | None = None
    comment: str | None = None
    or_replace: bool = False
    if_not_exists: bool = False
    name_span: Span | None = field(default=None, compare=False)
    location_span: Span | None = field(default=None, compare=False)
    connection_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        head = (
            "CREATE OR REPLACE EXTERNAL VOLUME " if self.or_replace else "CREATE EXTERNAL VOLUME "
        )
        lines = [
            head + ("IF NOT EXISTS " if self.if_not_exists else "") + str(self.name),
            f"LOCATION {quote_literal(str(self.location))}",
            f"USING CONNECTION {self.connection}",
        ]
        if self.notification is not None:
            lines.append(self.notification.to_sql())
        return "\n".join([*lines, *_common_clauses(self)])


@dataclass(frozen=True, slots=True)
class CreateVolume:
    """CREATE [OR REPLACE] VOLUME [IF NOT EXISTS] v: a named volume, kept in the lake."""

    name: ObjectName
    directory: Directory = Directory()
    recursive: bool = False
    comment: str | None = None
    or_replace: bool = False
    if_not_exists: bool = False
    name_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        head = "CREATE OR REPLACE VOLUME " if self.or_replace else "CREATE VOLUME "
        first = head + ("IF NOT EXISTS " if self.if_not_exists else "") + str(self.name)
        return "\n".join([first, *_common_clauses(self)])


def _common_clauses(volume: CreateExternalVolume | CreateVolume) -> list[str]:
    clauses = [volume.directory.to_sql(), f"RECURSIVE = {str(volume.recursive).upper()}"]
    if volume.comment is not None:
        clauses.append(f"COMMENT {quote_literal(volume.comment)}")
    return clauses


@dataclass(frozen=True, slots=True)
class AlterVolumeRefresh:
    """ALTER VOLUME v REFRESH: list the store into the directory table."""

    name: ObjectName

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"ALTER VOLUME {self.name} REFRESH"


@dataclass(frozen=True, slots=True)
class DropVolume:
    """DROP VOLUME [IF EXISTS] v; its files stay."""

    name: ObjectName
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DROP VOLUME {'IF EXISTS ' if self.if_exists else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class DescVolume:
    """DESC VOLUME [EXTENDED] v."""

    name: ObjectName
    extended: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DESC VOLUME {'EXTENDED ' if self.extended else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class ShowVolumes:
    """SHOW VOLUMES [IN schema] [LIKE|WHERE] [LIMIT]."""

    schema: ObjectName | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW VOLUMES{scope_to_sql(self.schema)}{self.filter.to_sql()}"


def parse_alter_volume(cursor: Cursor) -> AlterVolumeRefresh:
    """Read the statement; the cursor stands before ALTER."""
    cursor.expect("ALTER", "VOLUME")
    name = cursor.object_name("the volume's name")
    if not cursor.accept("REFRESH"):
        if cursor.at_end:
            cursor.fail_expected("REFRESH")
        raise NotSupported("VOLUME_ALTERED", span=cursor.token.span)
    cursor.expect_end()
    return AlterVolumeRefresh(name)


def parse_drop_volume(cursor: Cursor) -> DropVolume:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP", "VOLUME")
    if_exists = cursor.accept("IF", "EXISTS")
    name = cursor.object_name("the volume's name")
    cursor.expect_end()
    return DropVolume(name, if_exists)


def parse_desc_volume(cursor: Cursor) -> DescVolume | DescTable:
    """Read the statement; the cursor stands before DESC. A table may be called `volume`."""
    if not cursor.peek(2).is_name or (cursor.peek(2).upper == "EXTENDED" and _ends_at(cursor, 3)):
        return parse_desc_table(cursor)
    cursor.one_of(("DESC", "DESCRIBE"))
    cursor.expect("VOLUME")
    extended = cursor.at("EXTENDED") and cursor.peek(1).is_name and cursor.accept("EXTENDED")
    name = cursor.object_name("the volume's name")
    extended = cursor.accept("EXTENDED") or extended
    cursor.expect_end()
    return DescVolume(name, extended)


def _ends_at(cursor: Cursor, ahead: int) -> bool:
    return cursor.peek(ahead).kind == "end"


def parse_show_volumes(cursor: Cursor) -> ShowVolumes:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "VOLUMES")
    schema = parse_scope(cursor)
    return ShowVolumes(schema, parse_show_filter(cursor))
