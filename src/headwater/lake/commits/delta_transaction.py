"""Delta's own transaction: it writes files, marks rows as deleted, and commits both at once.

Invariant: a commit stands directly on the version the transaction was opened at. Any commit of
another writer in between makes it fail, whatever that commit did.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.lake.commits.stored_table import Body
from headwater.lake.in_jvm.classes import in_jvm
from headwater.lake.in_jvm.named import java_class

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RETRIES_EXCEEDED = "DELTA_MAX_COMMIT_RETRIES_EXCEEDED"
_USER_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
_RETRIES = "spark.databricks.delta.maxCommitAttempts"
_DELTA = "org.apache.spark.sql.delta"


@dataclass(frozen=True, slots=True)
class Vector:
    """The vector of one file after a change, and how many more rows it marks."""

    path: str
    body: Body
    marks: int


class DeltaTransaction:
    """A transaction on the newest version of a table, used once."""

    def __init__(self, session: SparkSession, location: str) -> None:
        self._session = session
        self._log = self._named(f"{_DELTA}.DeltaLog").forTable(session._jsparkSession, location)
        self._transaction = self._log.startTransaction()
        self._snapshot = self._transaction.snapshot()
        self._mapper = self._named(f"{_DELTA}.util.JsonUtils").mapper()
        self._none = self._named("scala.Option").empty()
        self._scala = self._named("org.apache.spark.api.python.PythonUtils")
        self._loader = self._log.getClass().getClassLoader()
        self._written = self._list()
        self.version = int(self._snapshot.version())

    def rows_of(self, files: Sequence[Body]) -> DataFrame:
        """The rows of some live files."""
        readable = json.dumps([_readable(file) for file in files])
        rows = in_jvm(self._session, "DeltaRows")
        session = self._session._jsparkSession
        return self._frame(rows.ofFiles(session, self._log, self._snapshot, readable))

    def rows_with_ids_of(self, files: Sequence[Body]) -> DataFrame:
        """The rows of some live files, with the columns that keep their ids when written anew."""
        tracking = getattr(self._named(f"{_DELTA}.RowTracking$"), "MODULE$")
        plain = self.rows_of(files)
        return self._frame(tracking.preserveRowTrackingColumns(plain._jdf, self._snapshot))

    def write(self, frame: DataFrame) -> list[Body]:
        """Write rows into files; their `add` actions, which the commit will hold."""
        made = self._transaction.writeFiles(frame._jdf)
        files = self._named("scala.jdk.javaapi.CollectionConverters").asJava(made)
        self._written.addAll(files)
        found: list[Body] = json.loads(self._mapper.writeValueAsString(files))
        return found

    def forget_written(self) -> None:
        """Leave the files written so far out of the commit."""
        self._written = self._list()

    def rows_written(self) -> int:
        """How many rows the last write wrote."""
        found = self._transaction.getMetric("numOutputRows")
        return int(found.get().value()) if found.isDefined() else 0

    def observed(self, frame: DataFrame, name: str) -> tuple[int, ...] | None:
        """What a frame that was written observed under a name; None if there was nothing to see."""
        found = frame._jdf.queryExecution().observedMetrics().get(name)
        if found.isEmpty():
            return None
        row = found.get()
        return tuple(int(row.getLong(i)) for i in range(row.length()))

    def encoded(self, vectors: Sequence[Body]) -> list[str]:
        """Vectors as `mark` wants to have them."""
        found = self._actions("DeletionVectorDescriptor", vectors)
        return [str(found.get(i).serializeToBase64()) for i in range(len(vectors))]

    def mark(self, rows: DataFrame) -> list[Vector]:
        """Write vectors that mark rows, given by `filePath`, `deletionVectorId`, `rowIndexCol`.

        `deletionVectorId` is the vector the file has, encoded, which the new one contains.
        """
        made_by = self._named(f"{_DELTA}.commands.DeletionVectorBitmapGenerator$")
        maker = getattr(made_by, "MODULE$")
        tables = self._named(f"{_DELTA}.util.Utils")
        prefix = tables.getRandomPrefixLength(self._transaction.metadata())
        made = maker.buildDeletionVectors(
            self._session._jsparkSession, rows._jdf, self._log, prefix
        )
        return [
            Vector(found["filePath"], found["deletionVector"], int(found["matchedRowCount"]))
            for found in json.loads(self._mapper.writeValueAsString(made))
        ]

    def commit(
        self,
        operation: Any,
        note: str,
        *,
        removes: Sequence[Body] = (),
        adds: Sequence[Body] = (),
        transaction: tuple[str, int] | None = None,
        metrics: Mapping[str, int] | None = None,
    ) -> int:
        """Commit the files written, some more actions and a note; the version it made."""
        actions = self._list(self._written)
        for kind, bodies in (("RemoveFile", removes), ("AddFile", adds)):
            if bodies:
                actions.addAll(self._actions(kind, bodies))
        if transaction is not None:
            body = dict(zip(("appId", "version"), transaction, strict=True))
            now = int(time.time() * 1000)
            actions.addAll(self._actions("SetTransaction", [{**body, "lastUpdated": now}]))
        if metrics is not None:
            self._register(metrics)
        with settings(self._session, {_USER_METADATA: note, _RETRIES: "0"}):
            return int(self._transaction.commit(self._sequence(actions), operation))

    def write_operation(self, mode: str) -> Any:
        """Delta's name for rows that come, or that take the place of all others."""
        kind = self._named(f"{_DELTA}.DeltaOperations$Write")
        save = getattr(self._named("org.apache.spark.sql.SaveMode"), mode)
        return kind(save, *[self._none] * 8)

    def change_operation(self) -> Any:
        """Delta's name for rows that come and go; of all it alone counts both."""
        kind = self._named(f"{_DELTA}.DeltaOperations$Merge")
        empty = self._sequence(self._list())
        return kind(*[self._none] * 4, empty, empty, empty)

    def _register(self, metrics: Mapping[str, int]) -> None:
        makers = self._named("org.apache.spark.sql.execution.metric.SQLMetrics")
        context = self._session.sparkContext._jsc.sc()
        made = self._named("java.util.HashMap")()
        for name, value in metrics.items():
            metric = makers.createMetric(context, name)
            metric.set(value)
            made.put(name, metric)
        scala = self._scala.toScalaMap(made)
        self._transaction.registerSQLMetrics(self._session._jsparkSession, scala)

    def _actions(self, kind: str, bodies: Sequence[Body]) -> Any:
        """A list of Delta's objects, all in one call: there may be thousands."""
        lists = self._mapper.getTypeFactory().constructCollectionType(
            self._class("java.util.ArrayList"), self._class(f"{_DELTA}.actions.{kind}")
        )
        return self._mapper.readValue(json.dumps(list(bodies)), lists)

    def _class(self, name: str) -> Any:
        """A class of Delta's, whose jar may not be on the path of the class that asks."""
        return self._named("java.lang.Class").forName(name, True, self._loader)

    def _named(self, name: str) -> Any:
        return java_class(self._session, name)

    def _list(self, *items: Any) -> Any:
        return self._named("java.util.ArrayList")(*items)

    def _sequence(self, items: Any) -> Any:
        return self._scala.toSeq(items)

    def _frame(self, made: Any) -> DataFrame:
        from pyspark.sql import DataFrame

        return DataFrame(made, self._session)


@contextmanager
def settings(session: SparkSession, values: Mapping[str, str]) -> Iterator[None]:
    """Settings of a session that hold inside, and are as before afterwards."""
    before = {key: session.conf.get(key, None) for key in values}
    for key, value in values.items():
        session.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                session.conf.unset(key)
            else:
                session.conf.set(key, old)


def _readable(file: Body) -> dict[str, Any]:
    """An `add` action that Delta's reader takes; it needs no statistics."""
    needless = ("stats", "tags")
    kept = {key: value for key, value in file.items() if key not in needless}
    return {"partitionValues": {}, "modificationTime": 0, **kept, "dataChange": True}
