"""Removing files that a write made and no commit holds.

Invariant: a file that some commit names is never removed, not even if the commit seemed to fail.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from headwater.lake.commits.stored_table import Body
from headwater.lake.delta_log.actions import read_actions
from headwater.lake.delta_log.files import LogFiles
from headwater.lake.table_folders import TableFolder

_MADE = ("part-", "cdc-", "deletion_vector_")
# Delta writes ids with the letters of ZeroMQ's base 85, Python knows those of RFC 1924.
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_RFC1924 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_ID_LETTERS = 20


def remove_files(folder: TableFolder, paths: Iterable[str], *, after: int) -> None:
    """Remove files of the table, given as its log names them, that no commit `after` a version has.

    A write can fail behind its commit: then the files are the table's.
    """
    named = set(_named(folder.log, after=after))
    folder.remove(unquote(path) for path in set(paths) - named)


def remove_leftovers(folder: TableFolder, *, since: float, after: int) -> None:
    """Remove what was written into the table's folder since a time and is in no commit.

    Spark does not say which files a failed job began. Nobody else of this lake writes meanwhile:
    the caller holds the table's lock and the lake's lease. If someone outside of it committed, the
    files may be theirs, and stay for VACUUM.
    """
    if folder.log.exists(after + 1):
        return
    written = folder.written_since(since)
    folder.remove([path for path in written if path.rpartition("/")[2].startswith(_MADE)])


def vector_path(vector: Body) -> str | None:
    """The file that holds a vector; None if the log itself holds it.

    >>> vector_path({"storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^"})
    'ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin'
    """
    if vector["storageType"] != "u":
        return None
    text: str = vector["pathOrInlineDv"]
    prefix, letters = text[:-_ID_LETTERS], text[-_ID_LETTERS:]
    found = base64.b85decode(letters.translate(str.maketrans(_Z85, _RFC1924)))
    name = f"deletion_vector_{uuid.UUID(bytes=found)}.bin"
    return f"{prefix}/{name}" if prefix else name


def _named(files: LogFiles, *, after: int) -> Iterator[str]:
    """The files that commits after a version add, and those that hold their vectors."""
    version = after + 1
    while (text := files.read_commit(version)) is not None:
        for action in read_actions(text, version, table=files.table):
            body = action.get("add")
            if body is None:
                continue
            yield body["path"]
            if (vector := body.get("deletionVector")) and (path := vector_path(vector)):
                yield path
        version += 1
