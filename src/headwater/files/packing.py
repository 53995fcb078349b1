"""Many small files of lines as few bigger ones, because Spark takes a millisecond to open each.

Law: the lines of the packs are the lines of the files, in their order, without the headers. Where
that cannot be told file by file, there is no packing: `packed` says None, and Spark reads the files
themselves. Which file a line came from is lost, so a failure is looked for without packs again.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from headwater.errors import HeadwaterError
from headwater.files.volumes import OpenVolume
from headwater.sql.file_formats import CsvReadOptions, FileFormat, TextReadOptions
from headwater.sql.volume_relation import VolumeRelation
from headwater.storage.store import FileInfo

_FEWEST = 200
_MOST_PER_FILE = 64 << 10
_MOST_BYTES = 2 << 30
_PACKS = 4
_MOST_PER_PACK = 32 << 20
_AT_ONCE = 16
_LINE_END = re.compile(rb"\r\n|\n|\r")
_COMPRESSED = (".gz", ".gzip", ".deflate", ".bz2", ".lz4", ".snappy", ".zlib", ".zst", ".zstd")


def packed(
    volume: OpenVolume, files: Sequence[FileInfo], relation: VolumeRelation, folder: Path
) -> list[str] | None:
    """Paths of packs in `folder` with all lines of the files, or None if they cannot be packed."""
    if not _are_small(files) or not _are_lines(relation, files):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    total = sum(file.size for file in files)
    size = min(_MOST_PER_PACK, max(1, total // _PACKS))
    try:
        return _write(_contents(volume, files, relation), folder, size)
    except (_Unpackable, HeadwaterError):
        # Whatever is wrong with a file, Spark and its errors say it better.
        return None


class _Unpackable(Exception):
    """A file whose lines cannot be put behind those of another."""


def _are_small(files: Sequence[FileInfo]) -> bool:
    total = sum(file.size for file in files)
    return len(files) >= _FEWEST and total <= min(_MOST_BYTES, _MOST_PER_FILE * len(files))


def _are_lines(relation: VolumeRelation, files: Sequence[FileInfo]) -> bool:
    options = relation.options
    if getattr(options, "compression", None) or getattr(options, "line_sep", None):
        return False
    if isinstance(options, CsvReadOptions) and options.multi_line:
        return False
    known = isinstance(options, CsvReadOptions | TextReadOptions)
    if not known and relation.format is not FileFormat.JSON:
        return False
    return not any(file.path.lower().endswith(_COMPRESSED) for file in files)


def _contents(
    volume: OpenVolume, files: Sequence[FileInfo], relation: VolumeRelation
) -> Iterator[bytes]:
    """The lines of each file, read ahead by a few files and no more."""
    step = _AT_ONCE * 16
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for start in range(0, len(files), step):
            piece = files[start : start + step]
            found = pool.map(volume.store.read, [file.path for file in piece])
            for file, content in zip(piece, found, strict=True):
                if len(content) != file.size:
                    raise _Unpackable("it changed since it was listed")
                yield _lines(content, relation)


def _lines(content: bytes, relation: VolumeRelation) -> bytes:
    """The content as whole lines, without what belongs to the file and not to its rows."""
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        raise _Unpackable("it is not UTF-8") from None
    if relation.format is FileFormat.JSON:
        _require_document_per_line(content)
    options = relation.options
    if isinstance(options, CsvReadOptions) and options.header and content:
        content = _without_header(content)
    if content and not content.endswith((b"\n", b"\r")):
        content += b"\n"
    return content


def _without_header(content: bytes) -> bytes:
    end = _LINE_END.search(content)
    header = content if end is None else content[: end.start()]
    if not header.strip():
        raise _Unpackable("its header is not in its first line")
    return b"" if end is None else content[end.end() :]


def _require_document_per_line(content: bytes) -> None:
    end = _LINE_END.search(content)
    first = content if end is None else content[: end.start()]
    try:
        document = json.loads(first or b"{}")
    except (ValueError, RecursionError):
        raise _Unpackable("a document takes several lines") from None
    if not isinstance(document, dict):
        raise _Unpackable("it is not a document per line")


def _write(contents: Iterator[bytes], folder: Path, size: int) -> list[str]:
    paths: list[str] = []
    written, sink = 0, None
    try:
        for content in contents:
            if sink is None or written >= size:
                if sink is not None:
                    sink.close()
                path = folder / f"pack{len(paths) + 1}"
                sink, written = path.open("wb"), 0
                paths.append(f"file:{path}")
            sink.write(content)
            written += len(content)
    finally:
        if sink is not None:
            sink.close()
    return paths
