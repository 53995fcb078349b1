"""DROP USER."""

from __future__ import annotations

from headwater.names import show_identifier
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.users import DropUser
from headwater.statements.context import Context
from headwater.statements.find_user import find_user


def drop_user(context: Context, statement: DropUser) -> Result:
    """Shut a user out for good; what it owns waits for another owner."""
    name = show_identifier(statement.name)
    if statement.if_exists and context.store.users.get(statement.name) is None:
        return Result(message=f"there is no user {name}")
    context.store.users.drop(find_user(context, statement.name), now())
    return Result(message=f"user {name} dropped")
