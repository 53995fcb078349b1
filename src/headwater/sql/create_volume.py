"""Reading CREATE [EXTERNAL] VOLUME: its clauses in any order, also in their old spelling."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import Span, UserError
from headwater.names import ObjectName
from headwater.sql.assignments import Assignment, parse_assignments, unknown_option
from headwater.sql.connections import parse_connection_name
from headwater.sql.cursor import Cursor
from headwater.sql.volume_paths import Location, read_location
from headwater.sql.volumes import (
    DEFAULT_CLUSTER,
    CreateExternalVolume,
    CreateVolume,
    Directory,
    Notification,
)

_CLAUSES = ("LOCATION", "USING", "NOTIFICATION", "DIRECTORY", "RECURSIVE", "COMMENT")
_OLD_CONNECTION = "STORAGE_CONNECTION"
_QUEUE_TYPES = ("ALICLOUD_MNS", "AWS_SQS")


@dataclass(slots=True)
class _Clauses:
    """What was read so far; None is not yet."""

    location: Location | None = None
    location_span: Span | None = None
    connection: ObjectName | None = None
    connection_span: Span | None = None
    notification: Notification | None = None
    directory: Directory | None = None
    recursive: bool | None = None
    comment: str | None = None


def parse_create_volume(cursor: Cursor) -> CreateExternalVolume | CreateVolume:
    """Read the statement; the cursor stands before CREATE."""
    cursor.expect("CREATE")
    or_replace = cursor.accept("OR", "REPLACE")
    external = cursor.accept("EXTERNAL")
    cursor.expect("VOLUME")
    start = cursor.token.start
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    if or_replace and if_not_exists:
        span = Span(start, cursor.token.start - 1)
        raise UserError("CLAUSES_EXCLUDE", first="OR REPLACE", second="IF NOT EXISTS", span=span)
    name_start = cursor.token.start
    name = cursor.object_name("the volume's name")
    name_span = Span(name_start, cursor.tokens[cursor.position - 1].end)
    read = _Clauses()
    while not cursor.at_end:
        _clause(cursor, read, external=external)
    directory, recursive = read.directory or Directory(), read.recursive or False
    if not external:
        return CreateVolume(
            name, directory, recursive, read.comment, or_replace, if_not_exists, name_span
        )
    end = cursor.token.span
    if read.location is None:
        raise UserError("VOLUME_CLAUSE_MISSING", clause="LOCATION", span=end)
    if read.connection is None:
        raise UserError("VOLUME_CLAUSE_MISSING", clause="USING CONNECTION", span=end)
    return CreateExternalVolume(
        name,
        read.location,
        read.connection,
        directory,
        recursive,
        read.notification,
        read.comment,
        or_replace,
        if_not_exists,
        name_span,
        read.location_span,
        read.connection_span,
    )


def _clause(cursor: Cursor, read: _Clauses, *, external: bool) -> None:
    token = cursor.token
    if token.upper == _OLD_CONNECTION:
        word = "USING"
        cursor.advance()
        cursor.accept_symbol("=")
    else:
        if cursor.at("CONNECTION"):
            cursor.fail_expected("USING", hint="write USING CONNECTION <connection>")
        word = cursor.one_of(_CLAUSES)
        if word == "USING":
            cursor.expect("CONNECTION")
    field = "connection" if word == "USING" else word.lower()
    if getattr(read, field) is not None:
        problem = f"{field.upper()} stands here twice"
        raise UserError("SYNTAX_ERROR", problem=problem, span=token.span)
    if not external and word in ("LOCATION", "USING", "NOTIFICATION"):
        clause = "CONNECTION" if word == "USING" else word
        raise UserError("VOLUME_CLAUSE_NOT_ALLOWED", clause=clause, span=token.span)
    if word != "USING":
        cursor.accept_symbol("=")
    _value(cursor, read, word)


def _value(cursor: Cursor, read: _Clauses, word: str) -> None:
    span = cursor.token.span
    match word:
        case "LOCATION":
            read.location = read_location(cursor.string("a location in quotes"), span=span)
            read.location_span = span
        case "USING":
            read.connection = _connection(cursor)
            read.connection_span = Span(span.start, cursor.tokens[cursor.position - 1].end)
        case "NOTIFICATION":
            read.notification = _notification(cursor)
        case "DIRECTORY":
            read.directory = _directory(cursor)
        case "RECURSIVE":
            read.recursive = cursor.token.value.upper() == "TRUE"
            if cursor.token.value.upper() not in ("TRUE", "FALSE"):
                cursor.fail_expected("TRUE or FALSE")
            cursor.advance()
        case _:
            read.comment = cursor.string()


def _connection(cursor: Cursor) -> ObjectName:
    if cursor.token.kind == "string":
        return ObjectName.of(cursor.string())
    return parse_connection_name(cursor)


def _directory(cursor: Cursor) -> Directory:
    given: dict[str, Assignment] = {a.name.upper(): a for a in parse_assignments(cursor)}
    for name, assignment in given.items():
        if name not in ("ENABLE", "AUTO_REFRESH"):
            raise unknown_option(assignment, owner="DIRECTORY", known=("ENABLE", "AUTO_REFRESH"))
    enable = given["ENABLE"].boolean() if "ENABLE" in given else False
    refresh = given["AUTO_REFRESH"].boolean() if "AUTO_REFRESH" in given else False
    if refresh and not enable:
        raise UserError(
            "SYNTAX_ERROR",
            problem="AUTO_REFRESH refreshes a directory, and the directory is not enabled",
            span=given["AUTO_REFRESH"].name_span,
            hint="write DIRECTORY = (ENABLE = TRUE, AUTO_REFRESH = TRUE)",
        )
    return Directory(enable, refresh)


def _notification(cursor: Cursor) -> Notification:
    known = ("QUEUE_TYPE", "QUEUE_NAME", "VIRTUAL_CLUSTER")
    start = cursor.token.start
    given = {a.name.upper(): a for a in parse_assignments(cursor)}
    for name, assignment in given.items():
        if name not in known:
            raise unknown_option(assignment, owner="NOTIFICATION", known=known)
    for name in known[:2]:
        if name not in given:
            cursor.fail(f"NOTIFICATION needs {name}", start=start)
    queue = given["QUEUE_TYPE"]
    if queue.value.upper() not in _QUEUE_TYPES:
        raise queue.rejected(" or ".join(_QUEUE_TYPES))
    cluster = given["VIRTUAL_CLUSTER"].value if "VIRTUAL_CLUSTER" in given else DEFAULT_CLUSTER
    return Notification(queue.value.upper(), given["QUEUE_NAME"].value, cluster)
