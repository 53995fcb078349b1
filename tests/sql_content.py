"""What a `file`, `bytes` or `packed` record of a `.test` file puts into a file. Pure."""

from __future__ import annotations

import gzip
import re
import zlib

import pyarrow

_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|([nrt0\\]))", re.IGNORECASE)
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "\\": "\\"}


def content_of(kind: str, argument: str, text: str) -> tuple[str, bytes]:
    """The path of the file, and its bytes."""
    if kind == "bytes":
        return argument, _unescaped(text)
    plain = (text + "\n").encode()
    if kind == "file":
        return argument, plain
    codec, _, path = argument.partition(" ")
    return path, _packed(codec, plain)


def _packed(codec: str, plain: bytes) -> bytes:
    if codec == "gzip":
        return gzip.compress(plain, mtime=0)
    return (
        zlib.compress(plain) if codec == "zlib" else pyarrow.compress(plain, "zstd", asbytes=True)
    )


def _unescaped(text: str) -> bytes:
    r"""Lines have no end but the one that is typed: `\n`; `\xff` is that byte."""
    joined = text.replace("\n", "")
    parts: list[bytes] = []
    end = 0
    for found in _ESCAPE.finditer(joined):
        parts += [joined[end : found.start()].encode(), _one(found)]
        end = found.end()
    return b"".join([*parts, joined[end:].encode()])


def _one(found: re.Match[str]) -> bytes:
    if found[1]:
        return bytes([int(found[1], 16)])
    return (chr(int(found[2], 16)) if found[2] else _CHARACTERS[found[3].lower()]).encode()
