"""The files of a volume as a relation that Spark can read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from urllib.parse import unquote

from headwater.config import is_local
from headwater.errors import NotSupported, Span, UserError
from headwater.files.packing import packed
from headwater.files.selection import select_files
from headwater.files.staging import Staging, told_by
from headwater.files.unreadable import UnreadableFile
from headwater.files.volumes import OpenVolume
from headwater.lake.file_scan import Columns, FileScan
from headwater.lake.spark_session import SparkConnection
from headwater.runtime.open_lake import OpenLake
from headwater.sql.file_formats import CsvReadOptions, FileFormat, NoOptions, ReadOptions
from headwater.sql.volume_relation import VolumeRelation
from headwater.storage.store import FileInfo

_UNREADABLE = {FileFormat.BSON: "convert them to JSON first"}

_AT_ONCE = 8
_WHOLE_ADDRESS = (
    "REGEXP is for the whole address, such as s3://bucket/folder/a.csv: begin it with '.*'"
)


@dataclass(frozen=True, slots=True)
class VolumeScan:
    """What one relation reads: which files of which volume, and how Spark reads them."""

    volume: OpenVolume
    files: tuple[FileInfo, ...]
    scan: FileScan
    spark_paths: dict[str, str]
    """From a path as Spark names it to the path in the volume."""
    view: str = ""
    """The temporary view of the files, when there is one."""
    packed: bool = False
    """Whether Spark reads the lines of many files from few, so that it cannot name a file."""

    def part(self, files: Sequence[FileInfo], *, columns: Columns = ()) -> VolumeScan:
        """The same reading of some of its files; `columns` were found where it names none."""
        paths = dict(zip(self.files, self.scan.paths, strict=True))
        scan = replace(
            self.scan,
            paths=tuple(paths[file] for file in files),
            columns=self.scan.columns or columns,
            columns_found=self.scan.columns_found or not self.scan.columns,
        )
        return replace(self, files=tuple(files), scan=scan)

    def file_of(self, spark_path: str) -> str | None:
        """The path in the volume of a path that Spark speaks of, encoded or not."""
        for path in (spark_path, unquote(spark_path)):
            found = self.spark_paths.get(_canonical(path))
            if found is not None:
                return found
        return None


def plan_scan(
    lake: OpenLake,
    volume: OpenVolume,
    relation: VolumeRelation,
    staging: Staging,
    *,
    columns: Columns = (),
    only: tuple[FileInfo, ...] | None = None,
    left_out: frozenset[str] = frozenset(),
    pack: bool = False,
) -> VolumeScan:
    """The files that the relation means, ready to be read; `columns` where it names none.

    With `only`, just these files are read, without a listing; files with an address in `left_out`
    are not. With `pack`, many small ones may be read as few bigger ones.
    """
    require_readable(relation)
    files = select_files(volume, relation.selection) if only is None else only
    columns = relation.columns or columns
    if not files and not columns:
        hint = _WHOLE_ADDRESS if relation.selection.regexp is not None else None
        span = relation.selection.span
        raise UserError("NO_FILES", volume=volume.title, span=span, hint=hint)
    _require_one_column(relation)
    files = tuple(file for file in files if volume.url_of(file.path) not in left_out)
    packs = packed(volume, files, relation, staging.folder) if pack and _is_local(lake) else None
    if packs is not None:
        options = _without_header(relation.options)
        return VolumeScan(
            volume,
            files,
            FileScan(relation.format, tuple(packs), columns, options),
            {},
            packed=True,
        )
    access = volume.spark_access()
    lake.engine.reach(access.url, access.settings, access.jar_set)
    paths = _spark_paths(volume, files, staging, relation, access.url)
    scan = FileScan(relation.format, tuple(paths), columns, relation.options)
    own = {_canonical(path): file.path for path, file in zip(paths, files, strict=True)}
    return VolumeScan(volume, files, scan, own)


def require_readable(relation: VolumeRelation, *, shift: int = 0) -> None:
    """Refuse a format that has no reader; `shift` is where the text begins that names it."""
    if relation.format in _UNREADABLE:
        place = relation.format_span
        raise NotSupported(
            "FORMAT_NOT_READABLE",
            format=relation.format,
            span=None if place is None else Span(place.start + shift, place.end + shift),
            hint=_UNREADABLE[relation.format],
        )


def fitted(scan: VolumeScan, spark: SparkConnection) -> VolumeScan:
    """The scan after a look into its files, where only they can tell how to read them."""
    if scan.scan.format is FileFormat.AVRO and not scan.scan.columns:
        return replace(scan, scan=replace(scan.scan, avro_schemas=_avro_schemas(scan, spark)))
    if scan.scan.format is not FileFormat.JSON or not scan.files:
        return scan
    full = next((i for i, file in enumerate(scan.files) if file.size), None)
    if full is None:
        return scan
    path = scan.scan.paths[full]
    line = spark.first_line(path)
    if _is_json(line):
        return replace(scan, scan=replace(scan.scan, first_keys=_keys_of(line)))
    _require_one_document(scan, spark)
    keys = spark.first_json_keys(path)
    return replace(scan, scan=replace(scan.scan, spans_lines=True, first_keys=keys))


def _is_local(lake: OpenLake) -> bool:
    """Whether what is in a folder of this machine is there for all of Spark."""
    return is_local(lake.config.spark_master)


def _without_header(options: ReadOptions) -> ReadOptions:
    return replace(options, header=False) if isinstance(options, CsvReadOptions) else options


def _keys_of(line: str | None) -> tuple[str, ...]:
    found = json.loads(line or "null")
    if isinstance(found, list):
        found = found[0] if found else None
    return tuple(found) if isinstance(found, dict) else ()


def _avro_schemas(scan: VolumeScan, spark: SparkConnection) -> tuple[str, ...]:
    """The different schemas of the files, each once."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        stated = list(pool.map(spark.avro_schema, scan.scan.paths))
    broken: list[tuple[FileInfo, str]] = []
    for file, text in zip(scan.files, stated, strict=True):
        if text is None:
            broken.append((file, "it is not an Avro file"))
        elif not text.startswith('{"type":"record"'):
            broken.append((file, "its rows are no records"))
    if broken:
        raise UnreadableFile.of(scan.volume, broken)
    return tuple(dict.fromkeys(text for text in stated if text is not None))


