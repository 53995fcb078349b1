"""Delta's own reader, given files of our choice: deletion vectors, column mapping, row ids and all.

Invariant: the rows come in the table's schema at one version, whenever their files were written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from headwater.lake.changes.images import CAME, WENT, ChangedVector

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

VERSION = "_commit_version"
# Delta puts these beside the table's columns when it reads files by the version of their commit.
RESERVED = frozenset({"_change_type", VERSION, "_commit_timestamp"})
_KEPT = (
    "path",
    "partitionValues",
    "size",
    "deletionVector",
    "baseRowId",
    "defaultRowCommitVersion",
)


@dataclass(frozen=True, slots=True)
class FileRows:
    """Rows of one file: those its vector leaves, or with `only_marked` those the vector marks."""

    body: Mapping[str, Any]
    sign: int
    version: int
    only_marked: bool = False


class DeltaFiles:
    """Reads files of one table, in its schema at one version."""

    def __init__(self, session: SparkSession, location: str, version: int) -> None:
        self._session = session
        java: Any = session._jvm
        self._java = java
        self._delta = java.org.apache.spark.sql.delta
        self._log = self._delta.DeltaLog.forTable(session._jsparkSession, location)
        nothing = getattr(self._log, "getSnapshotAt$default$2")()
        self._nothing = nothing
        self._snapshot = self._log.getSnapshotAt(version, nothing, nothing, False)
        self._mapper = java.org.apache.spark.sql.delta.util.JsonUtils.mapper()

    def frame(self, rows: Sequence[FileRows]) -> DataFrame:
        """The rows, beside the table's columns with the version of each in `VERSION`.

        They must be all of one kind, marked or not. A table with columns of these names needs
        `frames_by_version`.
        """
        index = self._delta.files.CdcAddFileIndex(
            self._session._jsparkSession,
            self._specifications(rows),
            self._log,
            self._log.dataPath(),
            self._snapshot,
            self._filters(rows),
        )
        plain = self._log.buildHadoopFsRelationWithFileIndex(
            self._snapshot, index, self._nothing, False
        )
        # Delta's reader of changes leaves row ids out, so the relation is made here.
        spark = self._java.org.apache.spark.sql
        relation = spark.execution.datasources.HadoopFsRelation(
            index,
            index.partitionSchema(),
            plain.dataSchema(),
            self._nothing,
            self._format(plain.fileFormat(), rows),
            plain.options(),
            self._session._jsparkSession,
        )
        logical = getattr(getattr(spark.execution.datasources, "LogicalRelation$"), "MODULE$")
        plan = logical.apply(relation, False)
        return self._frame(spark.classic.Dataset.ofRows(self._session._jsparkSession, plan))

    def frames_by_version(self, rows: Sequence[FileRows]) -> Iterable[tuple[int, DataFrame]]:
        """The rows with nothing but the table's columns, one frame for each version."""
        for version, group in groupby(sorted(rows, key=_version), key=_version):
            files = self._add_files([row.body for row in group])
            made = self._log.createDataFrame(self._snapshot, files, False, self._nothing)
            yield version, self._frame(made)

    def all_rows(self, bodies: Iterable[Mapping[str, Any]]) -> DataFrame:
        """The rows of files as they are: the table, if these are all its files."""
        files = self._add_files(bodies)
        return self._frame(self._log.createDataFrame(self._snapshot, files, False, self._nothing))

    def differing(self, image: ChangedVector) -> list[FileRows]:
        """The rows by which the two vectors of a file differ."""
        helper = self._delta.v2.CDCDeletionVectorHelper
        found = helper.computeDVDiff(
            self._encoded(image.after),
            self._encoded(image.before),
            self._log.newDeltaHadoopConf(),
            self._log.dataPath().toString(),
        )
        rows: list[FileRows] = []
        for pair in found:
            sign = WENT if pair._1() == "delete" else CAME
            version = image.version if sign == CAME else image.went_at
            vector = self._delta.actions.DeletionVectorDescriptor.deserializeFromBase64(pair._2())
            marked = json.loads(self._mapper.writeValueAsString(vector))
            body = {**image.file.body, "deletionVector": marked}
            rows.append(FileRows(body, sign, version, only_marked=True))
        return rows

    def _frame(self, made: Any) -> DataFrame:
        from pyspark.sql import DataFrame

        return DataFrame(made, self._session)

    def _format(self, plain: Any, rows: Sequence[FileRows]) -> Any:
        """How the files are read; if none has a vector, Delta need not list them to find out."""
        if any(row.body.get("deletionVector") is not None for row in rows):
            return plain
        return plain.copyWithDVInfo(self._log.dataPath().toString(), True)

    def _encoded(self, vector: Mapping[str, Any] | None) -> str | None:
        if vector is None:
            return None
        kind = self._class("org.apache.spark.sql.delta.actions.DeletionVectorDescriptor")
        return str(self._mapper.readValue(json.dumps(vector), kind).serializeToBase64())

    def _specifications(self, rows: Sequence[FileRows]) -> Any:
        """Delta's list of files by version, in a few calls to the JVM for each version."""
        ordered = sorted(rows, key=_version)
        files = self._add_files([row.body for row in ordered])
        specification = getattr(self._delta.commands.cdc, "CDCReader$CDCDataSpec")
        found = self._java.java.util.ArrayList()
        start = 0
        for version, group in groupby(ordered, key=_version):
            end = start + len(list(group))
            found.add(specification(version, None, files.slice(start, end), self._nothing))
            start = end
        return self._sequence(found)

    def _filters(self, rows: Sequence[FileRows]) -> Any:
        if not any(row.only_marked for row in rows):
            return self._nothing
        keep = self._delta.RowIndexFilterType.IF_NOT_CONTAINED
        filters = self._java.java.util.HashMap()
        for row in rows:
            filters.put(row.body["path"], keep)
        scala = self._java.org.apache.spark.api.python.PythonUtils.toScalaMap(filters)
        return self._java.scala.Option.apply(scala)

    def _add_files(self, bodies: Iterable[Mapping[str, Any]]) -> Any:
        """Delta's actions, all in one call: there may be thousands."""
        text = json.dumps([_add(body) for body in bodies])
        kind = self._mapper.getTypeFactory().constructCollectionType(
            self._class("java.util.ArrayList"),
            self._class("org.apache.spark.sql.delta.actions.AddFile"),
        )
        return self._sequence(self._mapper.readValue(text, kind))

    def _sequence(self, items: Any) -> Any:
        return self._java.org.apache.spark.api.python.PythonUtils.toSeq(items)

    def _class(self, name: str) -> Any:
        """A class of Delta's, whose jar may not be on the path of the class that asks."""
        loader = self._log.getClass().getClassLoader()
        return self._java.java.lang.Class.forName(name, True, loader)


def _version(row: FileRows) -> int:
    return row.version


def _add(body: Mapping[str, Any]) -> dict[str, Any]:
    """An `add` action of what is known of a file; the action in the log may be a `remove`."""
    kept = {key: body[key] for key in _KEPT if body.get(key) is not None}
    return {"partitionValues": {}, **kept, "modificationTime": 0, "dataChange": True}
