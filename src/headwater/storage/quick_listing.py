"""The entries of a plain page of a listing, without building a tree of it; pure.

Law: what it finds is what an XML parser finds. Where it cannot be sure, it finds nothing, and the
parser has to. Pages have a thousand entries, and listings thousands of pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEAD = re.compile(
    rb"\s*(?:<\?xml version=[\"']1\.0[\"'](?: encoding=[\"'](?i:utf-8)[\"'])?\s*\?>)?\s*"
    rb"<ListBucketResult(?: xmlns=\"[^\"<&]*\")?>"
)
_END = b"</ListBucketResult>"
_NAMES = (b"Key", b"Size", b"LastModified", b"ETag")
_FACTS = tuple(re.compile(rb"<%s>([^<]*)</%s>" % (name, name)) for name in _NAMES)
_OPENINGS = tuple(b"<%s>" % name for name in _NAMES)
_QUOTES = (b"&quot;", b"&#34;", b'"')


def quick_entries(body: bytes) -> Iterator[tuple[str, str, str, str]] | None:
    """Key, size, time and etag of each entry, as they stand there; None if a parser must look."""
    if _HEAD.match(body) is None or not body.rstrip().endswith(_END) or b"<!" in body:
        return None
    _, *parts = body.split(b"<Contents>")
    if body.count(b"<Contents") != len(parts):
        return None
    if any(part.count(opening) != 1 for part in parts for opening in _OPENINGS):
        return None
    entries = len(parts)
    facts = [pattern.findall(body) for pattern in _FACTS]
    if any(len(found) != entries for found in facts):
        return None
    keys, sizes, moments, etags = (b"\n".join(found) for found in facts)
    for quote in _QUOTES:
        etags = etags.replace(quote, b"")
    if any(b"&" in found for found in (keys, sizes, moments, etags)):
        return None
    columns = [_lines(found, entries) for found in (keys, sizes, moments, etags)]
    return None if None in columns else zip(*(c for c in columns if c is not None), strict=True)


def _lines(joined: bytes, entries: int) -> list[str] | None:
    """The texts that were joined; None if one of them had a line break of its own."""
    try:
        found = joined.decode("utf-8").split("\n") if entries else []
    except UnicodeDecodeError:
        return None
    return found if len(found) == entries else None
