"""The keys of a storage connection: every spelling of the documents, and what each type needs.

Invariant: whatever was typed, a connection keeps keys of one canonical set. ACCESS_KEY, which is
the id to one vendor and the secret to another, is not in it: `access_id` and `secret_key` are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from headwater.errors import Span, UserError
from headwater.names import did_you_mean
from headwater.sql.connection_values import require_value


class ConnectionType(StrEnum):
    """What a storage connection reaches."""

    OSS = "OSS"
    COS = "COS"
    S3 = "S3"
    KAFKA = "KAFKA"
    HDFS = "HDFS"
    FILE = "FILE"


@dataclass(frozen=True, slots=True)
class GivenKey:
    """One `KEY = value` as typed; lists are joined by commas."""

    name: str
    value: str
    span: Span
    value_span: Span


@dataclass(frozen=True, slots=True)
class _Form:
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        return (*self.required, *self.one_of, *self.optional)


Keys = tuple[tuple[str, str], ...]

SECRET_KEYS = ("access_id", "secret_key")
LIST_KEYS = ("bootstrap_servers", "name_node_rpc_addresses")

_ROLE = "role_arn"
_KEY_FORMS = {
    ConnectionType.OSS: _Form((*SECRET_KEYS, "endpoint"), ("region",)),
    ConnectionType.COS: _Form((*SECRET_KEYS, "region", "app_id"), ("endpoint",)),
    # A region is enough for AWS itself, an endpoint for a server of one's own.
    ConnectionType.S3: _Form(SECRET_KEYS, one_of=("endpoint", "region")),
    ConnectionType.KAFKA: _Form(("bootstrap_servers",), ("security_protocol",)),
    ConnectionType.HDFS: _Form(("name_node", "name_node_rpc_addresses")),
    ConnectionType.FILE: _Form(),
}
_ROLE_FORMS = {
    ConnectionType.OSS: _Form(("region", _ROLE, "endpoint")),
    ConnectionType.COS: _Form(("region", _ROLE, "app_id"), ("endpoint",)),
    ConnectionType.S3: _Form(("region", _ROLE), ("endpoint",)),
}
_IDS = ("access_id", "access_key_id", "secret_id")
_SECRETS = ("secret_key", "access_key_secret", "secret_access_key")
_AMBIGUOUS = "access_key"
_DEFAULTS = {ConnectionType.KAFKA: {"security_protocol": "PLAINTEXT"}}


def key_spelling(kind: ConnectionType, key: str) -> str:
    """A canonical key as the documents of that type spell it.

    >>> key_spelling(ConnectionType.OSS, "secret_key"), key_spelling(ConnectionType.S3, "access_id")
    ('ACCESS_KEY', 'ACCESS_KEY')
    """
    ambiguous = "secret_key" if kind is ConnectionType.OSS else "access_id"
    has_secrets = kind in _ROLE_FORMS
    return _AMBIGUOUS.upper() if has_secrets and key == ambiguous else key.upper()


def resolve_keys(
    kind: ConnectionType, given: Sequence[GivenKey], *, span: Span
) -> tuple[Keys, Keys]:
    """The canonical settings and secrets of a connection, checked; `span` is that of its TYPE."""
    found = _canonical(kind, given)
    role = found.get(_ROLE)
    mixed = next((found[key] for key in SECRET_KEYS if key in found), None)
    if role is not None and mixed is not None:
        first = mixed.name.upper()
        raise UserError("CONNECTION_FORMS_MIXED", first=first, takes=_takes(kind), span=role.span)
    form = _KEY_FORMS[kind] if role is None else _ROLE_FORMS[kind]
    missing = _missing(kind, form, found)
    if missing:
        raise UserError(
            "CONNECTION_KEY_MISSING", type=kind, missing=missing, takes=_takes(kind), span=span
        )
    values = dict(_DEFAULTS.get(kind, {}))
    for key, item in found.items():
        values[key] = require_value(kind, key, item.value, shown=item.name, span=item.value_span)
    ordered = [(key, values[key]) for key in form.keys if key in values]
    settings = tuple(pair for pair in ordered if pair[0] not in SECRET_KEYS)
    return settings, tuple(pair for pair in ordered if pair[0] in SECRET_KEYS)


def _canonical(kind: ConnectionType, given: Sequence[GivenKey]) -> dict[str, GivenKey]:
    role = _ROLE_FORMS.get(kind, _Form())
    allowed = {*_KEY_FORMS[kind].keys, *role.keys}
    typed = {item.name.lower() for item in given}
    found: dict[str, GivenKey] = {}
    for item in given:
        key = _canonical_name(kind, item.name.lower(), typed)
        if key not in allowed:
            known = [_AMBIGUOUS.upper(), *(key_spelling(kind, name) for name in allowed)]
            hint = did_you_mean(item.name, known if kind in _ROLE_FORMS else known[1:])
            takes = _takes(kind)
            raise UserError(
                "CONNECTION_KEY_UNKNOWN",
                type=kind,
                key=item.name,
                takes=takes,
                span=item.span,
                hint=f"{hint} A connection of type {kind} takes {takes}" if hint else None,
            )
        if key in found:
            first, second = found[key].name.upper(), item.name.upper()
            raise UserError("CONNECTION_KEY_TWICE", first=first, second=second, span=item.span)
        found[key] = item
    return found


def _canonical_name(kind: ConnectionType, name: str, typed: set[str]) -> str:
    if name in _IDS:
        return "access_id"
    if name in _SECRETS:
        return "secret_key"
    if name != _AMBIGUOUS:
        return name
    has_id, has_secret = not typed.isdisjoint(_IDS), not typed.isdisjoint(_SECRETS)
    if has_id == has_secret:
        return "secret_key" if kind is ConnectionType.OSS else "access_id"
    return "secret_key" if has_id else "access_id"


def _missing(kind: ConnectionType, form: _Form, found: Mapping[str, GivenKey]) -> str:
    names = [key_spelling(kind, key) for key in form.required if key not in found]
    if form.one_of and not any(key in found for key in form.one_of):
        names.append(" or ".join(key.upper() for key in form.one_of))
    return ", ".join(names)


def _takes(kind: ConnectionType) -> str:
    """Both forms of a type, as a user would type them."""
    texts = []
    for form in (_KEY_FORMS[kind], _ROLE_FORMS.get(kind)):
        if form is None:
            continue
        names = [key_spelling(kind, key) for key in form.required]
        if form.one_of:
            names.append(" or ".join(key.upper() for key in form.one_of))
        names += [f"[{key_spelling(kind, key)}]" for key in form.optional]
        texts.append(", ".join(names) or "no keys")
    return "; or for a role ".join(texts)
