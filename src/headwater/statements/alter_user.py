"""ALTER USER."""

from __future__ import annotations

from dataclasses import replace

from headwater.names import show_identifier
from headwater.result import Result
from headwater.runtime.credentials import hash_password
from headwater.sql.users import AlterUser
from headwater.statements.context import Context
from headwater.statements.find_user import find_user


def alter_user(context: Context, statement: AlterUser) -> Result:
    """Give a user another password, role or comment, or shut it out."""
    user = find_user(context, statement.name)
    if statement.password is not None:
        user = replace(user, password_hash=hash_password(statement.password))
    if statement.role is not None:
        user = replace(user, role=statement.role)
    if statement.disabled is not None:
        user = replace(user, disabled=statement.disabled)
    if statement.comment is not None:
        user = replace(user, comment=statement.comment)
    context.store.users.update(user)
    return Result(message=f"user {show_identifier(user.name)} altered")
