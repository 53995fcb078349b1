"""CREATE, DROP and SHOW of tokens: secrets that stand for a user, for programs."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import UserError
from headwater.names import show_identifier
from headwater.sql.cursor import Cursor
from headwater.sql.roles import Role
from headwater.sql.show_filter import NO_FILTER, ShowFilter, parse_show_filter
from headwater.sql.users import parse_role, user_name

MOST_DAYS = 3650


@dataclass(frozen=True, slots=True)
class CreateToken:
    """CREATE TOKEN t FOR USER u [ROLE cap] [EXPIRES IN n DAYS]."""

    name: str
    user: str
    cap: Role | None = None
    days: int | None = None

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        cap = "" if self.cap is None else f" ROLE {self.cap}"
        expiry = "" if self.days is None else f" EXPIRES IN {self.days} DAYS"
        return f"CREATE TOKEN {_of(self.name, self.user)}{cap}{expiry}"


@dataclass(frozen=True, slots=True)
class DropToken:
    """DROP TOKEN [IF EXISTS] t FOR USER u; REVOKE TOKEN is the same."""

    name: str
    user: str
    if_exists: bool = False

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        return f"DROP TOKEN {'IF EXISTS ' if self.if_exists else ''}{_of(self.name, self.user)}"


@dataclass(frozen=True, slots=True)
class ShowTokens:
    """SHOW TOKENS [FOR USER u] [LIKE|WHERE] [LIMIT]."""

    user: str | None = None
    filter: ShowFilter = NO_FILTER

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        whose = "" if self.user is None else f" FOR USER {show_identifier(self.user)}"
        return f"SHOW TOKENS{whose}{self.filter.to_sql()}"


def parse_create_token(cursor: Cursor) -> CreateToken:
    """Read the statement; the cursor stands before CREATE."""
    cursor.expect("CREATE", "TOKEN")
    name = _name(cursor)
    cursor.expect("FOR", "USER")
    user = user_name(cursor)
    cap = parse_role(cursor) if cursor.accept("ROLE") else None
    days = _days(cursor) if cursor.accept("EXPIRES", "IN") else None
    cursor.expect_end()
    return CreateToken(name, user, cap, days)


def parse_drop_token(cursor: Cursor) -> DropToken:
    """Read the statement; the cursor stands before DROP or REVOKE."""
    cursor.one_of(("DROP", "REVOKE"))
    cursor.expect("TOKEN")
    if_exists = cursor.accept("IF", "EXISTS")
    name = _name(cursor)
    cursor.expect("FOR", "USER")
    user = user_name(cursor)
    cursor.expect_end()
    return DropToken(name, user, if_exists)


def parse_show_tokens(cursor: Cursor) -> ShowTokens:
    """Read the statement; the cursor stands before SHOW."""
    cursor.expect("SHOW", "TOKENS")
    user = user_name(cursor) if cursor.accept("FOR", "USER") else None
    return ShowTokens(user, parse_show_filter(cursor))


def _name(cursor: Cursor) -> str:
    return cursor.name("the token's name").lower()


def _days(cursor: Cursor) -> int:
    span = cursor.token.span
    days = cursor.integer("a number of days")
    if not (cursor.accept("DAYS") or cursor.accept("DAY")):
        cursor.fail_expected("DAYS")
    if not 1 <= days <= MOST_DAYS:
        expected = f"1 to {MOST_DAYS}"
        raise UserError(
            "PROPERTY_VALUE", name="EXPIRES IN", value=str(days), expected=expected, span=span
        )
    return days


def _of(name: str, user: str) -> str:
    return f"{show_identifier(name)} FOR USER {show_identifier(user)}"
