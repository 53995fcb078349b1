"""A session in a service: looks like one in this process, and runs nothing itself.

Law: the same script gives the same results and errors as in this process. So it is cut into its
statements here, and each is sent when its result is asked for.
"""

from __future__ import annotations

import base64
import io
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from headwater.client.file_transfers import moves_files, transfer
from headwater.client.transport import Transport
from headwater.errors import HeadwaterError, InterfaceError, UserError
from headwater.lake_session import LakeSession
from headwater.result import Result
from headwater.sql.split import pieces_of
from headwater.wire.errors import error_from
from headwater.wire.results import read_stream, result_from

_API = "/api/v1"
_WAIT_SECONDS = 30.0
# Until the first answer there is no id by which to ask for progress.
_FIRST_WAIT_SECONDS = 0.5
_UNFINISHED = ("QUEUED", "RUNNING")


class RemoteSession:
    """Runs statements on the lake of a service."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        opened = transport.post(f"{_API}/sessions")
        self._id: str = opened["id"]
        self._schema: str = opened["current_schema"]
        self._closed = False
        self._lock = threading.Lock()
        self._running: list[str] = []
        self._sending = 0
        self._cancel_sent = False
        """Whether what is being sent is to be cancelled as soon as it has an id."""

    @classmethod
    def open(
        cls, url: str, *, token: str | None = None, ca_file: str | None = None, **unknown: Any
    ) -> RemoteSession:
        """A new session in the service at `url`; `ca_file` says whose certificates to trust."""
        for name in unknown:
            raise UserError("SERVICE_ARGUMENT", name=name)
        try:
            transport = Transport(url, token, ca_file=ca_file)
        except OSError as error:
            raise UserError("TLS_FILES_UNUSABLE", certificate=ca_file, reason=error) from None
        try:
            return cls(transport)
        except BaseException:
            transport.close()
            raise

    @property
    def place(self) -> str:
        """Where the lake is, for people to read."""
        return f"service {self._transport.url}"

    @property
    def schema(self) -> str:
        """The current schema, as the last statement left it."""
        return self._schema

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def statements(self, script: str) -> Iterator[Result]:
        """Run the statements of a script one after the other, giving each result as it comes."""
        for piece in pieces_of(script):
            if self._closed:
                raise InterfaceError("the connection is closed")
            if moves_files(piece.text):
                yield transfer(self._transport, self._run, piece.text)
            else:
                yield self._run(piece.text)

    def run_until_idle(self) -> None:
        """Have the service run what is due, and wait for it."""
        self._finish(f"{_API}/runs", None)

    def progress(self) -> tuple[int, int]:
        """Finished and known pieces of the statement running now; from any thread."""
        with self._lock:
            running = self._running[-1:]
        for id in running:
            done, known = self._transport.get(f"{_API}/statements/{id}")["progress"]
            return done, known
        return 0, 0

    def cancel(self) -> None:
        """Cancel what runs now; from any thread."""
        with self._lock:
            running = list(self._running)
            self._cancel_sent = self._sending > 0
        for id in running:
            self._transport.post(f"{_API}/statements/{id}/cancel")

    def close(self) -> None:
        """Close the session in the service; calling it again does nothing."""
        if self._closed:
            return
        self._closed = True
        # A service that is gone has closed its sessions already.
        with suppress(HeadwaterError):
            self._transport.delete(f"{_API}/sessions/{self._id}")
        self._transport.close()

    def _run(self, text: str, exchange: str | None = None) -> Result:
        body = {"sql": text, "session": self._id, "inline": True, "exchange": exchange}
        return self._finish(f"{_API}/statements", {**body, "wait_seconds": _FIRST_WAIT_SECONDS})

    def _finish(self, path: str, body: dict[str, Any] | None) -> Result:
        statement = self._send(path, body)
        if statement["state"] in _UNFINISHED:
            statement = self._wait(statement["id"])
        self._schema = statement["current_schema"] or self._schema
        if statement["error"] is not None:
            raise error_from(statement["error"])
        return self._result(statement)

    def _send(self, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        with self._lock:
            self._sending += 1
            self._cancel_sent = False
        try:
            return self._transport.post(path, body)
        finally:
            with self._lock:
                self._sending -= 1

    def _wait(self, id: str) -> dict[str, Any]:
        with self._lock:
            self._running.append(id)
            cancelled, self._cancel_sent = self._cancel_sent, False
        try:
            if cancelled:
                self._transport.post(f"{_API}/statements/{id}/cancel")
            page = f"{_API}/statements/{id}"
            while True:
                found = self._transport.get(page, wait=_WAIT_SECONDS, inline=True)
                if found["state"] not in _UNFINISHED:
                    return found
        finally:
            with self._lock:
                self._running.remove(id)

    def _result(self, statement: dict[str, Any]) -> Result:
        if not statement["results"]:
            return Result()
        description = statement["results"][-1]
        if not description["columns"]:
            return result_from(description)
        if description["arrow"] is not None:
            return read_stream(io.BytesIO(base64.b64decode(description["arrow"])))
        last = len(statement["results"]) - 1
        # Nobody is going to ask for it again, and the service needs the memory.
        page = f"{_API}/statements/{statement['id']}/results/{last}?keep=false"
        return self._transport.rows(page)


def run_remotely(session: LakeSession) -> None:
    """Run what is due in the service behind a session."""
    assert isinstance(session, RemoteSession)
    session.run_until_idle()
