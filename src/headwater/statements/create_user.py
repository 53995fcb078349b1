"""CREATE USER."""

from __future__ import annotations

import uuid

from headwater.access.users import User
from headwater.names import show_identifier
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.runtime.credentials import hash_password
from headwater.sql.users import CreateUser
from headwater.statements.context import Context


def create_user(context: Context, statement: CreateUser) -> Result:
    """Let somebody log in."""
    name, users = show_identifier(statement.name), context.store.users
    if statement.if_not_exists and users.get(statement.name) is not None:
        return Result(message=f"user {name} exists already")
    users.create(
        User(
            id=uuid.uuid4().hex,
            name=statement.name,
            password_hash=hash_password(statement.password),
            role=statement.role,
            created_at=now(),
            comment=statement.comment,
        )
    )
    return Result(message=f"user {name} created")
