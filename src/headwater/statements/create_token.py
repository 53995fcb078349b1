"""CREATE TOKEN: the only statement that shows its secret, and only once."""

from __future__ import annotations

from datetime import timedelta

from headwater.access.users import Token
from headwater.result import Result, string_columns
from headwater.runtime.clock import now
from headwater.runtime.credentials import new_token
from headwater.sql.roles import Role
from headwater.sql.user_tokens import CreateToken
from headwater.statements.context import Context
from headwater.statements.find_user import find_user

COLUMNS = string_columns("name", "user", "role", "token")


def create_token(context: Context, statement: CreateToken) -> Result:
    """Make a token; it is never worth more than the session that asks for it."""
    user = find_user(context, statement.user)
    at, made = now(), new_token()
    cap = _cap(context, statement.cap)
    expires_at = None if statement.days is None else at + timedelta(days=statement.days)
    token = Token(made.id, statement.name, user.name, made.secret_hash, at, cap, expires_at)
    context.store.tokens.create(token)
    role = user.role.capped(cap)
    return Result.from_rows(COLUMNS, [(statement.name, user.name, role.value, made.text)])


def _cap(context: Context, asked: Role | None) -> Role | None:
    identity = context.session.identity
    if identity.is_admin:
        return asked
    # A session that came by a token may be worth less than its user.
    return identity.role.capped(asked)
