"""Objects that are too large for one request: sent, or copied by the server, part by part.

Law: the object appears whole, with the last request, or not at all. Whatever fails before that ends
the upload, so that a store does not keep, and bill, parts of nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from headwater.errors import HeadwaterError, UserError
from headwater.storage.answers import Answer, parsed_xml
from headwater.storage.content_of import content_of
from headwater.storage.requests import Content

_MOST_PARTS = 10_000
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class PartSizes:
    """From which size on a file is sent in parts, and how large they are.

    A part that fails is sent again, and not the whole file; stores take none below 5 MB.
    """

    above: int = 256 << 20
    size: int = 64 << 20
    most: int = 5 * 1024**3
    """What stores copy in one request."""

    def ranges(self, total: int) -> list[tuple[int, int]]:
        """Where each part starts and how long it is.

        >>> PartSizes(size=4).ranges(10)
        [(0, 4), (4, 4), (8, 2)]
        """
        size = max(self.size, -(-total // _MOST_PARTS))
        return [(start, min(size, total - start)) for start in range(0, total, size)]


Send = Callable[[str, dict[str, str], Content | None, dict[str, str]], Answer]
"""Method, query, content and headers of a request about the object; raises what is refused."""


def put_parts(send: Send, local_path: Path, sizes: PartSizes) -> None:
    """Send a file of this machine; one that changes meanwhile is refused."""
    before = _state(local_path)

    def part(start: int, size: int, query: dict[str, str]) -> str:
        content = content_of(local_path, start=start, size=size)
        return _required(send("PUT", query, content, {}).headers.get("etag"))

    def check() -> None:
        if _state(local_path) != before:
            raise UserError("FILE_CHANGED", path=local_path)

    _upload(send, part, sizes.ranges(before[0]), check)


def copy_parts(
    send: Send, source: dict[str, str], size: int, sizes: PartSizes, *, range_header: str
) -> None:
    """Let the server copy an object; `source` is the header that names it."""

    def part(start: int, length: int, query: dict[str, str]) -> str:
        wanted = {range_header: f"bytes={start}-{start + length - 1}"}
        answer = send("PUT", query, None, {**source, **wanted})
        return _required(_text(answer, "ETag"))

    _upload(send, part, sizes.ranges(size), lambda: None)


def _upload(
    send: Send,
    part: Callable[[int, int, dict[str, str]], str],
    ranges: Sequence[tuple[int, int]],
    check: Callable[[], None],
) -> None:
    upload = _required(_text(send("POST", {"uploads": ""}, None, {}), "UploadId"))

    def one(number: int) -> str:
        start, size = ranges[number - 1]
        return part(start, size, {"partNumber": str(number), "uploadId": upload})

    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            etags = list(pool.map(one, range(1, len(ranges) + 1)))
        check()
        _complete(send, upload, etags)
    except BaseException:
        with suppress(HeadwaterError):
            send("DELETE", {"uploadId": upload}, None, {})
        raise


def _complete(send: Send, upload: str, etags: Sequence[str]) -> None:
    """A store may answer 200 before it knows, and say in the body that it failed."""
    parts = "".join(
        f"<Part><PartNumber>{number}</PartNumber><ETag>{escape(etag)}</ETag></Part>"
        for number, etag in enumerate(etags, start=1)
    )
    body = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
    answer = send("POST", {"uploadId": upload}, content_of(body), {})
    if _text(answer, "ETag") is None:
        raise ValueError("the upload was not completed")


def _text(answer: Answer, name: str) -> str | None:
    """The text of an element of an answer."""
    for element in parsed_xml(answer.body).iter():
        if element.tag.rpartition("}")[2] == name:
            return element.text
    return None


def _required(text: str | None) -> str:
    if not text:
        raise ValueError("the answer lacks what was asked for")
    return text


def _state(path: Path) -> tuple[int, int, int]:
    try:
        seen = os.stat(path)
    except OSError as error:
        raise UserError("LOCAL_FILE_UNREADABLE", path=path, reason=error.strerror) from None
    return seen.st_size, seen.st_mtime_ns, seen.st_ino
