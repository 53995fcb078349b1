"""All files of a reading that cannot be read, where Spark names one and ends.

Law: what is found here is what reading would have ended at. The groups are read as the whole was,
with what was found out about it: which columns, how documents lie in lines. To read everything once
more for each broken file would take as many readings as there are such files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.catalog.load_history import SourceFile
from headwater.errors import HeadwaterError, TransientError
from headwater.files.failures import unreadable_file
from headwater.files.reading import VolumeScan
from headwater.files.unreadable import UnreadableFile, source_file
from headwater.lake.file_scan import Columns
from headwater.lake.spark_session import SparkConnection
from headwater.names import quote_identifier
from headwater.sql.edits import EditedText, own_text
from headwater.storage.store import FileInfo

_GROUP = 16
"""Files that are read together: a job for each broken one, and one for each group."""


def find_others(
    spark: SparkConnection,
    scans: Sequence[VolumeScan],
    error: UnreadableFile,
    select: EditedText | None,
) -> None:
    """Add to an error all other files of the same relation that cannot be read, either.

    `select` reads what the statement reads, over the views of the scans; None if it was not known
    when the files could not be read. The view of the relation is gone afterwards.
    """
    scan = next((scan for scan in scans if _holds(scan, error.source)), None)
    if scan is None or scan.packed or not scan.view:
        return
    columns = _columns(spark, scan) if select is not None else ()
    search = _Search(spark, scan, select, columns)
    known = {error.source, *error.also}
    files = [file for file in scan.files if source_file(scan.volume, file) not in known]
    try:
        for start in range(0, len(files), _GROUP):
            found = search.broken(files[start : start + _GROUP])
            if found is None:
                return
            error.also |= found
    finally:
        # Of a view that could not be made before, nobody else knows.
        spark.drop_view(scan.view)


@dataclass(frozen=True, slots=True)
class _Search:
    spark: SparkConnection
    scan: VolumeScan
    select: EditedText | None
    columns: Columns

    def broken(self, group: Sequence[FileInfo]) -> dict[SourceFile, str] | None:
        """Those of a group; None if something else is wrong, which is not said here."""
        broken: dict[SourceFile, str] = {}
        left = list(group)
        while left:
            part = self.scan.part(left, columns=self.columns)
            try:
                self._read(part)
            except HeadwaterError as error:
                if error.condition == "JOB_CANCELLED":
                    raise
                found = unreadable_file(error, [part], self.spark)
                if isinstance(found, TransientError):
                    raise found from None
                if not isinstance(found, UnreadableFile) or found.source in broken:
                    return None
                broken |= {found.source: found.reason, **found.also}
                left = [f for f in left if source_file(self.scan.volume, f) not in broken]
            else:
                break
        return broken

    def _read(self, part: VolumeScan) -> None:
        self.spark.create_file_view(part.view, part.scan)
        if self.select is not None:
            self.spark.read_all(self.select)


def _holds(scan: VolumeScan, source: SourceFile) -> bool:
    return any(scan.volume.url_of(file.path) == source.path for file in scan.files)


def _columns(spark: SparkConnection, scan: VolumeScan) -> Columns:
    """What all files together were found to hold: a group alone may hold less."""
    rows = own_text(f"SELECT * FROM {quote_identifier(scan.view)}")  # noqa: S608
    return tuple((column.name, kind) for column, kind in spark.definitions_of(rows))
