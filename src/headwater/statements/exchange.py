"""The exchange: the one folder of the machine that PUT and GET of a session may reach.

Law: a session with an exchange reads and writes no other local file by them, whoever its user is.
So its user needs no more than the right on the volume.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from headwater.errors import NotSupported, UserError
from headwater.sql.roles import Role
from headwater.sql.volume_files import Get, Put
from headwater.statements.context import Context

ROLES: dict[type, Role] = {Get: Role.VIEWER, Put: Role.OPERATOR}
"""What PUT and GET need in a session with an exchange, beside the right on the volume."""


def put_in_exchange(context: Context, statement: Put) -> Put:
    """The statement with whole paths: a mere name is that of a file in the exchange."""
    exchange = context.session.exchange
    if exchange is None:
        _require_local_files(context, statement)
        return statement
    sources = tuple(str(exchange / path) if "/" not in path else path for path in statement.sources)
    whole = replace(statement, sources=sources)
    _require_in_exchange(exchange, whole)
    return whole


def get_in_exchange(context: Context, statement: Get) -> Get:
    """The statement with a whole path: `.` is the exchange."""
    exchange = context.session.exchange
    if exchange is None:
        _require_local_files(context, statement)
        return statement
    target = str(exchange) if statement.target == "." else statement.target
    whole = replace(statement, target=target)
    _require_in_exchange(exchange, whole)
    return whole


def shown_path(context: Context, path: Path) -> str:
    """A local path as rows show it: of the exchange only what the client knows."""
    exchange = context.session.exchange
    return str(path) if exchange is None else str(path.relative_to(exchange))


def require_room(context: Context, sizes: Iterable[int]) -> None:
    """EXCHANGE_TOO_LARGE for files that an exchange may not hold together."""
    most = context.lake.config.studio_upload_megabytes * 1024 * 1024
    if context.session.exchange is not None and sum(sizes) > most:
        raise UserError("EXCHANGE_TOO_LARGE", most=most)


def _require_local_files(context: Context, statement: Put | Get) -> None:
    if not context.session.local_files:
        raise _not_remote(statement)


def _require_in_exchange(exchange: Path, statement: Put | Get) -> None:
    if isinstance(statement, Get):
        inside = Path(statement.target) == exchange
    else:
        inside = _all_directly_in(exchange, statement.sources)
    if not inside:
        raise _not_remote(statement)


def _not_remote(statement: Put | Get) -> NotSupported:
    return NotSupported("LOCAL_FILES_NOT_REMOTE", statement=type(statement).__name__.upper())


def _all_directly_in(folder: Path, paths: Iterable[str]) -> bool:
    return all(Path(path).parent == folder for path in paths)
