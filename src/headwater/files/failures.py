"""What Spark says about a file it could not read, in our words, with the file's own name.

Law: a file is called unreadable for what it holds, never because its store was away: who is told
that a file is unreadable leaves it out for good.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from headwater.errors import HeadwaterError, TransientError
from headwater.files.reading import VolumeScan
from headwater.files.unreadable import TextIsUtf8, UnreadableFile
from headwater.files.volumes import OpenVolume
from headwater.lake.file_frames import BROKEN_JSON, NOT_UTF8
from headwater.lake.spark_session import SparkConnection
from headwater.names import counted
from headwater.sql.file_formats import FileFormat
from headwater.storage.addresses import Scheme

_PATH = re.compile(r"\b((?:file|s3a|oss):/\S.*?)['\"]?(?:\. |\.$|: |, |\)|$)", re.M)
_CAUSE = re.compile(r"^Caused by: (?:[\w.$]+: )?(.+)$", re.M)
_CONDITION = re.compile(r"\[([A-Z_.0-9]+)\] ?")
_STATE = re.compile(r"\s*SQLSTATE: \w+")
_MALFORMED = "MALFORMED_RECORD_IN_PARSING"
# What Spark and its readers say, and what it means to whoever made the file.
_PLAIN = {
    re.compile(r'^For input string: (".*").*$', re.S): r"\1 is not a number",
    re.compile(r"^Character (.) is neither a decimal digit number, .*$", re.S): (
        r'a value with the character "\1" is not a number'
    ),
    re.compile(r"^Malformed CSV record: "): "a row {width}: ",
    re.compile(r"^(it is not a Parquet file)\b.*$", re.S): r"\1",
    re.compile(r"^Malformed ORC file\b.*$", re.S): "it is not an ORC file",
    re.compile(r"^Protocol message\b.*$", re.S): "it is cut off or damaged",
    re.compile(r'^Cannot invoke "org\.apache\.avro\..*$', re.S): "it is cut off or damaged",
    re.compile(r"^column: \[(.+)\], physicalType: (\w+), logicalType: (.+)$"): (
        r"its column \1 holds \2, which cannot be read as \3"
    ),
}
_LONGEST = 200
# What Java, Hadoop and the clouds' libraries throw when no answer came, or none but "not now". Only
# where an exception is named as a cause: a file may hold any text, and a message repeats it.
_AWAY = re.compile(
    r"^(?:Caused by)?: (?:"
    r"java\.net\.(?:Connect|HttpRetry|NoRouteToHost|PortUnreachable|Socket|UnknownHost)"
    r"\w*Exception\b"
    r"|javax\.net\.ssl\.\w+Exception\b"
    r"|org\.apache\.http\.[\w.]*Exception\b"
    r"|org\.apache\.hadoop\.fs\.s3a\.\w+Exception\b"
    r"|software\.amazon\.awssdk\.[\w.]*Exception\b"
    r"|com\.aliyun\.oss\.\w*Exception\b"
    # A client of Hadoop's is closed when its bucket gets other keys, whoever reads with it.
    r"|java\.io\.IOException: .*\b(?:File[sS]ystem (?:is )?closed|Stream is closed)\b"
    r"|java\.lang\.IllegalStateException: Connection pool shut down\b)",
    re.M,
)
_OF_FUNCTIONS = ("FUNCTION_FAILED", "FUNCTION_RESULT")
"""Errors of a function that a query calls, whatever file its argument came from."""
_OF_ORC = "org.apache.orc."
_ANY_COLUMNS = (("any", "int"),)
_GONE = re.compile(r"\bjava\.io\.FileNotFoundException\b|\bNoSuchKey")
_DENIED = re.compile(
    r"\bjava\.nio\.file\.AccessDeniedException\b|\bInvalidAccessKeyId\b"
    r"|\[ErrorCode\]: AccessDenied\b"
)


def unreadable_file(
    error: HeadwaterError, scans: Sequence[VolumeScan], spark: SparkConnection
) -> HeadwaterError | None:
    """The error with the file it is about, or that the store is away; None if it is about no file.

    Where the store does not let us in, its own answer is asked for once more.
    """
    if isinstance(error, UnreadableFile | TextIsUtf8):
        return error
    if error.condition in _OF_FUNCTIONS:
        return None
    if NOT_UTF8 in error.message:
        return _not_utf8(scans, spark)
    detail = f"{error.message}\n{error.detail or ''}"
    if error.condition.startswith(_MALFORMED) and BROKEN_JSON in error.message:
        # Said while looking for columns, which only fails where no file has any.
        scan = scans[-1]
        return UnreadableFile(scan.volume, scan.files[0], "it is not JSON", detail=error.detail)
    if error.condition == "UNABLE_TO_INFER_SCHEMA" and scans[-1].scan.format is FileFormat.ORC:
        # Only where no file has columns: Spark passes over one without any, as one of 0 bytes.
        broken = [(file, "it has no columns") for file in scans[-1].files]
        return UnreadableFile.of(scans[-1].volume, broken, detail=error.detail)
    return _named(detail, scans, error) or _broken_orc(detail, scans, spark)


def _named(
    detail: str, scans: Sequence[VolumeScan], error: HeadwaterError
) -> HeadwaterError | None:
    """The error of the file that Spark names, if it names one."""
    for found in _PATH.finditer(detail):
        for scan in scans:
            path = scan.file_of(found.group(1))
            if path is not None:
                reason = _reason(detail, found.group(1), len(scan.scan.columns))
                away = _store_away(scan.volume, reason, detail)
                return away or _unreadable(scan, path, reason, detail=error.detail)
    return None


def _broken_orc(
    detail: str, scans: Sequence[VolumeScan], spark: SparkConnection
) -> HeadwaterError | None:
    """Who looks for columns is not told which file is broken; who knows them is."""
    if _OF_ORC not in detail:
        return None
    for scan in scans:
        if scan.scan.format is not FileFormat.ORC or scan.scan.columns:
            continue
        try:
            spark.rows_by_file(replace(scan.scan, columns=_ANY_COLUMNS))
        except HeadwaterError as error:
            return _named(f"{error.message}\n{error.detail or ''}", [scan], error)
    return None


def _store_away(volume: OpenVolume, reason: str, detail: str) -> HeadwaterError | None:
    """That the store did not answer or let us in, if that is why a file could not be read."""
    if volume.address.scheme is Scheme.FILE or _GONE.search(detail):
        return None
    if _DENIED.search(detail):
        try:
            next(iter(volume.store.list()), None)
        except HeadwaterError as refused:
            return refused
        return None
    if _AWAY.search(detail):
        server = f"{volume.address.scheme}://{volume.address.bucket}"
        return TransientError("STORE_UNREACHABLE", server=server, reason=reason, detail=detail)
    return None


def _unreadable(
    scan: VolumeScan, path: str, reason: str, *, detail: str | None = None
) -> UnreadableFile:
    file = next(file for file in scan.files if file.path == path)
    return UnreadableFile(scan.volume, file, reason, detail=detail)


def _not_utf8(
    scans: Sequence[VolumeScan], spark: SparkConnection
) -> UnreadableFile | TextIsUtf8 | None:
    """The file that is not UTF-8, or that all of them are; None if nobody can tell which it is."""
    texts = [scan for scan in scans if scan.scan.is_text and scan.files]
    for scan in texts:
        found = spark.files_not_utf8(scan.scan)
        paths = {scan.file_of(path) for path in found}
        broken = [(file, "it is not UTF-8") for file in scan.files if file.path in paths]
        if broken:
            return UnreadableFile.of(scan.volume, broken)
        if found:
            return None
    if not texts:
        return None
    urls = frozenset(scan.volume.url_of(file.path) for scan in texts for file in scan.files)
    return TextIsUtf8(texts[0].volume, texts[0].files[0], urls)


def _reason(detail: str, path: str, columns: int) -> str:
    """The innermost cause, without the names of classes; `columns` is 0 if the file says them."""
    causes = [text for text in _CAUSE.findall(detail) if text.strip()]
    text = causes[-1] if causes else detail.split("\n", 1)[0]
    text = _STATE.sub("", _CONDITION.sub("", text)).strip().replace(path, "it")
    width = f"has not {counted(columns, 'value')}" if columns else "has another number of values"
    for pattern, plain in _PLAIN.items():
        text = pattern.sub(plain.replace("{width}", width), text)
    shown = "".join(sign if sign.isprintable() else "?" for sign in text[:_LONGEST])
    return shown.rstrip(". ") or "it is damaged"
