"""GRANT, REVOKE and SHOW GRANTS."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from headwater.errors import UserError
from headwater.names import ObjectName, did_you_mean, show_identifier
from headwater.sql.cursor import Cursor
from headwater.sql.privileges import FITTING, Privilege, Securable
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter
from headwater.sql.users import parse_role, user_name

# The longest first, so that TABLE STREAM is not taken for a table called stream.
_KINDS: tuple[tuple[str, Securable], ...] = (
    ("DYNAMIC TABLE", Securable.TABLE),
    ("MATERIALIZED VIEW", Securable.TABLE),
    ("EXTERNAL TABLE", Securable.TABLE),
    ("TABLE STREAM", Securable.TABLE),
    ("STORAGE CONNECTION", Securable.CONNECTION),
    ("TABLE", Securable.TABLE),
    ("VIEW", Securable.TABLE),
    ("STREAM", Securable.TABLE),
    ("SCHEMA", Securable.SCHEMA),
    ("DATABASE", Securable.SCHEMA),
    ("VOLUME", Securable.VOLUME),
    ("PIPE", Securable.PIPE),
    ("FUNCTION", Securable.FUNCTION),
    ("CONNECTION", Securable.CONNECTION),
    ("VCLUSTER", Securable.VCLUSTER),
)


class GranteeKind(StrEnum):
    """To whom something is granted."""

    USER = "USER"
    ROLE = "ROLE"


@dataclass(frozen=True, slots=True)
class Grantee:
    """USER u or ROLE r."""

    kind: GranteeKind
    name: str

    def to_sql(self) -> str:
        """As it stands behind TO or FROM."""
        return f"{self.kind} {show_identifier(self.name)}"


@dataclass(frozen=True, slots=True)
class GrantedObject:
    """TABLE s.t, SCHEMA s and so on; with `all_tables` every table that a schema has now."""

    words: str
    kind: Securable
    name: ObjectName
    all_tables: bool = False

    def to_sql(self) -> str:
        """As it stands behind ON."""
        return f"{'ALL TABLES IN ' if self.all_tables else ''}{self.words} {self.name}"

    @property
    def granted_kind(self) -> Securable:
        """The kind of the objects that get the privilege."""
        return Securable.TABLE if self.all_tables else self.kind


@dataclass(frozen=True, slots=True)
class GrantPrivileges:
    """GRANT p[, p] ON <object> TO USER|ROLE x [WITH GRANT OPTION]."""

    privileges: tuple[Privilege, ...]
    on: GrantedObject
    to: Grantee
    with_option: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        option = " WITH GRANT OPTION" if self.with_option else ""
        what = ", ".join(self.privileges)
        return f"GRANT {what} ON {self.on.to_sql()} TO {self.to.to_sql()}{option}"


@dataclass(frozen=True, slots=True)
class RevokePrivileges:
    """REVOKE p[, p] ON <object> FROM USER|ROLE x [CASCADE]."""

    privileges: tuple[Privilege, ...]
    on: GrantedObject
    grantee: Grantee
    cascade: bool = False
    """Whether what was granted on goes too."""

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        what, cascade = ", ".join(self.privileges), " CASCADE" if self.cascade else ""
        return f"REVOKE {what} ON {self.on.to_sql()} FROM {self.grantee.to_sql()}{cascade}"


@dataclass(frozen=True, slots=True)
class ShowGrants:
    """SHOW GRANTS [ON <object> | TO USER|ROLE x] [LIKE|WHERE] [LIMIT]."""

    on: GrantedObject | None = None
    to: Grantee | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        on = "" if self.on is None else f" ON {self.on.to_sql()}"
        to = "" if self.to is None else f" TO {self.to.to_sql()}"
        return f"SHOW GRANTS{on}{to}{self.filter.to_sql()}"


def parse_grant(cursor: Cursor) -> GrantPrivileges:
    """Read the statement; the cursor stands before GRANT."""
    cursor.expect("GRANT")
    start = cursor.position
    privileges = _privileges(cursor)
    cursor.expect("ON")
    on = _object(cursor)
    cursor.expect("TO")
    to = _grantee(cursor)
    option = cursor.accept("WITH", "GRANT", "OPTION")
    cursor.expect_end()
    fitting = _fitting(cursor, privileges, on, start)
    if Privilege.OWNERSHIP in fitting and to.kind is GranteeKind.ROLE:
        raise UserError("OWNERSHIP_TO_ROLE", span=cursor.tokens[start].span)
    return GrantPrivileges(fitting, on, to, option)


def parse_revoke(cursor: Cursor) -> RevokePrivileges:
    """Read the statement; the cursor stands before REVOKE."""
    cursor.expect("REVOKE")
    start = cursor.position
    privileges = _privileges(cursor)
    cursor.expect("ON")
    on = _object(cursor)
    cursor.expect("FROM")
    grantee = _grantee(cursor)
    cascade = cursor.accept("CASCADE")
    cursor.expect_end()
    fitting = _fitting(cursor, privileges, on, start)
    if Privilege.OWNERSHIP in fitting and privileges:
        raise UserError("OWNERSHIP_REVOKED", object=on.to_sql(), span=cursor.tokens[start].span)
    return RevokePrivileges(fitting, on, grantee, cascade)


def parse_show_grants(cursor: Cursor) -> ShowGrants:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "GRANTS")
    on = _object(cursor) if cursor.accept("ON") else None
    to = _grantee(cursor) if on is None and cursor.accept("TO") else None
    return ShowGrants(on, to, parse_show_filter(cursor))


def _privileges(cursor: Cursor) -> tuple[Privilege, ...]:
    """The list as typed; empty for ALL [PRIVILEGES]."""
    if cursor.accept("ALL"):
        cursor.accept("PRIVILEGES")
        return ()
    found = [_privilege(cursor)]
    while cursor.accept_symbol(","):
        found.append(_privilege(cursor))
    return tuple(dict.fromkeys(found))


def _privilege(cursor: Cursor) -> Privilege:
    for privilege in sorted(Privilege, key=len, reverse=True):
        if cursor.accept(*privilege.split()):
            return privilege
    cursor.fail_expected("a privilege", hint=did_you_mean(cursor.token.text, tuple(Privilege)))


def _object(cursor: Cursor) -> GrantedObject:
    everything = cursor.accept("ALL", "TABLES", "IN")
    for words, kind in _KINDS:
        if cursor.accept(*words.split()):
            if everything and kind is not Securable.SCHEMA:
                cursor.position -= len(words.split())
                break
            return GrantedObject(words, kind, cursor.object_name(), everything)
    if not everything and cursor.token.is_name and _is_bare(cursor):
        return GrantedObject("TABLE", Securable.TABLE, cursor.object_name(), everything)
    kinds = ["SCHEMA"] if everything else [words for words, _ in _KINDS]
    cursor.fail_expected(" or ".join(kinds), hint=did_you_mean(cursor.token.text, kinds))


def _is_bare(cursor: Cursor) -> bool:
    """Whether a name comes without its kind, which then is a table, as elsewhere in SQL."""
    after = cursor.peek(1)
    return after.upper in ("TO", "FROM") or after.text == "."


def _grantee(cursor: Cursor) -> Grantee:
    if cursor.one_of(GranteeKind) == GranteeKind.ROLE:
        return Grantee(GranteeKind.ROLE, parse_role(cursor))
    return Grantee(GranteeKind.USER, user_name(cursor))


def _fitting(
    cursor: Cursor, privileges: tuple[Privilege, ...], on: GrantedObject, start: int
) -> tuple[Privilege, ...]:
    """The privileges, each of which the object can have; ALL is all of them but OWNERSHIP."""
    possible = FITTING[on.granted_kind]
    if not privileges:
        return tuple(p for p in possible if p is not Privilege.OWNERSHIP)
    for privilege in privileges:
        if privilege not in possible:
            raise UserError(
                "PRIVILEGE_DOES_NOT_FIT",
                privilege=privilege,
                kind=on.granted_kind.lower(),
                known=", ".join(possible),
                span=cursor.tokens[start].span,
            )
    return privileges
