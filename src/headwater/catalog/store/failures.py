"""Turning what a database driver raises into Headwater's kinds of error.

Invariant: nothing that leaves the store shows a password or a SQLAlchemy class.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL
from sqlalchemy.exc import (
    DBAPIError,
    InterfaceError,
    OperationalError,
    SQLAlchemyError,
    TimeoutError,
)

from headwater.catalog.store.addresses import shown, without_secrets
from headwater.errors import HeadwaterError, InternalError, TransientError, UserError

# Primary result codes of SQLite; the driver may give an extended code, whose low byte they are.
_SQLITE_BUSY, _SQLITE_LOCKED, _SQLITE_CORRUPT, _SQLITE_NOT_A_DATABASE = 5, 6, 11, 26
_SQLITE_PERMISSION, _SQLITE_NO_MEMORY, _SQLITE_READ_ONLY, _SQLITE_IO = 3, 7, 8, 10
_SQLITE_FULL, _SQLITE_CANNOT_OPEN, _SQLITE_PROTOCOL = 13, 14, 15
_SQLITE_DAMAGE = frozenset({_SQLITE_CORRUPT, _SQLITE_NOT_A_DATABASE})
_SQLITE_TRANSIENT = frozenset(
    {_SQLITE_BUSY, _SQLITE_LOCKED, _SQLITE_PERMISSION, _SQLITE_NO_MEMORY, _SQLITE_READ_ONLY}
    | {_SQLITE_IO, _SQLITE_FULL, _SQLITE_CANNOT_OPEN, _SQLITE_PROTOCOL}
)
_POSTGRES_CORRUPT = frozenset({"XX001", "XX002"})
_POSTGRES_TRANSIENT = frozenset({"08", "40", "53", "55", "57", "58"})


@contextmanager
def translated(address: URL) -> Iterator[None]:
    """Runs its block; an error of the database leaves it as one of Headwater's."""
    try:
        yield
    except SQLAlchemyError as error:
        text = str(error)
        secret_free = without_secrets(text, address) == " ".join(text.split())
        # A driver's text that quotes a secret must not be printed as the cause either.
        raise translate(error, address) from (error if secret_free else None)


def translate(error: SQLAlchemyError, address: URL) -> HeadwaterError:
    """The error to raise in place of `error`."""
    original = error.orig if isinstance(error, DBAPIError) else None
    reason = without_secrets(str(original or error), address)
    where = shown(address)
    if _corrupt(original):
        return UserError("CATALOG_CORRUPT", url=where, reason=reason)
    if _transient(error, original):
        return TransientError("CATALOG_UNAVAILABLE", url=where, reason=reason)
    return InternalError("CATALOG_FAILURE", url=where, reason=reason)


def busy(error: sqlite3.Error) -> bool:
    """Whether another process holds the lock of a SQLite file."""
    return _sqlite_code(error) in (_SQLITE_BUSY, _SQLITE_LOCKED)


def _corrupt(original: BaseException | None) -> bool:
    state = getattr(original, "sqlstate", None)
    return _sqlite_code(original) in _SQLITE_DAMAGE or state in _POSTGRES_CORRUPT


def _transient(error: SQLAlchemyError, original: BaseException | None) -> bool:
    if isinstance(error, TimeoutError):
        return True
    code = _sqlite_code(original)
    if code is not None:
        return code in _SQLITE_TRANSIENT
    state = getattr(original, "sqlstate", None)
    if state is not None and state[:2] in _POSTGRES_TRANSIENT:
        return True
    return isinstance(error, OperationalError | InterfaceError)


def _sqlite_code(original: BaseException | None) -> int | None:
    code: int | None = getattr(original, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
