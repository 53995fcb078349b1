"""CREATE STORAGE CONNECTION, DROP, DESC and SHOW CONNECTIONS.

Invariant: no `to_sql()` and no `repr` of a connection shows a secret.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from headwater.errors import NotSupported, Span, UserError
from headwater.names import ObjectName, did_you_mean, quote_literal
from headwater.sql.connection_keys import (
    LIST_KEYS,
    ConnectionType,
    GivenKey,
    Keys,
    key_spelling,
    resolve_keys,
)
from headwater.sql.cursor import Cursor
from headwater.sql.describe import DescTable, parse_desc_table
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter

_TYPES = {**{kind.value: kind for kind in ConnectionType}, "LOCAL": ConnectionType.FILE}
_COVER = "****"


@dataclass(frozen=True, slots=True)
class CreateStorageConnection:
    """CREATE STORAGE CONNECTION [IF NOT EXISTS] c TYPE t key = value .. [COMMENT ..].

    `settings` and `secrets` have canonical keys; lists are joined by commas. A connection belongs
    to its workspace: the name has no schema.
    """

    name: ObjectName
    type: ConnectionType
    settings: Keys = ()
    secrets: Keys = field(default=(), repr=False)
    if_not_exists: bool = False
    comment: str | None = None
    name_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling, with its secrets covered."""
        text = "CREATE STORAGE CONNECTION " + ("IF NOT EXISTS " if self.if_not_exists else "")
        parts = [f"{text}{self.name} TYPE {self.type}"]
        for key, _ in self.secrets:
            parts.append(f"{key_spelling(self.type, key)} = {quote_literal(_COVER)}")
        for key, value in self.settings:
            parts.append(f"{key_spelling(self.type, key)} = {_shown(key, value)}")
        if self.comment is not None:
            parts.append(f"COMMENT {quote_literal(self.comment)}")
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class DropConnection:
    """DROP CONNECTION [IF EXISTS] c [FORCE]; FORCE drops one that is used."""

    name: ObjectName
    if_exists: bool = False
    force: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        guard = "IF EXISTS " if self.if_exists else ""
        return f"DROP CONNECTION {guard}{self.name}" + (" FORCE" if self.force else "")


@dataclass(frozen=True, slots=True)
class DescConnection:
    """DESC CONNECTION [EXTENDED] c."""

    name: ObjectName
    extended: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DESC CONNECTION {'EXTENDED ' if self.extended else ''}{self.name}"


@dataclass(frozen=True, slots=True)
class ShowConnections:
    """SHOW CONNECTIONS [LIKE|WHERE] [LIMIT]."""

    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW CONNECTIONS{self.filter.to_sql()}"


def _shown(key: str, value: str) -> str:
    if key not in LIST_KEYS:
        return quote_literal(value)
    return f"[{', '.join(quote_literal(item) for item in value.split(','))}]"


def parse_connection_name(cursor: Cursor) -> ObjectName:
    """Take `[workspace.]connection`."""
    start = cursor.token.start
    name = cursor.object_name("the connection's name")
    if name.workspace is not None:
        cursor.fail("a connection's name has at most two parts: workspace.name", start=start)
    return ObjectName(name.name, workspace=name.schema)


def parse_create_storage_connection(cursor: Cursor) -> CreateStorageConnection:
    """Read the statement; the cursor stands before CREATE. Keys come in any order."""
    cursor.expect("CREATE", "STORAGE", "CONNECTION")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    start = cursor.token.start
    name = parse_connection_name(cursor)
    name_span = Span(start, cursor.tokens[cursor.position - 1].end)
    cursor.expect("TYPE")
    type_span = cursor.token.span
    kind = _type(cursor)
    given: list[GivenKey] = []
    comment: str | None = None
    while not cursor.at_end:
        cursor.accept_symbol(",")
        if cursor.token.upper in ("COMMENT", "COMMENTS"):
            if comment is not None:
                cursor.fail("COMMENT stands here twice")
            cursor.advance()
            cursor.accept_symbol("=")
            comment = cursor.string()
        else:
            given.append(_given_key(cursor))
    settings, secrets = resolve_keys(kind, given, span=type_span)
    return CreateStorageConnection(
        name, kind, settings, secrets, if_not_exists, comment, name_span=name_span
    )


