"""CREATE, ALTER and DROP USER, SHOW USERS; and the tokens that stand for users."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from headwater.errors import UserError
from headwater.names import did_you_mean, quote_literal, show_identifier
from headwater.sql.cursor import Cursor
from headwater.sql.roles import Role
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@\-]{0,63}\Z")
SHORTEST_PASSWORD = 8
LONGEST_PASSWORD = 1024
# Long enough to be read again as a password.
_COVER = "'********'"


@dataclass(frozen=True, slots=True)
class CreateUser:
    """CREATE USER [IF NOT EXISTS] u PASSWORD '..' ROLE r [COMMENT '..']."""

    name: str
    password: str = field(repr=False)
    role: Role
    comment: str | None = None
    if_not_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling, without the password."""
        guard = "IF NOT EXISTS " if self.if_not_exists else ""
        comment = "" if self.comment is None else f" COMMENT {quote_literal(self.comment)}"
        name = show_identifier(self.name)
        return f"CREATE USER {guard}{name} PASSWORD {_COVER} ROLE {self.role}{comment}"


@dataclass(frozen=True, slots=True)
class AlterUser:
    """ALTER USER u SET PASSWORD '..' | ROLE r | DISABLED = TRUE|FALSE | COMMENT '..'."""

    name: str
    password: str | None = field(default=None, repr=False)
    role: Role | None = None
    disabled: bool | None = None
    comment: str | None = None

    def to_sql(self) -> str:
        """The statement in its canonical spelling, without the password."""
        if self.password is not None:
            change = f"PASSWORD {_COVER}"
        elif self.role is not None:
            change = f"ROLE {self.role}"
        elif self.disabled is not None:
            change = f"DISABLED = {str(self.disabled).upper()}"
        else:
            change = f"COMMENT {quote_literal(self.comment or '')}"
        return f"ALTER USER {show_identifier(self.name)} SET {change}"


@dataclass(frozen=True, slots=True)
class DropUser:
    """DROP USER [IF EXISTS] u."""

    name: str
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        guard = "IF EXISTS " if self.if_exists else ""
        return f"DROP USER {guard}{show_identifier(self.name)}"


@dataclass(frozen=True, slots=True)
class ShowUsers:
    """SHOW USERS [LIKE|WHERE] [LIMIT]."""

    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW USERS{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class ShowAudit:
    """SHOW AUDIT [LIKE|WHERE] [LIMIT]; LIKE looks at the user."""

    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW AUDIT{self.filter.to_sql()}"


@dataclass(frozen=True, slots=True)
class ShowRoles:
    """SHOW ROLES [LIKE|WHERE] [LIMIT]."""

    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"SHOW ROLES{self.filter.to_sql()}"


def parse_create_user(cursor: Cursor) -> CreateUser:
    """Read the statement; the cursor stands before CREATE."""
    cursor.expect("CREATE", "USER")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    name = _new_name(cursor)
    cursor.expect("PASSWORD")
    password = _password(cursor)
    cursor.expect("ROLE")
    role = parse_role(cursor)
    comment = cursor.string("a comment") if cursor.accept("COMMENT") else None
    cursor.expect_end()
    return CreateUser(name, password, role, comment, if_not_exists)


def parse_alter_user(cursor: Cursor) -> AlterUser:
    """Read the statement; the cursor stands before ALTER."""
    cursor.expect("ALTER", "USER")
    name = user_name(cursor)
    cursor.expect("SET")
    what = cursor.one_of(("PASSWORD", "ROLE", "DISABLED", "COMMENT"))
    cursor.accept_symbol("=")
    if what == "PASSWORD":
        change = AlterUser(name, password=_password(cursor))
    elif what == "ROLE":
        change = AlterUser(name, role=parse_role(cursor))
    elif what == "DISABLED":
        change = AlterUser(name, disabled=cursor.one_of(("TRUE", "FALSE")) == "TRUE")
    else:
        change = AlterUser(name, comment=cursor.string("a comment"))
    cursor.expect_end()
    return change


def parse_drop_user(cursor: Cursor) -> DropUser:
    """Read the statement; the cursor stands before DROP."""
    cursor.expect("DROP", "USER")
    if_exists = cursor.accept("IF", "EXISTS")
    name = user_name(cursor)
    cursor.expect_end()
    return DropUser(name, if_exists)


def parse_show_users(cursor: Cursor) -> ShowUsers:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "USERS")
    return ShowUsers(parse_show_filter(cursor))


def parse_show_audit(cursor: Cursor) -> ShowAudit:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "AUDIT")
    return ShowAudit(parse_show_filter(cursor))


def parse_show_roles(cursor: Cursor) -> ShowRoles:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "ROLES")
    return ShowRoles(parse_show_filter(cursor))


def user_name(cursor: Cursor) -> str:
    """Take the name of a user, which ignores case."""
    return cursor.name("the user's name").lower()


def parse_role(cursor: Cursor) -> Role:
    """Take the name of a role."""
    span = cursor.token.span
    word = cursor.name("a role").lower()
    if word not in tuple(Role):
        known = ", ".join(Role)
        hint = did_you_mean(word, tuple(Role)) or f"roles are {known}"
        raise UserError("ROLE_NOT_FOUND", name=word, span=span, hint=hint)
    return Role(word)


def _new_name(cursor: Cursor) -> str:
    span = cursor.token.span
    name = user_name(cursor)
    if not _NAME.match(name):
        raise UserError("USER_NAME", name=name, span=span)
    return name


def _password(cursor: Cursor) -> str:
    span = cursor.token.span
    password = cursor.string("the password in quotes")
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise UserError(
            "PASSWORD_LENGTH", shortest=SHORTEST_PASSWORD, longest=LONGEST_PASSWORD, span=span
        )
    return password
