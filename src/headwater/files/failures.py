"""What Spark says about a file it could not read, in our words, with the file's own name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headwater.errors import HeadwaterError
from headwater.files.reading import VolumeScan
from headwater.files.unreadable import TextIsUtf8, UnreadableFile
from headwater.lake.file_frames import BROKEN_JSON, NOT_UTF8
from headwater.lake.spark_session import SparkConnection

_PATH = re.compile(r"\b((?:file|s3a|oss):/\S.*?)['\"]?(?:\. |\.$|: |, |\)|$)", re.M)
_CAUSE = re.compile(r"^Caused by: (?:[\w.$]+: )?(.+)$", re.M)
_CONDITION = re.compile(r"\[([A-Z_.0-9]+)\] ?")
_STATE = re.compile(r"\s*SQLSTATE: \w+")
_MALFORMED = "MALFORMED_RECORD_IN_PARSING"
_NO_NUMBER = re.compile(r'^For input string: (".*").*$', re.S)
_LONGEST = 200


def unreadable_file(
    error: HeadwaterError, scans: Sequence[VolumeScan], spark: SparkConnection
) -> UnreadableFile | TextIsUtf8 | None:
    """The error with the file it is about; None if it is about no file."""
    if isinstance(error, UnreadableFile | TextIsUtf8):
        return error
    if NOT_UTF8 in error.message:
        return _not_utf8(scans, spark)
    detail = f"{error.message}\n{error.detail or ''}"
    if error.condition.startswith(_MALFORMED) and BROKEN_JSON in error.message:
        # Said while looking for columns, which only fails where no file has any.
        scan = scans[-1]
        return UnreadableFile(scan.volume, scan.files[0], "it is not JSON", detail=error.detail)
    for found in _PATH.finditer(detail):
        for scan in scans:
            path = scan.file_of(found.group(1))
            if path is not None:
                return _unreadable(scan, path, _reason(detail), detail=error.detail)
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
        broken = spark.files_not_utf8(scan.scan)
        for found in broken:
            path = scan.file_of(found)
            if path is not None:
                return _unreadable(scan, path, "it is not UTF-8")
        if broken:
            return None
    if not texts:
        return None
    urls = frozenset(scan.volume.url_of(file.path) for scan in texts for file in scan.files)
    return TextIsUtf8(texts[0].volume, texts[0].files[0], urls)


def _reason(detail: str) -> str:
    """The innermost cause, without the names of classes."""
    causes = [text for text in _CAUSE.findall(detail) if text.strip()]
    text = causes[-1] if causes else detail.split("\n", 1)[0]
    text = _STATE.sub("", _CONDITION.sub("", text)).strip()
    text = _NO_NUMBER.sub(r"\1 is not a number", text)
    shown = "".join(sign if sign.isprintable() else "?" for sign in text[:_LONGEST])
    return shown.rstrip(". ") or "it is damaged"
