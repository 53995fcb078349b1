"""Writing a local file so that it appears whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from headwater.errors import UserError

TEMPORARY_PREFIX = ".headwater-"
"""Files with such names are ours and not finished; listings leave them out."""


def temporary_name() -> str:
    """A name nobody uses."""
    return f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}.part"


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write into; it takes the place of `path` when the block ends without an error."""
    temporary = path.with_name(temporary_name())
    try:
        # Opened for reading too, because a download that starts over has to empty it.
        with temporary.open("xb+") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise UserError("LOCAL_FILE_UNWRITABLE", path=path, reason=error.strerror) from None
    finally:
        with suppress(OSError):
            temporary.unlink()
