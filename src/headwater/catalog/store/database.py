"""One database, SQLite or PostgreSQL, and its transactions.

Invariant: a writing transaction on SQLite holds the write lock from its first moment, so it waits
for others instead of failing half-way; on PostgreSQL a row that a decision rests on is locked.
Threads of this process that write to SQLite form a line of their own: SQLite would let them sleep,
longer and longer, and look again.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager, nullcontext
from datetime import datetime
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Table,
    Transaction,
    create_engine,
    event,
    insert,
    text,
)
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.pool import NullPool
from sqlalchemy.util import LRUCache

from headwater.catalog.store.addresses import shown
from headwater.catalog.store.failures import busy, translated
from headwater.catalog.store.sqlite_dialect import announce_writing, sqlite_dialect
from headwater.errors import UserError

Clock = Callable[[], datetime]

_PATIENCE_SECONDS = 10
_MIGRATION_LOCK = 0x48656164776174  # "Headwat" in ASCII; any fixed number of ours will do
# A crash of the machine may cost the last transactions, never the file.
_SYNCHRONOUS = "NORMAL"
_SQLITE_TEXTS: MutableMapping[Any, Any] = LRUCache(1000)


class Database:
    """Gives out transactions; every access of the store goes through one of them."""

    def __init__(self, address: URL, *, clock: Clock) -> None:
        self.address = address
        self.clock = clock
        self._engine = _engine(address)
        self._turn = _Turn() if self.sqlite else nullcontext()

    @property
    def sqlite(self) -> bool:
        """Whether the database is a file."""
        return self.address.get_backend_name() == "sqlite"

    def close(self) -> None:
        """Gives back all connections."""
        self._engine.dispose()

    @contextmanager
    def read(self, connection: Connection | None = None) -> Iterator[Connection]:
        """A transaction that only reads, or the caller's own."""
        if connection is not None:
            yield connection
            return
        with translated(self.address), self._engine.begin() as own:
            yield own

    @contextmanager
    def write(self, connection: Connection | None = None) -> Iterator[Connection]:
        """A transaction that may write, or the caller's own."""
        if connection is not None:
            yield connection
            return
        with translated(self.address), self._turn, _writing(self._engine) as own:
            yield own

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A connection for transactions that follow each other and share temporary tables."""
        with translated(self.address), self._engine.connect() as own:
            yield own

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """A writing transaction that at most one process has at a time."""
        if not self.sqlite:
            with self.write() as connection:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), _migration_key())
                yield connection
            return
        # A migration that rebuilds a table drops the old one; with foreign keys enforced that would
        # delete the rows that refer to it, and SQLite cannot switch them off inside a transaction.
        engine = _engine(self.address, foreign_keys=False)
        try:
            with translated(self.address):
                _enter_wal(engine)
                with _writing(engine) as connection:
                    yield connection
        finally:
            engine.dispose()


class _Turn:
    """One thread of this process at a time; one that waited too long goes on and asks SQLite."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mine = threading.local()

    def __enter__(self) -> None:
        self._mine.held = self._lock.acquire(timeout=_PATIENCE_SECONDS)

    def __exit__(self, *failure: object) -> None:
        if self._mine.held:
            self._lock.release()


def begin_writing(connection: Connection) -> Transaction:
    """Begins a transaction that may write, on a connection of `Database.connect`."""
    announce_writing(connection)
    return connection.begin()


@contextmanager
def _writing(engine: Engine) -> Iterator[Connection]:
    with engine.connect() as connection, begin_writing(connection):
        yield connection


def insert_unless_taken(connection: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Inserts a row; False, with the transaction still usable, when a unique index forbids it."""
    # SQLite undoes a statement that fails and no more; PostgreSQL needs to be told how far.
    sqlite = connection.dialect.name == "sqlite"
    try:
        with nullcontext() if sqlite else connection.begin_nested():
            connection.execute(insert(table), values)
    except IntegrityError:
        return False
    return True


def _migration_key() -> dict[str, int]:
    return {"key": _MIGRATION_LOCK}


def _engine(address: URL, *, foreign_keys: bool = True) -> Engine:
    sqlite = address.get_backend_name() == "sqlite"
    options: dict[str, Any] = {} if sqlite else {"pool_pre_ping": True}
    if not foreign_keys:
        options["poolclass"] = NullPool
    if not sqlite and "connect_timeout" not in address.query:
        options["connect_args"] = {"connect_timeout": _PATIENCE_SECONDS}
    try:
        engine = create_engine(address, hide_parameters=True, **options)
    except ModuleNotFoundError as error:
        raise UserError(
            "CATALOG_DRIVER_MISSING", url=shown(address), module=error.name or "psycopg"
        ) from error
    if sqlite:
        _share_texts(engine)
        _listen_on_sqlite(engine, foreign_keys=foreign_keys)
    else:
        event.listen(engine, "connect", _on_postgres_connect)
    return engine


def _share_texts(engine: Engine) -> None:
    """Let all files find the texts of queries that were made for one.

    SQLAlchemy keeps them for each dialect, and each engine has one of its own: who opens a lake
    again, or another one, would wait until all of them are made anew.
    """
    engine.dialect = sqlite_dialect()
    engine.update_execution_options(compiled_cache=_SQLITE_TEXTS)


def _listen_on_sqlite(engine: Engine, *, foreign_keys: bool) -> None:
    def on_connect(connection: sqlite3.Connection, _record: object) -> None:
        # The driver's own idea of when a transaction begins is switched off: the dialect says so.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_SECONDS * 1000}")
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
        connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")

    event.listen(engine, "connect", on_connect)


def _on_postgres_connect(connection: Any, _record: object) -> None:
    connection.execute(f"SET lock_timeout = '{_PATIENCE_SECONDS}s'")
    connection.commit()


def _enter_wal(engine: Engine) -> None:
    """Makes the file a write-ahead-log database, once and for ever.

    SQLite does not wait for another process here whatever the timeout, so this does.
    """
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        # Raw, because SQLAlchemy would begin a transaction, in which the mode cannot change.
        pooled = engine.raw_connection()
        try:
            pooled.cursor().execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.Error as error:
            if not busy(error) or time.monotonic() > deadline:
                raise DBAPIError(None, None, error) from error
            time.sleep(0.02)
        finally:
            pooled.close()
