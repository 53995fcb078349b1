"""The store's users and their tokens.

Invariant: neither a password nor a token is kept, only what proves them; a user that is dropped
loses its tokens and grants, and its row stays to say that it was.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, func, select, update

from headwater.access.users import Token, User
from headwater.catalog.store.access_model import grants, user_tokens, users
from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.errors import UserError
from headwater.names import show_identifier
from headwater.sql.grants import GranteeKind
from headwater.sql.privileges import Privilege
from headwater.sql.roles import Role


class Users:
    """Makes, finds, changes and drops users."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, user: User, *, connection: Connection | None = None) -> None:
        """Adds a user; USER_ALREADY_EXISTS when the name is taken."""
        values = {
            "id": user.id,
            "name": user.name,
            "created_at": user.created_at,
            **_changeable(user),
        }
        with self._database.write(connection) as own:
            if not insert_unless_taken(own, users, values):
                raise UserError("USER_ALREADY_EXISTS", name=show_identifier(user.name))

    def get(self, name: str, *, connection: Connection | None = None) -> User | None:
        """The user of that name, or None."""
        query = select(users).where(users.c.name == name, users.c.dropped_at.is_(None))
        with self._database.read(connection) as own:
            row = own.execute(query).one_or_none()
        return None if row is None else _user(row)

    def latest(self, name: str, *, connection: Connection | None = None) -> User | None:
        """The user who has or last had a name; None if nobody ever had it."""
        query = select(users).where(users.c.name == name)
        with self._database.read(connection) as own:
            found = [_user(row) for row in own.execute(query)]
        live = [user for user in found if user.dropped_at is None]
        return next(iter((*live, *found)), None)

    def list(self, *, connection: Connection | None = None) -> builtins.list[User]:
        """All users by name."""
        query = select(users).where(users.c.dropped_at.is_(None)).order_by(users.c.name)
        with self._database.read(connection) as own:
            return [_user(row) for row in own.execute(query)]

    def update(self, user: User, *, connection: Connection | None = None) -> None:
        """Stores password, role, comment and whether it is disabled."""
        statement = update(users).where(users.c.id == user.id, users.c.dropped_at.is_(None))
        with self._database.write(connection) as own, _keeping_an_admin(own, user):
            if not own.execute(statement.values(_changeable(user))).rowcount:
                raise UserError("USER_NOT_FOUND", name=show_identifier(user.name))

    def drop(self, user: User, at: datetime, *, connection: Connection | None = None) -> None:
        """Marks a user as dropped, revokes its tokens and removes what it was granted.

        What it owns stays its own, and stands still until somebody else owns it.
        """
        statement = update(users).where(users.c.id == user.id, users.c.dropped_at.is_(None))
        revoke = update(user_tokens).where(
            user_tokens.c.user_id == user.id, user_tokens.c.revoked_at.is_(None)
        )
        with self._database.write(connection) as own, _keeping_an_admin(own, user):
            if not own.execute(statement.values(dropped_at=at)).rowcount:
                raise UserError("USER_NOT_FOUND", name=show_identifier(user.name))
            own.execute(revoke.values(revoked_at=at))
            own.execute(
                delete(grants).where(
                    grants.c.grantee_kind == GranteeKind.USER,
                    grants.c.grantee == user.name,
                    grants.c.privilege != Privilege.OWNERSHIP,
                )
            )


@contextmanager
def _keeping_an_admin(own: Connection, changed: User) -> Iterator[None]:
    """Where there is somebody who may do everything, one must be left."""
    working = (
        (users.c.role == Role.ADMIN) & users.c.disabled.is_(False) & users.c.dropped_at.is_(None)
    )
    query = select(func.count()).select_from(users).where(working)
    before = own.execute(query).scalar_one()
    yield
    if before and not own.execute(query).scalar_one():
        raise UserError("USER_IS_LAST_ADMIN", name=show_identifier(changed.name))


class Tokens:
    """Makes, finds and revokes tokens."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, token: Token, *, connection: Connection | None = None) -> None:
        """Adds a token of a user."""
        with self._database.write(connection) as own:
            values = {
                "id": token.id,
                "user_id": _user_id(own, token.user),
                "name": token.name,
                "secret_hash": token.secret_hash,
                "cap": token.cap,
                "created_at": token.created_at,
                "expires_at": token.expires_at,
            }
            if not insert_unless_taken(own, user_tokens, values):
                user = show_identifier(token.user)
                name = show_identifier(token.name)
                raise UserError("TOKEN_ALREADY_EXISTS", name=name, user=user)

    def by_id(self, token_id: str, *, connection: Connection | None = None) -> Token | None:
        """The token with that id, revoked or not, or None."""
        with self._database.read(connection) as own:
            row = own.execute(_select().where(user_tokens.c.id == token_id)).one_or_none()
        return None if row is None else _token(row)

    def list(
        self, user: str | None = None, *, connection: Connection | None = None
    ) -> builtins.list[Token]:
        """The tokens that were not revoked, of one user or of all."""
        query = _select().where(user_tokens.c.revoked_at.is_(None))
        if user is not None:
            query = query.where(users.c.name == user)
        with self._database.read(connection) as own:
            rows = own.execute(query.order_by(users.c.name, user_tokens.c.name))
            return [_token(row) for row in rows]

    def revoke(
        self, user: str, name: str, at: datetime, *, connection: Connection | None = None
    ) -> None:
        """Makes a token worthless; TOKEN_NOT_FOUND when there is none."""
        with self._database.write(connection) as own:
            statement = update(user_tokens).where(
                user_tokens.c.user_id == _user_id(own, user),
                user_tokens.c.name == name,
                user_tokens.c.revoked_at.is_(None),
            )
            if not own.execute(statement.values(revoked_at=at)).rowcount:
                shown = show_identifier(name)
                raise UserError("TOKEN_NOT_FOUND", name=shown, user=show_identifier(user))

    def used(self, token_id: str, at: datetime, *, connection: Connection | None = None) -> None:
        """Notes when a token was last used."""
        statement = update(user_tokens).where(user_tokens.c.id == token_id)
        with self._database.write(connection) as own:
            own.execute(statement.values(last_used_at=at))


def _user_id(own: Connection, name: str) -> str:
    query = select(users.c.id).where(users.c.name == name, users.c.dropped_at.is_(None))
    found: str | None = own.execute(query).scalar_one_or_none()
    if found is None:
        raise UserError("USER_NOT_FOUND", name=show_identifier(name))
    return found


def _select() -> Select[Any]:
    return select(user_tokens, users.c.name.label("user_name")).join_from(user_tokens, users)


def _changeable(user: User) -> dict[str, Any]:
    return {
        "password_hash": user.password_hash,
        "role": user.role,
        "disabled": user.disabled,
        "comment": user.comment,
    }


def _user(row: Row[Any]) -> User:
    return User(
        id=row.id,
        name=row.name,
        password_hash=row.password_hash,
        role=Role(row.role),
        created_at=row.created_at,
        disabled=row.disabled,
        comment=row.comment,
        dropped_at=row.dropped_at,
    )


def _token(row: Row[Any]) -> Token:
    return Token(
        id=row.id,
        name=row.name,
        user=row.user_name,
        secret_hash=row.secret_hash,
        created_at=row.created_at,
        cap=None if row.cap is None else Role(row.cap),
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
    )
