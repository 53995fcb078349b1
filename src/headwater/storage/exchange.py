"""Sending requests to one server: connections that are kept, time limits, retries with back-off.

Why not a client library: opendal 0.47 lists `a ` but deletes `a` when told to delete it, and has no
batch delete in Python; obstore 0.12 cannot list a bucket that holds a name with a line break and
knows neither OSS nor COS. Nor is it slower: listing 100,000 objects takes 0.83x of what obstore
takes (bench/list_objects.py), in flat memory.
"""

from __future__ import annotations

import http.client
import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import BinaryIO

from headwater.errors import UserError
from headwater.storage.answers import Answer
from headwater.storage.connections import AccessKeys
from headwater.storage.endpoints import Endpoint
from headwater.storage.failures import NETWORK_ERRORS, refusal_of, unreachable, worth_retrying
from headwater.storage.open_connection import open_connection
from headwater.storage.requests import Content, Request, encoded_path
from headwater.storage.signing import Signer

_CHUNK = 1 << 20
_MOST_IDLE = 16


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a server, and how often to ask again."""

    connect_seconds: float = 5.0
    answer_seconds: float = 20.0
    """How long nothing may come; a long download goes on as long as something does."""
    attempts: int = 4
    total_seconds: float = 15.0
    """No further attempt is made after this."""
    first_pause_seconds: float = 0.2


class Exchange:
    """Sends requests to one server, from any thread."""

    def __init__(
        self,
        endpoint: Endpoint,
        signer: Signer,
        keys: Callable[[], AccessKeys],
        *,
        patience: Patience | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.signer = signer
        self.keys = keys
        self._patience = patience or Patience()
        self._idle: deque[http.client.HTTPConnection] = deque()

    def send(self, request: Request, *, into: BinaryIO | None = None) -> Answer:
        """The store's answer, after retries; its body goes `into` a file if the answer is good."""
        started, pause = time.monotonic(), self._patience.first_pause_seconds
        for attempt in range(1, self._patience.attempts + 1):
            last = attempt == self._patience.attempts
            problem: Exception | None = None
            try:
                answer = self.begin(request).finish(into=into)
                if last or answer.good or not refusal_of(answer).busy:
                    return answer
            except NETWORK_ERRORS as error:
                problem = error
            out_of_time = time.monotonic() - started + pause > self._patience.total_seconds
            if problem is not None and (last or out_of_time or not worth_retrying(problem)):
                raise unreachable(problem, server=self.endpoint.authority) from None
            if out_of_time:
                return answer
            if into is not None:
                into.seek(0)
                into.truncate()
            time.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - spreads load, no secret
            pause *= 2
        raise AssertionError("the last attempt returns or raises")

    def begin(self, request: Request) -> Pending:
        """Send a request without waiting for its answer; raises what the network raises."""
        while True:
            connection, fresh = self._connection()
            try:
                self._write(connection, request)
            except NETWORK_ERRORS:
                connection.close()
                if fresh:
                    raise
                # The server closed a connection nobody used; the others are as old.
                self.close()
                continue
            return Pending(self, connection, request, fresh=fresh)

    def address(self, request: Request) -> str:
        """The address of a request, as a browser takes it."""
        query = self.signer.query_text(request.query)
        return self.endpoint.url + encoded_path(request.path) + (f"?{query}" if query else "")

    def close(self) -> None:
        """Close the connections that are not in use."""
        while self._idle:
            try:
                self._idle.pop().close()
            except IndexError:
                return

    def take_back(self, connection: http.client.HTTPConnection) -> None:
        """Keep a connection for the next request."""
        if len(self._idle) < _MOST_IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    def _connection(self) -> tuple[http.client.HTTPConnection, bool]:
        try:
            return self._idle.pop(), False
        except IndexError:
            connection = open_connection(self.endpoint, timeout=self._patience.connect_seconds)
            assert connection.sock is not None
            connection.sock.settimeout(self._patience.answer_seconds)
            return connection, True

    def _write(self, connection: http.client.HTTPConnection, request: Request) -> None:
        signed = self.signer.signed(request, self.keys(), datetime.now(UTC))
        query = self.signer.query_text(signed.query)
        target = encoded_path(signed.path) + (f"?{query}" if query else "")
        connection.putrequest(signed.method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in signed.headers.items():
            connection.putheader(name, value)
        content = signed.content
        if content is not None:
            connection.putheader("content-length", str(content.size))
        elif signed.method in ("PUT", "POST"):
            connection.putheader("content-length", "0")
        connection.endheaders()
        if content is not None:
            try:
                _send(connection, content)
            except (BrokenPipeError, ConnectionResetError):
                # A store that refuses early says why and hangs up: its answer is to be read.
                return


class Pending:
    """A request whose answer is on its way."""

    def __init__(
        self,
        exchange: Exchange,
        connection: http.client.HTTPConnection,
        request: Request,
        *,
        fresh: bool,
    ) -> None:
        self._exchange = exchange
        self._connection = connection
        self._request = request
        self._fresh = fresh

    def finish(self, *, into: BinaryIO | None = None) -> Answer:
        """Read the answer to its end."""
        try:
            response = self._connection.getresponse()
        except NETWORK_ERRORS as error:
            self.abandon()
            if self._fresh or isinstance(error, TimeoutError):
                raise
            self._exchange.close()
            return self._exchange.begin(self._request).finish(into=into)
        try:
            answer = _read(response, into)
        except BaseException:
            self.abandon()
            raise
        if response.will_close:
            self.abandon()
        else:
            self._exchange.take_back(self._connection)
        return answer

    def abandon(self) -> None:
        """Nobody wants the answer any more."""
        self._connection.close()


def _send(connection: http.client.HTTPConnection, content: Content) -> None:
    if isinstance(content.source, bytes):
        connection.send(content.source)
        return
    left = content.size
    with content.source.open("rb") as file:
        file.seek(content.start)
        while left and (chunk := file.read(min(_CHUNK, left))):
            connection.send(chunk)
            left -= len(chunk)
    if left:
        raise UserError("FILE_CHANGED", path=content.source)


def _read(response: http.client.HTTPResponse, into: BinaryIO | None) -> Answer:
    headers = {name.lower(): value for name, value in response.getheaders()}
    if into is None or not 200 <= response.status < 300:
        return Answer(response.status, headers, response.read())
    expected, got = response.length, 0
    while chunk := response.read(_CHUNK):
        got += len(chunk)
        into.write(chunk)
    # Reading in pieces, Python takes a connection that broke for the end of the file.
    if expected is not None and got != expected:
        raise http.client.IncompleteRead(b"", expected - got)
    return Answer(response.status, headers, b"")
