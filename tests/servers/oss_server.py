"""A small fake of OSS for hadoop-aliyun: it lists and gives out objects, and notes who asked.

It checks no signature, so it shows which keys Spark signs with, not that OSS would take them. Asked
by its number and not by a name, a server finds the bucket in the path; all buckets hold the same.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

_SIGNED_BY = re.compile(r"Credential=([^/,]+)/")
_DATE = "Sun, 15 Nov 2026 10:00:00 GMT"


@dataclass
class OssServer:
    """What it holds, and which access keys asked for each key or prefix."""

    port: int
    objects: Mapping[str, bytes]
    asked_by: dict[str, set[str]] = field(default_factory=dict)

    def askers_below(self, prefix: str) -> set[str]:
        """The access keys that signed requests for what is below a prefix."""
        found = (by for name, by in self.asked_by.items() if name.startswith(prefix))
        return set().union(*found)


@contextmanager
def oss_server(objects: Mapping[str, bytes]) -> Iterator[OssServer]:
    """A running fake on 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            parts = urlsplit(self.path)
            query = parse_qs(parts.query, keep_blank_values=True)
            key = unquote(parts.path).lstrip("/").partition("/")[2]
            name = key or query.get("prefix", [""])[0]
            signed = _SIGNED_BY.search(self.headers.get("authorization", ""))
            fake.asked_by.setdefault(name, set()).add(signed[1] if signed else "nobody")
            if not key:
                self._tell(200, _listing(fake.objects, name), "application/xml")
            elif key in fake.objects:
                self._give(fake.objects[key])
            else:
                self._tell(404, b"<Error><Code>NoSuchKey</Code></Error>", "application/xml")

        def _give(self, content: bytes) -> None:
            wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("range", ""))
            if wanted is None:
                self._tell(200, content)
                return
            start, end = int(wanted[1]), int(wanted[2] or len(content) - 1)
            span = f"bytes {start}-{min(end, len(content) - 1)}/{len(content)}"
            self._tell(206, content[start : end + 1], span=span)

        def _tell(
            self, status: int, body: bytes, kind: str = "text/plain", *, span: str = ""
        ) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Last-Modified", _DATE)
            self.send_header("ETag", '"5B3C1A2E053D763E1B002CC607C5A0FE"')
            if span:
                self.send_header("Content-Range", span)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_HEAD = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Tests are quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake = OssServer(server.server_address[1], objects)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _listing(objects: Mapping[str, bytes], prefix: str) -> bytes:
    entries = "".join(
        f"<Contents><Key>{key}</Key><LastModified>2026-11-15T10:00:00.000Z</LastModified>"
        f'<ETag>"5B3C1A2E053D763E1B002CC607C5A0FE"</ETag><Type>Normal</Type>'
        f"<Size>{len(content)}</Size><StorageClass>Standard</StorageClass></Contents>"
        for key, content in sorted(objects.items())
        if key.startswith(prefix)
    )
    count = entries.count("<Key>")
    return (
        '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>bucket</Name>'
        f"<Prefix>{prefix}</Prefix><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>"
        f"<KeyCount>{count}</KeyCount>{entries}</ListBucketResult>"
    ).encode()
