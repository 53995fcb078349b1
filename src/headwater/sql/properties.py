"""`PROPERTIES ('key' = 'value', ...)`: the keys of the documents, and what they may hold."""

from __future__ import annotations

from collections.abc import Mapping

from headwater.errors import Span, UserError, ValueRejected
from headwater.names import did_you_mean, quote_literal
from headwater.sql.cursor import Cursor

Properties = tuple[tuple[str, str], ...]

TABLE_PROPERTIES = {
    "change_tracking": "true or false",
    "data_retention_days": "a number of days from 0 to 90",
    "data_lifecycle": "a number of days, or -1 for ever",
    "data_lifecycle_delete_meta": "true or false",
    "incr_append_only_table": "true or false",
    "comment": "a text",
}
DYNAMIC_TABLE_PROPERTIES = TABLE_PROPERTIES | {
    "mv_const_tables": "names of tables, with commas between them",
    "refresh_vc": "the name of a virtual cluster",
}
_TEXTS = ("comment", "mv_const_tables", "refresh_vc")
_FREE_PREFIXES = ("delta.", "cz.", "headwater.", "user.", "option.", "spark.")


def parse_properties(cursor: Cursor) -> Properties:
    """Take `('key' = 'value', key = value, ...)`; keys keep their case, none may stand twice."""
    start = cursor.token.start
    pairs = cursor.comma_list(_pair)
    seen: set[str] = set()
    for key, _ in pairs:
        if key.lower() in seen:
            cursor.fail(f"property '{key}' stands here twice", start=start)
        seen.add(key.lower())
    return pairs


def parse_property_names(cursor: Cursor) -> tuple[str, ...]:
    """Take `('key', ...)`."""
    return cursor.comma_list(_key)


def _key(cursor: Cursor) -> str:
    if cursor.token.kind == "string":
        return cursor.string()
    parts = [cursor.name("a property name")]
    while cursor.accept_symbol("."):
        parts.append(cursor.name("a property name"))
    return ".".join(parts)


def _pair(cursor: Cursor) -> tuple[str, str]:
    key = _key(cursor)
    if not cursor.accept_symbol("="):
        cursor.accept_symbol("==")
    return key, _value(cursor)


def _value(cursor: Cursor) -> str:
    token = cursor.token
    if token.kind in ("string", "number", "word"):
        return cursor.advance().value
    if cursor.accept_symbol("-") and cursor.token.kind == "number":
        return "-" + cursor.advance().value
    cursor.fail_expected("a property value")


def render_properties(properties: Properties) -> str:
    """The text inside the parentheses."""
    return ", ".join(f"{quote_literal(k)} = {quote_literal(v)}" for k, v in properties)


def normalise_table_properties(
    properties: Properties, *, span: Span | None = None, dynamic: bool = False
) -> Properties:
    """Known keys in lower case with checked values; a key like nothing we know is a user error.

    Keys with a dotted prefix (`delta.`, `user.` and so on) pass as they are: they belong to Delta,
    to the vendor's hints, or to the user.
    """
    known = DYNAMIC_TABLE_PROPERTIES if dynamic else TABLE_PROPERTIES
    return tuple(_normalise(key, value, known, span) for key, value in properties)


def _normalise(
    key: str, value: str, known: Mapping[str, str], span: Span | None
) -> tuple[str, str]:
    lowered = key.lower()
    if lowered.startswith(_FREE_PREFIXES):
        return key, value
    if lowered not in known:
        hint = did_you_mean(lowered, known)
        own = f"a property of your own needs a prefix, such as 'user.{key}'"
        raise UserError("UNKNOWN_PROPERTY", owner="a table", name=key, span=span, hint=hint or own)
    if not _allowed(lowered, value):
        raise ValueRejected(
            "PROPERTY_VALUE",
            name=lowered,
            value=value,
            expected=known[lowered],
            span=span,
        )
    return lowered, value if lowered in _TEXTS else value.lower()


def _allowed(key: str, value: str) -> bool:
    if DYNAMIC_TABLE_PROPERTIES[key] == "true or false":
        return value.lower() in ("true", "false")
    if key == "data_retention_days":
        return value.isdigit() and int(value) <= 90
    if key == "data_lifecycle":
        return value == "-1" or (value.isdigit() and int(value) > 0)
    return True
