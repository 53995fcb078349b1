"""Which paths of files the catalog can keep. Invariant: a path is kept exactly or refused."""

from __future__ import annotations

from headwater.errors import UserError

MAX_BYTES = 2000
"""PostgreSQL's indexes take keys of 2,700 bytes, of which ids need some; S3 has paths of 1,024."""

_SHOWN_CHARACTERS = 200


def require_storable(path: str) -> None:
    """Raises FILE_NAME_NOT_STORABLE, naming the file, unless every database can keep its path."""
    if path.isascii():
        length = len(path)
    else:
        try:
            length = len(path.encode())
        except UnicodeEncodeError:
            raise _refused(path, "it is not valid UTF-8") from None
    if "\0" in path:
        raise _refused(path, "it holds a NUL character")
    if length > MAX_BYTES:
        raise _refused(path, f"it is longer than {MAX_BYTES} bytes")


def _refused(path: str, reason: str) -> UserError:
    printable = path.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
    if len(printable) > _SHOWN_CHARACTERS:
        printable = f"{printable[:_SHOWN_CHARACTERS]}.."
    return UserError("FILE_NAME_NOT_STORABLE", path=printable, reason=reason)
