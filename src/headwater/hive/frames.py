"""How bytes travel: the SASL handshake by name and password, then frames with their length.

A frame longer than `MOST_BYTES` ends the connection before it is read: lengths come from strangers.
"""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass

from thrift.transport.TTransport import TTransportBase, TTransportException

MOST_BYTES = 64 << 20
MOST_LOGIN_BYTES = 4096

_START, _OK, _BAD, _ERROR, _COMPLETE = 1, 2, 3, 4, 5
_HEAD = struct.Struct(">BI")
_LENGTH = struct.Struct(">I")


@dataclass(frozen=True, slots=True)
class Login:
    """What a client said of itself; never printed."""

    user: str
    password: str

    def __repr__(self) -> str:
        return f"Login({self.user!r})"


def read_login(connection: socket.socket) -> Login:
    """The name and password that a client sends by SASL's mechanism PLAIN."""
    status, mechanism = _message(connection)
    if status != _START or mechanism != b"PLAIN":
        refuse(connection, "the mechanism PLAIN is expected")
        raise TTransportException(message="the handshake did not begin as SASL's PLAIN does")
    _, said = _message(connection)
    parts = said.split(b"\0")
    if len(parts) != 3:
        refuse(connection, "a name and a password are expected")
        raise TTransportException(message="the handshake had no name and password")
    return Login(parts[1].decode("utf-8", "replace"), parts[2].decode("utf-8", "replace"))


def welcome(connection: socket.socket) -> None:
    """End the handshake well."""
    connection.sendall(_HEAD.pack(_COMPLETE, 0))


def refuse(connection: socket.socket, why: str) -> None:
    """End the handshake badly."""
    text = why.encode()
    connection.sendall(_HEAD.pack(_ERROR, len(text)) + text)


def _message(connection: socket.socket) -> tuple[int, bytes]:
    status, length = _HEAD.unpack(_exactly(connection, _HEAD.size))
    if length > MOST_LOGIN_BYTES:
        raise TTransportException(message=f"a login of {length} bytes is too long")
    return status, _exactly(connection, length)


def _exactly(connection: socket.socket, size: int) -> bytes:
    got = bytearray()
    while len(got) < size:
        piece = connection.recv(min(size - len(got), 1 << 16))
        if not piece:
            raise TTransportException(TTransportException.END_OF_FILE, "the client is gone")
        got += piece
    return bytes(got)


class Frames(TTransportBase):
    """Messages in frames, as both sides write them after the handshake."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._reading = memoryview(b"")
        self._writing = bytearray()

    def isOpen(self) -> bool:  # noqa: N802 - the names are thrift's
        return self._connection.fileno() >= 0

    def open(self) -> None:
        """Nothing to do: the connection was accepted."""

    def close(self) -> None:
        self._connection.close()

    def read(self, sz: int) -> bytes:
        if not self._reading:
            (length,) = _LENGTH.unpack(_exactly(self._connection, _LENGTH.size))
            if length > MOST_BYTES:
                raise TTransportException(message=f"a message of {length} bytes is too long")
            self._reading = memoryview(_exactly(self._connection, length))
        got, self._reading = self._reading[:sz], self._reading[sz:]
        return bytes(got)

    def write(self, buf: bytes) -> None:
        self._writing += buf

    def flush(self) -> None:
        written, self._writing = bytes(self._writing), bytearray()
        self._connection.sendall(_LENGTH.pack(len(written)) + written)