def _require_one_document(scan: VolumeScan, spark: SparkConnection) -> None:
    """Where a document takes several lines, Spark reads the first of a file and drops the rest."""
    full = [(f, p) for f, p in zip(scan.files, scan.scan.paths, strict=True) if f.size]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        single = list(pool.map(spark.holds_one_json_document, [path for _, path in full]))
    reason = "it holds several JSON documents, and they are not one per line in every file"
    broken = [
        (file, reason) for (file, _), is_single in zip(full, single, strict=True) if not is_single
    ]
    if broken:
        raise UnreadableFile.of(scan.volume, broken)


def _require_one_column(relation: VolumeRelation) -> None:
    if len(relation.columns) > 1 and relation.keeps_documents_whole:
        raise UserError("JSON_DOCUMENT_COLUMNS", span=relation.format_span)
    if relation.format is not FileFormat.TEXT or not relation.columns:
        return
    if [kind.lower() for _, kind in relation.columns] != ["string"]:
        raise UserError("TEXT_COLUMNS", span=relation.format_span)


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
    given = getattr(relation.options, "compression", None)
    is_text = not isinstance(relation.options, NoOptions)
    paths = []
    for file in files:
        compression = given or (told_by(file.path) if is_text else None)
        staged = staging.needs(file, compression)
        paths.append(staging.stage(volume, file, compression) if staged else url + file.path)
    return paths


def _canonical(path: str) -> str:
    """`file:/x`, `file://x` and `file:///x` are one."""
    scheme, _, rest = path.partition(":")
    return f"file:/{rest.lstrip('/')}" if scheme == "file" else path
