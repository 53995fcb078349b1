"""From the name of a user to the user, with an error that suggests the nearest name."""

from __future__ import annotations

from headwater.access.users import User
from headwater.errors import UserError
from headwater.names import ObjectName, did_you_mean, show_identifier
from headwater.statements.context import Context


def find_user(context: Context, name: str) -> User:
    """The user of that name, or USER_NOT_FOUND."""
    user = context.store.users.get(name)
    if user is None:
        hint = None
        if context.session.identity.is_admin:
            hint = did_you_mean(name, [known.name for known in context.store.users.list()])
        span = context.span_of(ObjectName(name))
        raise UserError("USER_NOT_FOUND", name=show_identifier(name), span=span, hint=hint)
    return user
