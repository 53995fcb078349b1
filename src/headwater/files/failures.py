"""What Spark says about a file it could not read, in our words, with the file's own name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headwater.errors import HeadwaterError, UserError
from headwater.files.reading import VolumeScan, source_file
from headwater.lake.file_frames import NOT_UTF8
from headwater.lake.spark_session import SparkConnection
from headwater.storage.store import FileInfo

_PATH = re.compile(r"\b((?:file|s3a|oss):/\S.*?)['\"]?(?:\. |\.$|: |, |\)|$)", re.M)
_CAUSE = re.compile(r"^Caused by: (?:[\w.$]+: )?(.+)$", re.M)
_CONDITION = re.compile(r"\[([A-Z_.0-9]+)\] ?")
_STATE = re.compile(r"\s*SQLSTATE: \w+")
_LONGEST = 200


class UnreadableFile(UserError):
    """The error that a file cannot be read; it knows the file."""

    def __init__(
        self, scan: VolumeScan, file: FileInfo, reason: str, *, detail: str | None = None
    ) -> None:
        title = scan.volume.title
        super().__init__(
            "FILE_UNREADABLE", file=file.path, volume=title, reason=reason, detail=detail
        )
        self.reason = reason
        self.source = source_file(scan.volume, file)


def unreadable_file(
    error: HeadwaterError, scans: Sequence[VolumeScan], spark: SparkConnection
) -> UnreadableFile | None:
    """The error with the file it is about; None if it is about no file."""
    if NOT_UTF8 in error.message:
        return _not_utf8(scans, spark)
    detail = f"{error.message}\n{error.detail or ''}"
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
    return UnreadableFile(scan, file, reason, detail=detail)


def _not_utf8(scans: Sequence[VolumeScan], spark: SparkConnection) -> UnreadableFile | None:
    for scan in scans:
        for found in spark.files_not_utf8(scan.scan):
            path = scan.file_of(found)
            if path is not None:
                return _unreadable(scan, path, "it is not UTF-8")
    return None


def _reason(detail: str) -> str:
    """The innermost cause, without the names of classes."""
    causes = [text for text in _CAUSE.findall(detail) if text.strip()]
    text = causes[-1] if causes else detail.split("\n", 1)[0]
    text = _STATE.sub("", _CONDITION.sub("", text)).strip()
    shown = "".join(sign if sign.isprintable() else "?" for sign in text[:_LONGEST])
    return shown.rstrip(". ") or "it is damaged"
