"""The endpoint: it listens, and gives each client that logs in a thread and a handler."""

from __future__ import annotations

import logging
import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from TCLIService import TCLIService
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TTransport import TTransportException

from headwater.errors import HeadwaterError
from headwater.hive.frames import Frames, Login, read_login, refuse, welcome
from headwater.hive.handler import Handler, Open

LogIn = Callable[[Login, str], Open]
"""From what a client says of itself, and its address, to how its sessions are opened; an error
refuses it."""

_LOGIN_SECONDS = 10.0
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class HiveServer:
    """Serves clients until it is closed."""

    log_in: LogIn
    host: str = "127.0.0.1"
    port: int = 0
    most_clients: int = 200
    tls: ssl.SSLContext | None = None
    """With a certificate: who does not speak TLS is not answered."""
    _listening: socket.socket | None = None
    _clients: set[socket.socket] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Listen, and serve on threads; `port` is then the real one."""
        self._listening = socket.create_server((self.host, self.port))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, name="headwater-hive-accept", daemon=True).start()

    def close(self) -> None:
        """Listen no more, and end what is open."""
        if self._listening is not None:
            with suppress(OSError):
                # Closing alone does not wake the thread that accepts.
                self._listening.shutdown(socket.SHUT_RDWR)
            self._listening.close()
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            with suppress(OSError):
                # That of TLS would let what is still being written go out in clear.
                socket.socket.shutdown(client, socket.SHUT_RDWR)

    def _accept(self) -> None:
        assert self._listening is not None
        while True:
            try:
                accepted, address = self._listening.accept()
            except OSError:
                return
            client = self._wrapped(accepted)
            if client is None:
                continue
            with self._lock:
                full = len(self._clients) >= self.most_clients
                if not full:
                    self._clients.add(client)
            if full:
                client.close()
                continue
            threading.Thread(
                target=self._serve, args=(client, address[0]), name="headwater-hive", daemon=True
            ).start()

    def _wrapped(self, client: socket.socket) -> socket.socket | None:
        """The connection as one of TLS, or None if it is gone again.

        The handshake, for which the client may take its time, is left to the client's own thread.
        """
        if self.tls is None:
            return client
        try:
            return self.tls.wrap_socket(client, server_side=True, do_handshake_on_connect=False)
        except OSError:
            client.close()
            return None

    def _serve(self, client: socket.socket, address: str) -> None:
        try:
            client.settimeout(_LOGIN_SECONDS)
            if isinstance(client, ssl.SSLSocket):
                client.do_handshake()
            opening = self._welcomed(client, address)
            if opening is not None:
                client.settimeout(None)
                _answer(client, opening)
        except (TTransportException, OSError) as error:
            _log.debug("a client left: %s", error)
        except Exception:
            _log.exception("a client of the Hive endpoint was dropped")
        finally:
            with self._lock:
                self._clients.discard(client)
            client.close()

    def _welcomed(self, client: socket.socket, address: str) -> Open | None:
        login = read_login(client)
        try:
            opening = self.log_in(login, address)
        except HeadwaterError as error:
            refuse(client, error.message)
            return None
        welcome(client)
        return opening


def _answer(client: socket.socket, opening: Open) -> None:
    handler = Handler(opening)
    frames = Frames(client)
    # The accelerated one does not know the shape of the types that PyHive brings.
    protocol = TBinaryProtocol(frames)
    processor = TCLIService.Processor(handler)
    try:
        while True:
            processor.process(protocol, protocol)
    finally:
        handler.close()
