"""SHOW TOKENS: what there is to know of tokens, but for their secrets."""

from __future__ import annotations

from headwater.result import Column, Result
from headwater.sql.user_tokens import ShowTokens
from headwater.statements.context import Context
from headwater.statements.filtered import filtered

COLUMNS = (
    Column("name", "string"),
    Column("user", "string"),
    Column("role", "string"),
    Column("created_time", "timestamp"),
    Column("expires_time", "timestamp"),
    Column("last_used_time", "timestamp"),
)


def show_tokens(context: Context, statement: ShowTokens) -> Result:
    """The tokens of all users, or of one; those who are no admin see their own."""
    identity, local = context.session.identity, context.session.local
    rows = [
        (
            token.name,
            token.user,
            None if token.cap is None else token.cap.value,
            local(token.created_at),
            local(token.expires_at),
            local(token.last_used_at),
        )
        for token in context.store.tokens.list(statement.user)
        if identity.is_admin or token.user == identity.user
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=0)