def _type(cursor: Cursor) -> ConnectionType:
    if cursor.at_symbol("="):
        found = cursor.peek(1).value.upper()
        kind = found if found in _TYPES else "S3"
        raise UserError("CONNECTION_TYPE_ASSIGNED", type=kind, span=cursor.token.span)
    if cursor.token.kind not in ("word", "string"):
        cursor.fail_expected("a connection type")
    token = cursor.advance()
    if token.value.upper() not in _TYPES:
        types = ", ".join(ConnectionType)
        hint = did_you_mean(token.value, _TYPES)
        raise UserError(
            "CONNECTION_TYPE_UNKNOWN", type=token.value, types=types, span=token.span, hint=hint
        )
    return _TYPES[token.value.upper()]


def _given_key(cursor: Cursor) -> GivenKey:
    """No message of this function shows the text at the cursor: it may be a secret."""
    token = cursor.token
    if not token.is_name:
        cursor.fail("expected a key, such as ENDPOINT = '..'")
    cursor.advance()
    cursor.accept_symbol("=")
    start = cursor.token.start
    if token.value.lower() in LIST_KEYS and cursor.at_symbol("["):
        value = _list(cursor)
    elif cursor.token.kind in ("string", "number"):
        value = cursor.advance().value
    else:
        cursor.fail(f"the value of {token.value} must stand in quotes")
    value_span = Span(start, cursor.tokens[cursor.position - 1].end)
    return GivenKey(token.value, value, token.span, value_span)


def _list(cursor: Cursor) -> str:
    cursor.expect_symbol("[")
    items = [cursor.string()]
    while cursor.accept_symbol(","):
        items.append(cursor.string())
    cursor.expect_symbol("]")
    return ",".join(items)


def parse_other_connection(cursor: Cursor) -> NoReturn:
    """CREATE [CATALOG|API|..] CONNECTION, CREATE EXTERNAL CATALOG: say which kind there is."""
    cursor.expect("CREATE")
    kind = cursor.token
    types = "|".join(ConnectionType)
    if kind.upper == "CONNECTION":
        cursor.fail_expected("STORAGE", hint="write CREATE STORAGE CONNECTION")
    shown = "CATALOG" if kind.upper == "EXTERNAL" else kind.upper
    raise NotSupported("CONNECTION_KIND_NOT_SUPPORTED", kind=shown, types=types, span=kind.span)


def parse_alter_connection(cursor: Cursor) -> NoReturn:
    """ALTER [STORAGE] CONNECTION: there is none; say what to do instead."""
    raise NotSupported("CONNECTION_ALTERED", span=cursor.token.span)


def parse_drop_connection(cursor: Cursor) -> DropConnection:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP")
    if cursor.at("STORAGE", "CONNECTION"):
        cursor.fail_expected("CONNECTION", hint="write DROP CONNECTION, without STORAGE")
    cursor.expect("CONNECTION")
    if_exists = cursor.accept("IF", "EXISTS")
    name = parse_connection_name(cursor)
    force = cursor.accept("FORCE")
    cursor.expect_end()
    return DropConnection(name, if_exists, force)


def parse_desc_connection(cursor: Cursor) -> DescConnection | DescTable:
    """Read the statement; the cursor stands before DESC. A table may be called `connection`."""
    if not cursor.peek(2).is_name:
        return parse_desc_table(cursor)
    cursor.one_of(("DESC", "DESCRIBE"))
    cursor.expect("CONNECTION")
    extended = cursor.at("EXTENDED") and cursor.peek(1).is_name and cursor.accept("EXTENDED")
    name = parse_connection_name(cursor)
    extended = cursor.accept("EXTENDED") or extended
    cursor.expect_end()
    return DescConnection(name, extended)


def parse_show_connections(cursor: Cursor) -> ShowConnections:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "CONNECTIONS")
    return ShowConnections(parse_show_filter(cursor))
