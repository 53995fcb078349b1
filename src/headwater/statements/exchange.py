"""The exchange: the one folder of the machine that PUT and GET of a session may reach.

Law: a session with an exchange reads and writes no other local file by them, whoever its user is.
So its user needs no more than the right on the volume.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from headwater.errors import NotSupported
from headwater.sql.roles import Role
from headwater.sql.volume_files import Get, Put
from headwater.statements.context import Context

ROLES: dict[type, Role] = {Get: Role.VIEWER, Put: Role.OPERATOR}
"""What PUT and GET need in a session with an exchange, beside the right on the volume."""


def require_in_exchange(context: Context, statement: Put | Get) -> None:
    """LOCAL_FILES_NOT_REMOTE for a path outside the session's exchange, if it has one."""
    exchange = context.session.exchange
    if exchange is None:
        return
    if isinstance(statement, Get):
        inside = Path(statement.target) == exchange
    else:
        inside = _all_directly_in(exchange, statement.sources)
    if not inside:
        word = type(statement).__name__.upper()
        raise NotSupported("LOCAL_FILES_NOT_REMOTE", statement=word)


def _all_directly_in(folder: Path, paths: Iterable[str]) -> bool:
    return all(Path(path).parent == folder for path in paths)
