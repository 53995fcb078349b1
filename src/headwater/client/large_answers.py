"""Answers of many bytes: from the socket straight into the memory, or file, where they stay.

The client for everything else takes a large answer in small pieces and copies each several times.
"""

from __future__ import annotations

import http.client
import os
import ssl
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from typing import BinaryIO
from urllib.parse import urlsplit

_BLOCK_BYTES = 1024 * 1024


class LargeAnswer:
    """The body of an answer that is still arriving."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self._response = response

    def readinto(self, target: memoryview, /) -> int:
        """Fill some of `target`; 0 when all was read. A body that ends too soon is an error."""
        count = self._response.readinto(target)
        if not count and self._response.length:
            raise http.client.IncompleteRead(b"", self._response.length)
        return count

    def read(self, size: int | None = None) -> bytes:
        """The next bytes, or all."""
        return self._response.read(size)


class LargeAnswers:
    """Asks one service; each answer has a connection of its own."""

    def __init__(
        self, url: str, headers: Mapping[str, str], *, context: ssl.SSLContext, seconds: float
    ) -> None:
        self._url = urlsplit(url)
        self._headers = headers
        self._context = context
        self._seconds = seconds

    @contextmanager
    def get(self, path: str, **headers: str) -> Iterator[LargeAnswer]:
        """The body of a page, as far as it has come."""
        with closing(self._connection()) as connection:
            sent = {**self._headers, **headers}
            connection.request("GET", self._url.path + path, headers=sent)
            yield LargeAnswer(connection.getresponse())

    def put(self, path: str, content: BinaryIO) -> tuple[int, bytes]:
        """What the service says to a file that it is sent."""
        with closing(self._connection()) as connection:
            # Who refuses a file may have stopped to read it, and has said why.
            with suppress(BrokenPipeError, ConnectionResetError):
                length = {"Content-Length": str(os.fstat(content.fileno()).st_size)}
                connection.request(
                    "PUT", self._url.path + path, content, headers={**self._headers, **length}
                )
            response = connection.getresponse()
            return response.status, response.read()

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "", self._url.port
        if self._url.scheme == "https":
            return http.client.HTTPSConnection(
                host, port, timeout=self._seconds, context=self._context, blocksize=_BLOCK_BYTES
            )
        return http.client.HTTPConnection(host, port, timeout=self._seconds, blocksize=_BLOCK_BYTES)
