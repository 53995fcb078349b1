"""Requests to a service: errors come back as ours, busy services are asked again for a while."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from headwater.client.large_answers import LargeAnswers
from headwater.errors import HeadwaterError, InternalError, TransientError
from headwater.result import Result
from headwater.wire.errors import error_from
from headwater.wire.results import ARROW_STREAM, read_stream

if TYPE_CHECKING:
    import ssl

    import httpx

_CONNECT_SECONDS = 10.0
_ANSWER_SECONDS = 120.0
_BUSY = 429
_PATIENCE_SECONDS = 60.0
_PIECE_BYTES = 1024 * 1024


class Transport:
    """Reaches one service, from any thread; connections are kept for the next request."""

    def __init__(self, url: str, token: str | None, *, ca_file: str | None = None) -> None:
        import httpx

        self.url = url.rstrip("/")
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        # What is configured for the web at large is not meant for a service on this machine.
        context = _trusted(self.url, ca_file)
        self._client = httpx.Client(
            base_url=self.url,
            headers=headers,
            timeout=httpx.Timeout(_ANSWER_SECONDS, connect=_CONNECT_SECONDS),
            trust_env=False,
            verify=context,
        )
        self._large = LargeAnswers(self.url, headers, context=context, seconds=_ANSWER_SECONDS)

    def get(self, path: str, **parameters: Any) -> dict[str, Any]:
        """The JSON of a page."""
        return self._json("GET", path, params=parameters)

    def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send JSON, get JSON; a service that is busy is asked again."""
        return self._json("POST", path, json=body)

    def delete(self, path: str) -> None:
        """Remove what a page stands for."""
        with self._reached():
            response = self._client.delete(path)
        self._check(response.status_code, response.content)

    def rows(self, path: str) -> Result:
        """The result whose Arrow stream is on a page."""
        with self._reached(), self._large.get(path, Accept=ARROW_STREAM) as answer:
            if answer.status != 200:
                self._check(answer.status, answer.read())
            try:
                return read_stream(answer)
            except ValueError as error:
                raise self._unknown(str(error)) from None

    def send_file(self, path: str, file: Path) -> None:
        """Put a file of this machine on a page."""
        with file.open("rb") as content, self._reached():
            status, answer = self._large.put(path, content)
        self._check(status, answer)

    def fetch_file(self, path: str, target: BinaryIO) -> None:
        """The bytes of a page, into a file of this machine."""
        piece = memoryview(bytearray(_PIECE_BYTES))
        with self._reached(), self._large.get(path) as answer:
            if answer.status != 200:
                self._check(answer.status, answer.read())
            while count := answer.readinto(piece):
                target.write(piece[:count])

    def close(self) -> None:
        """Let the connections go."""
        self._client.close()

    def _json(self, method: str, path: str, **content: Any) -> dict[str, Any]:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            with self._reached():
                response = self._client.request(method, path, **content)
            wait = _seconds(response) if response.status_code == _BUSY else None
            if wait is None or time.monotonic() + wait > deadline:
                return self._check(response.status_code, response.content)
            time.sleep(wait)

    def _check(self, status: int, content: bytes) -> dict[str, Any]:
        """The body of an answer; raises the error that it holds."""
        if status == 204:
            return {}
        try:
            body: dict[str, Any] = json.loads(content)
            failed = body.get("error") if status >= 400 else None
        except (ValueError, AttributeError):
            raise self._unknown(f"status {status}") from None
        if status >= 400:
            if not isinstance(failed, dict):
                raise self._unknown(f"status {status}")
            raise error_from(failed)
        return body

    def _unknown(self, found: str) -> HeadwaterError:
        return InternalError("SERVICE_ANSWER_UNKNOWN", url=self.url, found=found)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        import http.client

        import httpx

        try:
            yield
        except (httpx.HTTPError, http.client.HTTPException, OSError) as error:
            reason = str(error) or type(error).__name__
            raise TransientError("SERVICE_UNREACHABLE", url=self.url, reason=reason) from None


def _trusted(url: str, ca_file: str | None) -> ssl.SSLContext:
    """Whose certificates count: those of a file, of the web at large, or nobody's."""
    import ssl

    import httpx

    if ca_file is not None:
        return ssl.create_default_context(cafile=ca_file)
    if url.lower().startswith("https:"):
        return httpx.create_ssl_context(trust_env=False)
    # Without encryption there is nothing to check, and to read the web's takes longer than to ask.
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _seconds(response: httpx.Response) -> float:
    after = response.headers.get("Retry-After", "")
    return float(after) if after.isdigit() else 1.0
