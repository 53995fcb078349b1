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
from headwater.lake.in_jvm.classes import in_jvm
from headwater.lake.in_jvm.named import java_class

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_DELTA = "org.apache.spark.sql.delta"
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
        self._log = self._delta("DeltaLog").forTable(session._jsparkSession, location)
        nothing = getattr(self._log, "getSnapshotAt$default$2")()
        self._snapshot = self._log.getSnapshotAt(version, nothing, nothing, False)
        self._rows = in_jvm(session, "DeltaRows")

    def frame(self, rows: Sequence[FileRows]) -> DataFrame:
        """The rows, beside the table's columns with the version of each in `VERSION`.

        They must be all of one kind, marked or not. A table with columns of these names needs
        `frames_by_version`.
        """
        ordered = sorted(rows, key=_version)
        made = self._rows.ofChanges(
            self._session._jsparkSession,
            self._log,
            self._snapshot,
            json.dumps([_add(row.body) for row in ordered]),
            json.dumps([_known(row) for row in ordered]),
            json.dumps([row.version for row in ordered]),
            any(row.only_marked for row in rows),
        )
        return self._frame(made)

    def frames_by_version(self, rows: Sequence[FileRows]) -> Iterable[tuple[int, DataFrame]]:
        """The rows with nothing but the table's columns, one frame for each version."""
        for version, group in groupby(sorted(rows, key=_version), key=_version):
            yield version, self.all_rows([row.body for row in group])

    def all_rows(self, bodies: Iterable[Mapping[str, Any]]) -> DataFrame:
        """The rows of files as they are: the table, if these are all its files."""
        files = json.dumps([_add(body) for body in bodies])
        session = self._session._jsparkSession
        return self._frame(self._rows.ofFiles(session, self._log, self._snapshot, files))

    def differing(self, image: ChangedVector) -> list[FileRows]:
        """The rows by which the two vectors of a file differ."""
        helper = self._delta("v2.CDCDeletionVectorHelper")
        vectors = self._delta("actions.DeletionVectorDescriptor")
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
            vector = vectors.deserializeFromBase64(pair._2())
            marked = json.loads(self._mapper().writeValueAsString(vector))
            body = {**image.file.body, "deletionVector": marked}
            rows.append(FileRows(body, sign, version, only_marked=True))
        return rows

    def _frame(self, made: Any) -> DataFrame:
        from pyspark.sql import DataFrame

        return DataFrame(made, self._session)

    def _encoded(self, vector: Mapping[str, Any] | None) -> str | None:
        if vector is None:
            return None
        kind = self._class(f"{_DELTA}.actions.DeletionVectorDescriptor")
        return str(self._mapper().readValue(json.dumps(vector), kind).serializeToBase64())

    def _mapper(self) -> Any:
        return self._delta("util.JsonUtils").mapper()

    def _delta(self, name: str) -> Any:
        return java_class(self._session, f"{_DELTA}.{name}")

    def _class(self, name: str) -> Any:
        """A class of Delta's, whose jar may not be on the path of the class that asks."""
        loader = self._log.getClass().getClassLoader()
        return java_class(self._session, "java.lang.Class").forName(name, True, loader)


def _version(row: FileRows) -> int:
    return row.version


def _known(row: FileRows) -> dict[str, Any]:
    """A file with what Delta's reader of changes puts beside its rows, as partition values."""
    add = _add(row.body)
    beside = {VERSION: str(row.version), "_commit_timestamp": None, "_change_type": "insert"}
    return {**add, "partitionValues": {**add["partitionValues"], **beside}}


def _add(body: Mapping[str, Any]) -> dict[str, Any]:
    """An `add` action of what is known of a file; the action in the log may be a `remove`."""
    kept = {key: body[key] for key in _KEPT if body.get(key) is not None}
    return {"partitionValues": {}, **kept, "modificationTime": 0, "dataChange": True}
