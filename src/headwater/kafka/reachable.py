"""Whether anything listens where a broker should be, before a client is made that waits for it."""

from __future__ import annotations

import socket


def is_reachable(bootstrap: str, *, timeout_seconds: float) -> bool:
    """Whether one of the bootstrap servers takes connections."""
    return any(_listens(server.strip(), timeout_seconds) for server in bootstrap.split(","))


def _listens(server: str, timeout_seconds: float) -> bool:
    host, _, port = server.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout_seconds):
            return True
    except (OSError, ValueError, OverflowError):
        return False
