"""What SQLAlchemy knows of SQLite, and when a transaction on a SQLite file begins.

Invariant: a transaction that is to write holds the write lock from its first moment.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Connection, Dialect, create_engine
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine.interfaces import DBAPIConnection

_WRITING = "headwater_writing"
_DRIVER = "headwater"


class BeginningDialect(SQLiteDialect_pysqlite):
    """Says BEGIN itself: what the driver thinks of when transactions begin is switched off."""

    driver = _DRIVER
    supports_statement_cache = True

    # A listener for `begin` would do, but then SQLAlchemy looks for listeners at each statement,
    # which takes a fifth of its time.
    def do_begin(self, dbapi_connection: DBAPIConnection) -> None:
        """Begin, as announced."""
        pooled: Any = dbapi_connection
        writing = pooled.info.pop(_WRITING, False)
        pooled.dbapi_connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")


def announce_writing(connection: Connection) -> None:
    """The transaction that begins next on this connection is to write."""
    connection.info[_WRITING] = True


@cache
def sqlite_dialect() -> Dialect:
    """The one of this process; it has learned the version of the library."""
    registry.register(f"sqlite.{_DRIVER}", __name__, BeginningDialect.__name__)
    engine = create_engine(f"sqlite+{_DRIVER}://")
    with engine.connect():
        return engine.dialect
