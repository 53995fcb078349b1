"""Statements about users, tokens and alerts from the fields of a form. Pure.

Law: whatever stands in a field is one name, one literal or one word of a known list.
"""

from __future__ import annotations

from collections.abc import Mapping

from headwater.names import quote_literal, show_identifier
from headwater.sql.roles import Role
from headwater.studio.grant_texts import object_text

Values = Mapping[str, str]
ROLES = tuple(role.value for role in Role)
NO_ROLE = "as the user"
WATCHED = (
    "FAILURE OF ANY TASK",
    "TIMEOUT OF ANY TASK",
    "FAILURE OF TASK",
    "TIMEOUT OF TASK",
    "LAG OF DYNAMIC TABLE",
    "LAG OF PIPE",
    "STREAM",
)


def create_user_text(values: Values) -> str:
    """CREATE USER; the password is in it."""
    comment = values.get("comment", "")
    said = f" COMMENT {quote_literal(comment)}" if comment else ""
    return (
        f"CREATE USER {_name(values['name'])} PASSWORD {quote_literal(values['password'])}"
        f" ROLE {Role(values['role'])}{said}"
    )


def set_role_text(values: Values) -> str:
    """ALTER USER .. SET ROLE."""
    return f"ALTER USER {_name(values['name'])} SET ROLE {Role(values['role'])}"


def set_password_text(values: Values) -> str:
    """ALTER USER .. SET PASSWORD."""
    return f"ALTER USER {_name(values['name'])} SET PASSWORD {quote_literal(values['password'])}"


def set_disabled_text(values: Values) -> str:
    """ALTER USER .. SET DISABLED."""
    flag = "TRUE" if values["disabled"] == "disabled" else "FALSE"
    return f"ALTER USER {_name(values['name'])} SET DISABLED = {flag}"


def drop_user_text(values: Values) -> str:
    """DROP USER."""
    return f"DROP USER {_name(values['name'])}"


def create_token_text(values: Values) -> str:
    """CREATE TOKEN."""
    role = "" if values["role"] == NO_ROLE else f" ROLE {Role(values['role'])}"
    days = f" EXPIRES IN {int(values['days'])} DAYS" if values["days"].isdecimal() else ""
    user = _name(values["user"])
    return f"CREATE TOKEN {_name(values['name'])} FOR USER {user}{role}{days}"


def drop_token_text(name: str, user: str) -> str:
    """DROP TOKEN."""
    return f"DROP TOKEN {_name(name)} FOR USER {_name(user)}"


def create_alert_text(values: Values) -> str:
    """CREATE ALERT; the address is in it."""
    watched = values["watched"] if values["watched"] in WATCHED else WATCHED[0]
    if "ANY" not in watched:
        watched += f" {object_text(values['object'])}"
    if watched.startswith("LAG"):
        minutes = values["minutes"] if values["minutes"].isdecimal() else "60"
        watched += f" > INTERVAL {int(minutes)} MINUTE"
    if watched.startswith("STREAM"):
        watched += " NEAR STALE"
    address = quote_literal(values["address"])
    return f"CREATE ALERT {_name(values['name'])} ON {watched} NOTIFY {address}"


def _name(typed: str) -> str:
    return show_identifier(typed) if typed else "``"
