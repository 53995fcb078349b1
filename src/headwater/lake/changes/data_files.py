"""The files that a range needs: the data files of its images, and their deletion vectors.

Invariant: a file that is gone is found before anything is read. VACUUM takes files that are no
longer live, and what they held would be missing without a word or fail in the middle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

from headwater.lake.changes.images import ChangedVector, Image
from headwater.lake.table_folders import TableFolder

_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_DIGITS = {character: digit for digit, character in enumerate(_Z85)}
_ENCODED_UUID = 20


def missing_because(folder: TableFolder, images: Iterable[Image]) -> str | None:
    """Why the rows of some image cannot be read from the folder; None if all can."""
    paths: list[str] = []
    for image in images:
        body = image.file.body
        if "size" not in body or "partitionValues" not in body:
            return f"the log says too little about the removed file {image.file.id.path}"
        paths += _paths(image)
    missing = folder.first_missing(paths)
    return None if missing is None else f"file {missing.rpartition('/')[2]} is no longer there"


def vector_file(vector: Mapping[str, Any]) -> str | None:
    """The path of a deletion vector; None for one that stands in the log itself."""
    place = vector["pathOrInlineDv"]
    match vector["storageType"]:
        case "u":
            prefix, encoded = place[:-_ENCODED_UUID], place[-_ENCODED_UUID:]
            name = f"deletion_vector_{UUID(bytes=_decoded(encoded))}.bin"
            return f"{prefix}/{name}" if prefix else name
        case "p":
            return _path(place)
        case _:
            return None


def _paths(image: Image) -> Iterator[str]:
    found = [_path(image.file.id.path)]
    vectors = [image.file.vector]
    if isinstance(image, ChangedVector):
        vectors = [image.before, image.after]
    found += [vector_file(vector) for vector in vectors if vector is not None]
    return (path for path in found if path is not None)


def _path(place: str) -> str | None:
    """A path of the log, which is a part of a URL; None for a file on another store."""
    parts = urlsplit(place)
    if parts.scheme not in ("", "file"):
        return None
    return unquote(parts.path)


def _decoded(text: str) -> bytes:
    """Z85: five characters are four bytes."""
    found = b""
    for start in range(0, len(text), 5):
        number = 0
        for character in text[start : start + 5]:
            number = number * 85 + _DIGITS[character]
        found += number.to_bytes(4, "big")
    return found
