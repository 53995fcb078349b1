"""DROP TOKEN, and REVOKE TOKEN."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.names import show_identifier
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.user_tokens import DropToken
from headwater.statements.context import Context
from headwater.statements.find_user import find_user


def drop_token(context: Context, statement: DropToken) -> Result:
    """Make a token worthless, from its next use on."""
    name = show_identifier(statement.name)
    user = find_user(context, statement.user)
    try:
        context.store.tokens.revoke(user.name, statement.name, now())
    except UserError as error:
        if error.condition != "TOKEN_NOT_FOUND" or not statement.if_exists:
            raise
        return Result(message=f"there is no token {name}")
    return Result(message=f"token {name} dropped")
