"""SHOW USERS."""

from __future__ import annotations

from headwater.result import Column, Result, Row
from headwater.sql.users import ShowUsers
from headwater.statements.context import Context
from headwater.statements.filtered import filtered

COLUMNS = (
    Column("name", "string"),
    Column("role", "string"),
    Column("disabled", "boolean"),
    Column("created_time", "timestamp"),
    Column("comment", "string"),
)


def show_users(context: Context, statement: ShowUsers) -> Result:
    """All users for an admin, for others themselves."""
    return filtered(context, COLUMNS, user_rows(context), statement.filter, like_column=0)


def user_rows(context: Context) -> list[Row]:
    """The users that the session may see."""
    identity = context.session.identity
    return [
        (
            user.name,
            user.role.value,
            user.disabled,
            context.session.local(user.created_at),
            user.comment,
        )
        for user in context.store.users.list()
        if identity.is_admin or user.name == identity.user
    ]
