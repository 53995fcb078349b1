"""The files of a volume as a relation that Spark can read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from headwater.catalog.load_history import SourceFile
from headwater.errors import NotSupported, UserError
from headwater.files.selection import select_files
from headwater.files.staging import Staging
from headwater.files.volumes import OpenVolume
from headwater.lake.file_scan import Columns, FileScan
from headwater.lake.spark_session import SparkConnection
from headwater.runtime.open_lake import OpenLake
from headwater.sql.file_formats import FileFormat
from headwater.sql.volume_relation import VolumeRelation
from headwater.storage.store import FileInfo

_UNREADABLE = {
    FileFormat.BSON: "convert them to JSON first",
    FileFormat.AVRO: "convert them to Parquet first",
}


@dataclass(frozen=True, slots=True)
class VolumeScan:
    """What one relation reads: which files of which volume, and how Spark reads them."""

    volume: OpenVolume
    files: tuple[FileInfo, ...]
    scan: FileScan
    spark_paths: dict[str, str]
    """From a path as Spark names it to the path in the volume."""

    def file_of(self, spark_path: str) -> str | None:
        """The path in the volume of a path that Spark speaks of, encoded or not."""
        for path in (spark_path, unquote(spark_path)):
            found = self.spark_paths.get(_canonical(path))
            if found is not None:
                return found
        return None

    def without(self, left_out: set[str]) -> VolumeScan:
        """The same without some files."""
        files = tuple(file for file in self.files if file.path not in left_out)
        kept = {spark: own for spark, own in self.spark_paths.items() if own not in left_out}
        paths = tuple(path for path in self.scan.paths if _canonical(path) in kept)
        return replace(self, files=files, scan=replace(self.scan, paths=paths), spark_paths=kept)


def source_file(volume: OpenVolume, file: FileInfo) -> SourceFile:
    """A file as the load history knows it."""
    return SourceFile(volume.url_of(file.path), file.size, file.modified_at, file.etag)


def plan_scan(
    lake: OpenLake,
    volume: OpenVolume,
    relation: VolumeRelation,
    staging: Staging,
    *,
    columns: Columns = (),
) -> VolumeScan:
    """The files that the relation means, ready to be read; `columns` where it names none."""
    if relation.format in _UNREADABLE:
        raise NotSupported(
            "FORMAT_NOT_READABLE",
            format=relation.format,
            span=relation.format_span,
            hint=_UNREADABLE[relation.format],
        )
    files = select_files(volume, relation.selection)
    columns = relation.columns or columns
    if not files and not columns:
        raise UserError("NO_FILES", volume=volume.title, span=relation.selection.span)
    access = volume.spark_access()
    lake.engine.reach(access.url, access.settings, access.jar_set)
    paths = _spark_paths(volume, files, staging, relation, access.url)
    scan = FileScan(relation.format, tuple(paths), columns, relation.options)
    own = {_canonical(path): file.path for path, file in zip(paths, files, strict=True)}
    return VolumeScan(volume, files, scan, own)


def fitted(scan: VolumeScan, spark: SparkConnection) -> VolumeScan:
    """The scan after a look into its first file, where only that can tell how to read it."""
    if scan.scan.format is not FileFormat.JSON or not scan.files:
        return scan
    full = next((i for i, file in enumerate(scan.files) if file.size), None)
    if full is None:
        return scan
    line = spark.first_line(scan.scan.paths[full])
    return replace(scan, scan=replace(scan.scan, spans_lines=not _is_json(line)))


def _is_json(line: str | None) -> bool:
    try:
        json.loads(line or "null")
    except (ValueError, RecursionError):
        return False
    return True


def _spark_paths(
    volume: OpenVolume,
    files: Sequence[FileInfo],
    staging: Staging,
    relation: VolumeRelation,
    url: str,
) -> list[str]:
    compression = getattr(relation.options, "compression", None)
    return [
        staging.stage(volume, file, compression)
        if staging.needs(file, compression)
        else url + file.path
        for file in files
    ]


def _canonical(path: str) -> str:
    """`file:/x`, `file://x` and `file:///x` are one."""
    scheme, _, rest = path.partition(":")
    return f"file:/{rest.lstrip('/')}" if scheme == "file" else path
