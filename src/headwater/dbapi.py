"""PEP 249: connections and cursors. A connection is also the session: `connection.sql(text)`.

Threads may share the module and connections (threadsafety 2); a cursor belongs to one thread.
There are no transactions: every statement commits by itself, so `commit` does nothing and
`rollback` is refused.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from headwater import errors
from headwater.errors import InterfaceError, NotSupported
from headwater.lake_session import LakeSession
from headwater.result import Result, Row
from headwater.session import Session
from headwater.sql.binding import bind, bind_rows
from headwater.type_codes import type_code

apilevel = "2.0"
threadsafety = 2
paramstyle = "qmark"

Parameters = Sequence[Any] | Mapping[str, Any]

Date = datetime.date
Time = datetime.time
Timestamp = datetime.datetime
Binary = bytes


def DateFromTicks(ticks: float) -> datetime.date:  # noqa: N802 - the name is fixed by PEP 249
    """A date from seconds since the epoch."""
    return datetime.date(*time.localtime(ticks)[:3])


def TimeFromTicks(ticks: float) -> datetime.time:  # noqa: N802 - the name is fixed by PEP 249
    """A time of day from seconds since the epoch."""
    return datetime.time(*time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks: float) -> datetime.datetime:  # noqa: N802 - fixed by PEP 249
    """A timestamp from seconds since the epoch."""
    return datetime.datetime(*time.localtime(ticks)[:6])


def connect(path: str | Path, *, create: bool = True, **config: Any) -> Connection:
    """Open the lake in the folder `path`, making it if the folder is missing or empty.

    Args:
        path: the lake folder, or the address of a service such as `http://127.0.0.1:8320`.
        create: whether a missing or empty folder becomes a new lake.
        config: settings that override `headwater.toml`, such as `spark_master` or `time_zone`; of
            a service, `token` and `ca_file`.
    """
    if isinstance(path, str) and path.startswith(("http://", "https://")):
        from headwater.client.remote_session import RemoteSession

        return Connection(RemoteSession.open(path, **config))
    return Connection(Session(path, create=create, **config))


class Connection:
    """A session on a lake. Close it, or use it in a `with` block."""

    # An extension of PEP 249, for code that is handed a connection and does not know of what.
    Warning = errors.Warning
    Error = errors.Error
    InterfaceError = errors.InterfaceError
    DatabaseError = errors.DatabaseError
    DataError = errors.DataError
    OperationalError = errors.OperationalError
    IntegrityError = errors.IntegrityError
    InternalError = errors.InternalError
    ProgrammingError = errors.ProgrammingError
    NotSupportedError = errors.NotSupportedError

    def __init__(self, session: LakeSession) -> None:
        self._session = session

    @property
    def session(self) -> Session:
        """The session behind this connection, where the lake is open in this process."""
        if not isinstance(self._session, Session):
            raise InterfaceError("the lake of this connection is open in a service, not here")
        return self._session

    @property
    def embedded(self) -> bool:
        """Whether the lake is open in this process, and not in a service."""
        return isinstance(self._session, Session)

    @property
    def place(self) -> str:
        """Where the lake is, for people to read."""
        return self._session.place

    @property
    def schema(self) -> str:
        """The current schema."""
        return self._session.schema

    def sql(self, text: str, parameters: Parameters | None = None) -> Result:
        """Run one or several statements and return the last result."""
        last = Result()
        for result in self.statements(text, parameters):
            last = result
        return last

    def statements(self, text: str, parameters: Parameters | None = None) -> Iterator[Result]:
        """Run the statements of a script one after the other, giving each result as it comes."""
        self._require_open()
        script = text if parameters is None else bind(text, parameters)
        return self._session.statements(script)

    def progress(self) -> tuple[int, int]:
        """Finished and known Spark tasks of the statement running now; from any thread."""
        return self._session.progress()

    def cancel(self) -> None:
        """Cancel what runs now; from any thread."""
        self._session.cancel()

    def run_until_idle(self) -> None:
        """Run every pipe until none has anything left to load, and every refresh that is due."""
        self._require_open()
        if isinstance(self._session, Session):
            from headwater.run_lake import run_until_idle

            run_until_idle(self._session.lake)
        else:
            from headwater.client.remote_session import run_remotely

            run_remotely(self._session)

    def cursor(self) -> Cursor:
        """A new cursor."""
        self._require_open()
        return Cursor(self)

    def commit(self) -> None:
        """Nothing to do: every statement has committed already."""
        self._require_open()

    def rollback(self) -> None:
        """Refused: a statement that succeeded cannot be taken back this way."""
        self._require_open()
        raise NotSupported("NO_TRANSACTIONS")

    def close(self) -> None:
        """Give the lake back."""
        self._session.close()

    def _require_open(self) -> None:
        if self._session.closed:
            raise InterfaceError("the connection is closed")

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Cursor:
    """Runs statements and hands out rows (PEP 249)."""

    arraysize = 1

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._result: Result | None = None
        self._place = 0
        self._closed = False

    @property
    def description(self) -> list[tuple[Any, ...]] | None:
        """Seven items per column: name, type code, then sizes that are not known."""
        if self._result is None or not self._result.returns_rows:
            return None
        return [
            (column.name, type_code(column.type), None, None, None, None, None)
            for column in self._result.schema
        ]

    @property
    def rowcount(self) -> int:
        """Rows returned or changed by the last statement, -1 if that is not known."""
        return -1 if self._result is None else self._result.rowcount

    @property
    def result(self) -> Result | None:
        """The last result, with everything PEP 249 has no place for."""
        return self._result

    def execute(self, operation: str, parameters: Parameters | None = None) -> Cursor:
        """Run one statement, or a script whose last result is kept."""
        self._forget()
        self._result = self.connection.sql(operation, parameters)
        return self

    def executemany(self, operation: str, rows: Sequence[Parameters]) -> Cursor:
        """Run a statement for many rows of parameters; an INSERT .. VALUES becomes one commit."""
        self._forget()
        given = list(rows)
        if not given:
            self._result = Result(rowcount=0)
            return self
        together = bind_rows(operation, given)
        if together is not None:
            return self.execute(together)
        changed = 0
        for parameters in given:
            changed += max(self.connection.sql(operation, parameters).rowcount, 0)
        self._result = Result(rowcount=changed)
        return self

    def fetchone(self) -> Row | None:
        """The next row, or None."""
        rows = self._rows()
        if self._place >= len(rows):
            return None
        self._place += 1
        return rows[self._place - 1]

    def fetchmany(self, size: int | None = None) -> list[Row]:
        """The next `size` rows, or `arraysize` if not given."""
        rows = self._rows()
        taken = rows[self._place : self._place + (self.arraysize if size is None else size)]
        self._place += len(taken)
        return taken

    def fetchall(self) -> list[Row]:
        """All rows that are left."""
        rows = self._rows()
        taken = rows[self._place :]
        self._place = len(rows)
        return taken

    def _rows(self) -> list[Row]:
        self._require_open()
        if self._result is None or not self._result.returns_rows:
            raise InterfaceError("the last statement returned no rows")
        return self._result.rows

    def _forget(self) -> None:
        """Rows of the statement before must not be taken for those of one that fails."""
        self._require_open()
        self._result, self._place = None, 0

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def setinputsizes(self, sizes: Sequence[Any]) -> None:
        """Nothing to do: values carry their types."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Nothing to do: values come whole."""

    def close(self) -> None:
        """Let go of the result."""
        self._closed = True
        self._result = None

    def _require_open(self) -> None:
        if self._closed:
            raise InterfaceError("the cursor is closed")
        self.connection._require_open()

    def __enter__(self) -> Cursor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
