"""Requests to a service: errors come back as ours, busy services are asked again for a while."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headwater.errors import HeadwaterError, InternalError, TransientError
from headwater.wire.errors import error_from

if TYPE_CHECKING:
    import httpx

_CONNECT_SECONDS = 10.0
_ANSWER_SECONDS = 120.0
_BUSY = 429
_PATIENCE_SECONDS = 60.0


class Transport:
    """Reaches one service, from any thread; connections are kept for the next request."""

    def __init__(self, url: str, token: str | None, *, ca_file: str | None = None) -> None:
        import ssl

        import httpx

        self.url = url.rstrip("/")
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        # What is configured for the web at large is not meant for a service on this machine.
        self._client = httpx.Client(
            base_url=self.url,
            headers=headers,
            timeout=httpx.Timeout(_ANSWER_SECONDS, connect=_CONNECT_SECONDS),
            trust_env=False,
            verify=True if ca_file is None else ssl.create_default_context(cafile=ca_file),
        )

    def get(self, path: str, **parameters: Any) -> dict[str, Any]:
        """The JSON of a page."""
        return self._json("GET", path, params=parameters)

    def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send JSON, get JSON; a service that is busy is asked again."""
        return self._json("POST", path, json=body)

    def delete(self, path: str) -> None:
        """Remove what a page stands for."""
        with self._reached():
            self._check(self._client.delete(path))

    @contextmanager
    def stream(self, path: str, *, accept: str) -> Iterator[Iterator[bytes]]:
        """The bytes of a page, a piece at a time."""
        with (
            self._reached(),
            self._client.stream("GET", path, headers={"Accept": accept}) as response,
        ):
            if response.status_code != 200:
                response.read()
                self._check(response)
            yield response.iter_raw()

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
                return self._check(response)
            time.sleep(wait)

    def _check(self, response: httpx.Response) -> dict[str, Any]:
        """The body of an answer; raises the error that it holds."""
        if response.status_code == 204:
            return {}
        try:
            body: dict[str, Any] = response.json()
            failed = body.get("error") if response.is_error else None
        except (ValueError, AttributeError):
            raise self._unknown(response) from None
        if response.is_error:
            if not isinstance(failed, dict):
                raise self._unknown(response)
            raise error_from(failed)
        return body

    def _unknown(self, response: httpx.Response) -> HeadwaterError:
        found = f"status {response.status_code}"
        return InternalError("SERVICE_ANSWER_UNKNOWN", url=self.url, found=found)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        import httpx

        try:
            yield
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise TransientError("SERVICE_UNREACHABLE", url=self.url, reason=reason) from None


def _seconds(response: httpx.Response) -> float:
    after = response.headers.get("Retry-After", "")
    return float(after) if after.isdigit() else 1.0
