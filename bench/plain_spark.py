"""What dynamic tables are held against: plain Spark works the query out and overwrites a table."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import headwater


def plain_session(connection: headwater.Connection) -> Any:
    """A session that finds the files of tables as Delta does, and not by our own look at logs."""
    ours = connection.session.state.spark()._session
    plain = ours.newSession()
    plain.conf.set("spark.headwater.smallTablesByLog", "false")
    plain.catalog.setCurrentDatabase(ours.catalog.currentDatabase())
    return plain


@dataclass(frozen=True, slots=True)
class PlainTables:
    """Delta tables in a folder, which know nothing of Headwater."""

    session: Any
    folder: Path

    def sql(self, name: str) -> str:
        """A table's name for Spark."""
        return f"delta.`file:{self.folder}/{name}`"

    def overwrite(self, name: str, query: str) -> None:
        """Write what a query gives in place of all rows."""
        writer = self.session.sql(query).write.format("delta").mode("overwrite")
        writer.option("overwriteSchema", "true").save(f"file:{self.folder}/{name}")


@dataclass(frozen=True, slots=True)
class Refreshed:
    """One refresh of one dynamic table: how long it took, and what the history says of it."""

    name: str
    seconds: float
    kind: str
    reason: str
    written: str

    @property
    def words(self) -> str:
        """What was done, for people."""
        return f"{self.kind} ({self.reason}), {self.written}"


def refreshed(connection: headwater.Connection, name: str) -> Refreshed:
    """Refresh a dynamic table, timed."""
    seconds = timed(lambda: connection.sql(f"REFRESH DYNAMIC TABLE {name}"))
    last = connection.session.state.lake.store.refreshes.list(limit=1)[0]
    written = f"+{last.rows_inserted} -{last.rows_deleted} rows, {last.detail.get('write')}"
    connection.session.lake.flush_background()
    return Refreshed(name, seconds, str(last.kind), str(last.reason), written)


def timed(run: Callable[[], object]) -> float:
    """How many seconds something takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def verify(connection: headwater.Connection, *names: str) -> None:
    """Fail if a dynamic table is not what its query says."""
    for name in names:
        equal = connection.sql(f"VERIFY DYNAMIC TABLE {name}").rows[0][1]
        assert equal, f"{name} is not what its query says"
