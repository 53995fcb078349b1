"""What a request is to carry, with the checksums by which the store notices damage on the way."""

from __future__ import annotations

import base64
import hashlib
import io
from pathlib import Path

from headwater.errors import UserError
from headwater.storage.requests import Content

_CHUNK = 1 << 20


def content_of(source: bytes | Path, *, start: int = 0, size: int | None = None) -> Content:
    """The bytes, or the file, which is read once for the checksums and once more to be sent.

    Of a file, all of it or `size` bytes from `start` on.
    """
    sha256, md5, found = hashlib.sha256(), hashlib.md5(usedforsecurity=False), 0
    try:
        with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
            file.seek(start)
            while chunk := file.read(_CHUNK if size is None else min(_CHUNK, size - found)):
                sha256.update(chunk)
                md5.update(chunk)
                found += len(chunk)
    except OSError as error:
        raise UserError("LOCAL_FILE_UNREADABLE", path=source, reason=error.strerror) from None
    checksum = base64.b64encode(md5.digest()).decode()
    return Content(found, sha256.hexdigest(), checksum, source, start)
