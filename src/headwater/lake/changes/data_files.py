"""The files on disk that a range needs: the data files of its images, and their deletion vectors.

Invariant: a file that is gone is found before anything is read. VACUUM takes files that are no
longer live, and what they held would be missing without a word or fail in the middle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

from headwater.lake.changes.images import ChangedVector, Image

_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_DIGITS = {character: digit for digit, character in enumerate(_Z85)}
_ENCODED_UUID = 20


def missing_because(folder: Path, images: Iterable[Image]) -> str | None:
    """Why the rows of some image cannot be read from disk; None if all can."""
    for image in images:
        body = image.file.body
        if "size" not in body or "partitionValues" not in body:
            return f"the log says too little about the removed file {image.file.id.path}"
        for path in _paths(folder, image):
            if not path.exists():
                return f"file {path.name} is no longer there"
    return None


def vector_file(folder: Path, vector: Mapping[str, Any]) -> Path | None:
    """Where a deletion vector is; None for one that stands in the log itself."""
    place = vector["pathOrInlineDv"]
    match vector["storageType"]:
        case "u":
            prefix, encoded = place[:-_ENCODED_UUID], place[-_ENCODED_UUID:]
            return folder / prefix / f"deletion_vector_{UUID(bytes=_decoded(encoded))}.bin"
        case "p":
            return _path(folder, place)
        case _:
            return None


def _paths(folder: Path, image: Image) -> Iterator[Path]:
    found = [_path(folder, image.file.id.path)]
    vectors = [image.file.vector]
    if isinstance(image, ChangedVector):
        vectors = [image.before, image.after]
    found += [vector_file(folder, vector) for vector in vectors if vector is not None]
    return (path for path in found if path is not None)


def _path(folder: Path, place: str) -> Path | None:
    """A path of the log, which is a part of a URL; None for a file on another store."""
    parts = urlsplit(place)
    if parts.scheme not in ("", "file"):
        return None
    return folder / unquote(parts.path)


def _decoded(text: str) -> bytes:
    """Z85: five characters are four bytes."""
    found = b""
    for start in range(0, len(text), 5):
        number = 0
        for character in text[start : start + 5]:
            number = number * 85 + _DIGITS[character]
        found += number.to_bytes(4, "big")
    return found
