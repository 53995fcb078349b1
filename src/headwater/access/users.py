"""Users, their tokens, and what the audit keeps, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from headwater.sql.roles import Role


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who may log in; of one that was dropped it stays known that it was."""

    id: str
    name: str
    password_hash: str
    role: Role
    created_at: datetime
    disabled: bool = False
    comment: str | None = None
    dropped_at: datetime | None = None

    @property
    def works(self) -> bool:
        """Whether it may log in, and what it owns may run."""
        return not self.disabled and self.dropped_at is None


@dataclass(frozen=True, slots=True)
class Token:
    """A secret that stands for a user, kept only as its SHA-256."""

    id: str
    name: str
    user: str
    secret_hash: str
    created_at: datetime
    cap: Role | None = None
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None

    def works(self, at: datetime) -> bool:
        """Whether it may be used at a moment."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


class AuditKind(StrEnum):
    """What happened."""

    LOGIN = "LOGIN"
    LOGIN_FAILED = "LOGIN_FAILED"
    DDL = "DDL"
    GRANT = "GRANT"
    USER = "USER"
    DENIED = "DENIED"


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One line of the audit; `text` is masked before it comes here."""

    at: datetime
    user: str
    kind: AuditKind
    object: str = ""
    text: str = ""
    job_id: str | None = None
    ok: bool = True
    address: str | None = None
