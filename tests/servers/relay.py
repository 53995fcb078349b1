"""A relay in front of a server on loopback, which a test can cut: then the server seems away."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Relay:
    """Passes bytes between whoever connects to `port` and the server at `target`."""

    target: int
    listener: socket.socket
    _whole: bool = True
    _open: list[socket.socket] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.listener.getsockname()[1])

    def cut(self) -> None:
        """From now on every connection ends at once, those that are open too."""
        with self._lock:
            self._whole = False
            for each in self._open:
                _end(each)
            self._open.clear()

    def mend(self) -> None:
        """Let connections pass again."""
        with self._lock:
            self._whole = True

    def serve(self) -> None:
        """Take connections until the listener is closed."""
        while True:
            try:
                incoming, _ = self.listener.accept()
            except OSError:
                return
            with self._lock:
                if not self._whole:
                    _end(incoming)
                    continue
                outgoing = socket.create_connection(("127.0.0.1", self.target))
                self._open += [incoming, outgoing]
            for pair in ((incoming, outgoing), (outgoing, incoming)):
                threading.Thread(target=_pump, args=pair, daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            sink.sendall(data)
    _end(source)
    _end(sink)


def _end(each: socket.socket) -> None:
    with suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
    each.close()


@contextmanager
def running_relay(target: int) -> Iterator[Relay]:
    """A relay on a free port of 127.0.0.1, closed at the end."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        relay = Relay(target, listener)
        thread = threading.Thread(target=relay.serve, daemon=True)
        thread.start()
        try:
            yield relay
        finally:
            relay.cut()
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join()
