"""The server's side of a connection: how long, and how much, a client may send that nobody reads.

Laws: a head that does not arrive in time, or is too large, ends its connection; so does a client
that goes on to send a body that was refused. No thread and no page is taken for it. An answer that
ends its connection is not lost because the body had not arrived: what is unread when a socket is
closed makes the client's system drop what it has received, so the rest of a body is read first.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from headwater.service.limits import Limits

_CLOSE = b"content-length: 0\r\nconnection: close\r\n\r\n"
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\n" + _CLOSE
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\n" + _CLOSE


class PatientConnection(HttpToolsProtocol):
    """What uvicorn does with a connection, and no longer than allowed."""

    limits = Limits()

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._deadline: asyncio.TimerHandle | None = None
        self._in_head, self._head_bytes = False, 0
        self._in_body = False
        self._unread_bytes = 0
        """Of a body whose answer was sent already."""
        self._closes_after_body = False
        self._is_socket = False
        """Handed over to another protocol, which waits as long as its application wants."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._start_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.is_closing() or self._is_socket:
            return
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > self.limits.head_bytes:
                self._refuse(_TOO_LARGE)
                return
        # Also what begins no head at all, such as empty lines, is not waited for without end.
        if not self._in_body and (self.cycle is None or self.cycle.response_complete):
            self._start_waiting()

    def on_message_begin(self) -> None:
        self._in_head, self._head_bytes = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        self._in_head, self._in_body, self._unread_bytes = False, True, 0
        before = self.cycle
        super().on_headers_complete()
        # What becomes a web socket has no answer of this kind.
        if self.cycle is not None and self.cycle is not before:
            self.cycle.transport = _ClosesAfterBody(self)

    def handle_websocket_upgrade(self) -> None:
        """Its head has arrived, and no other one comes."""
        super().handle_websocket_upgrade()
        self._is_socket = True
        self._stop_waiting()

    def close_after_body(self) -> None:
        """End the connection as soon as the body that the client sends has arrived."""
        if not self._in_body:
            self.transport.close()
            return
        self._closes_after_body = True
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def on_body(self, body: bytes) -> None:
        if self.cycle.response_complete:
            self._unread_bytes += len(body)
            if self._unread_bytes > self.limits.unread_bytes:
                self.transport.abort()
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._stop_waiting()
        self._in_body = False
        super().on_message_complete()
        if self._closes_after_body:
            self.transport.close()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._in_body:
            self._start_waiting()

    def _start_waiting(self) -> None:
        if self._deadline is None:
            seconds = self.limits.head_seconds
            self._deadline = self.loop.call_later(seconds, self._refuse, _TOO_SLOW)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, answer: bytes) -> None:
        self._stop_waiting()
        if self.transport.is_closing():
            return
        if not self._in_body:
            self.transport.write(answer)
        self.transport.close()


class _ClosesAfterBody(asyncio.Transport):
    """The transport that answers are written to."""

    def __init__(self, connection: PatientConnection) -> None:
        super().__init__()
        self._connection = connection

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self._connection.transport.write(data)

    def is_closing(self) -> bool:
        return self._connection.transport.is_closing()

    def close(self) -> None:
        self._connection.close_after_body()


def connections_within(limits: Limits) -> type[PatientConnection]:
    """Connections that keep to the limits of a service."""
    return type("PatientConnection", (PatientConnection,), {"limits": limits})
