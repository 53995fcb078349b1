"""Logging in, for whatever lets others reach a lake: from a password or a token to an identity.

Law: a wrong name and a wrong secret look the same and take as long; whoever fails too often waits,
by name and by address; every login by password and every failure is in the audit.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil

from headwater.access.grants import Identity
from headwater.access.login_limits import LoginLimits
from headwater.access.users import AuditEvent, AuditKind, Token, User
from headwater.catalog.store import Store
from headwater.errors import UserError
from headwater.runtime.credentials import (
    check_password,
    check_secret,
    hash_password,
    new_token,
    token_parts,
    unknown_user_hash,
)
from headwater.sql.roles import Role

FIRST_ADMIN = "admin"
FIRST_TOKEN = "first"  # noqa: S105 - its name
_NOTED_EVERY = timedelta(minutes=1)
_AUDITED_EVERY = timedelta(hours=1)
_UNKNOWN_TOKEN = "?"  # noqa: S105 - who cannot be told
_TRIES_BY_ADDRESS = 20


@dataclass(slots=True)
class Logins:
    """The door of one lake; threads may share it."""

    store: Store
    clock: Callable[[], datetime]
    by_user: LoginLimits = field(default_factory=LoginLimits)
    by_address: LoginLimits = field(
        default_factory=lambda: LoginLimits(burst=_TRIES_BY_ADDRESS, seconds_per_try=3.0)
    )
    # Apart from passwords: a script that goes on with a token of yesterday keeps nobody out.
    by_address_of_tokens: LoginLimits = field(
        default_factory=lambda: LoginLimits(burst=_TRIES_BY_ADDRESS, seconds_per_try=3.0)
    )
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def with_password(self, name: str, password: str, *, address: str) -> Identity:
        """The identity of a user; LOGIN_FAILED, or LOGIN_TOO_OFTEN without looking."""
        name = name.lower()
        self._take_try(name, address)
        user = self.store.users.get(name)
        kept = unknown_user_hash() if user is None else user.password_hash
        if not check_password(password, kept) or user is None or not user.works:
            raise self._failed(name, address)
        self._give_back(name, address)
        self._audit(AuditKind.LOGIN, user.name, address)
        return Identity(user.name, user.role)

    def with_token(self, text: str, *, address: str) -> Identity:
        """The identity that a token stands for; its role is the lesser of user's and token's.

        Nobody guesses a token, so one that is right gets in whatever others at its address tried.
        """
        found = self._proven(text)
        if found is None:
            with self._lock:
                self._require_try(self.by_address_of_tokens, address)
                self.by_address_of_tokens.spend(address, self.clock())
            raise self._failed(_UNKNOWN_TOKEN, address)
        token, user = found
        self._note_use(token, address)
        return Identity(user.name, user.role.capped(token.cap))

    def is_token(self, text: str) -> bool:
        """Whether a text has the shape of a token, whosever it is."""
        return token_parts(text) is not None

    def _proven(self, text: str) -> tuple[Token, User] | None:
        parts = token_parts(text)
        token = None if parts is None else self.store.tokens.by_id(parts[0])
        if parts is None or token is None or not check_secret(parts[1], token.secret_hash):
            return None
        user = self.store.users.get(token.user)
        if user is None or not user.works or not token.works(self.clock()):
            return None
        return token, user

    def _note_use(self, token: Token, address: str) -> None:
        at, last = self.clock(), token.last_used_at
        if last is not None and at - last < _NOTED_EVERY:
            return
        self.store.tokens.used(token.id, at)
        if last is None or at - last >= _AUDITED_EVERY:
            self._audit(AuditKind.LOGIN, token.user, address, shown=f"TOKEN {token.name}")

    def _take_try(self, name: str, address: str) -> None:
        """Before looking, so that tries at the same moment count, too."""
        with self._lock:
            self._require_try(self.by_user, name)
            self._require_try(self.by_address, address)
            at = self.clock()
            self.by_user.spend(name, at)
            self.by_address.spend(address, at)

    def _give_back(self, name: str, address: str) -> None:
        with self._lock:
            self.by_user.clear(name)
            self.by_address.clear(address)

    def _require_try(self, limits: LoginLimits, key: str) -> None:
        seconds = limits.wait(key, self.clock())
        if seconds > 0:
            raise UserError("LOGIN_TOO_OFTEN", seconds=ceil(seconds))

    def _failed(self, name: str, address: str) -> UserError:
        self._audit(AuditKind.LOGIN_FAILED, name, address, ok=False)
        return UserError("LOGIN_FAILED")

    def _audit(
        self, kind: AuditKind, user: str, address: str, *, shown: str = "", ok: bool = True
    ) -> None:
        event = AuditEvent(self.clock(), user, kind, shown, ok=ok, address=address)
        self.store.audit.add(event)


def first_admin_token(store: Store, *, at: datetime) -> str | None:
    """A token of a first admin, for a lake that has no user yet; None for every other lake.

    Its password is one that nobody knows, so the token is the only way in until it is set.
    """
    if store.users.list():
        return None
    made = new_token()
    unknown = hash_password(new_token().text)
    admin = User(uuid.uuid4().hex, FIRST_ADMIN, unknown, Role.ADMIN, at)
    token = Token(made.id, FIRST_TOKEN, FIRST_ADMIN, made.secret_hash, at)
    try:
        with store.begin() as connection:
            store.users.create(admin, connection=connection)
            store.tokens.create(token, connection=connection)
    except UserError as error:
        # Another process was the first.
        if error.condition != "USER_ALREADY_EXISTS":
            raise
        return None
    return made.text
