"""Avro files for tests, written by the rules of its specification: records of numbers and texts."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence

Value = int | str | None
_SYNC = bytes(range(16))


def avro_file(
    columns: Sequence[tuple[str, str]], *rows: Sequence[Value], deflate: bool = False
) -> bytes:
    """One block of rows; a column is a name and `int`, `long` or `string`, and may be NULL."""
    fields = [{"name": name, "type": ["null", kind]} for name, kind in columns]
    schema = {"type": "record", "name": "row", "fields": fields}
    codec = "deflate" if deflate else "null"
    known = {"avro.schema": json.dumps(schema), "avro.codec": codec}
    header = _number(len(known)) + b"".join(_text(k) + _text(v) for k, v in known.items())
    block = b"".join(_value(value) for row in rows for value in row)
    if deflate:
        packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        block = packer.compress(block) + packer.flush()
    body = _number(len(rows)) + _number(len(block)) + block + _SYNC if rows else b""
    return b"Obj\x01" + header + b"\0" + _SYNC + body


def _value(value: Value) -> bytes:
    if value is None:
        return _number(0)
    return _number(1) + (_text(value) if isinstance(value, str) else _number(value))


def _text(text: str) -> bytes:
    data = text.encode()
    return _number(len(data)) + data


def _number(number: int) -> bytes:
    """In zigzag, seven bits at a time."""
    left = number << 1 if number >= 0 else (-number << 1) - 1
    out = bytearray()
    while left > 0x7F:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*out, left])
