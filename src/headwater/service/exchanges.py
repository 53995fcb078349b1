"""Exchanges of clients: folders of this machine by which PUT and GET pass their files on.

Invariants: an exchange is its owner's alone; it takes no more bytes than allowed; it is removed
when it is closed, when nobody has used it for a while, and when the service ends.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from headwater.errors import TransientError, UserError
from headwater.service.identity import Identity
from headwater.service.limits import Limits
from headwater.storage.addresses import checked_path


@dataclass(slots=True)
class Exchange:
    """One folder, with its owner and since when nobody has used it."""

    id: str
    owner: Identity
    folder: Path
    most_bytes: int
    sent_bytes: int = 0
    """What has been sent to it."""
    used_at: float = field(default_factory=time.monotonic)

    async def take(self, name: str, pieces: AsyncIterator[bytes]) -> None:
        """Keep a file that a client sends; one of the same name is replaced."""
        target = self.folder / checked_path(name)
        if target.parent != self.folder:
            raise UserError("REQUEST_INVALID", problem="the name of a file holds a slash")
        try:
            with await run_in_threadpool(target.open, "wb") as file:
                async for piece in pieces:
                    self.sent_bytes += len(piece)
                    if self.sent_bytes > self.most_bytes:
                        raise UserError("EXCHANGE_TOO_LARGE", most=self.most_bytes)
                    await run_in_threadpool(file.write, piece)
        except ClientDisconnect:
            raise TransientError("REQUEST_GIVEN_UP") from None
        except OSError as error:
            raise UserError("REQUEST_INVALID", problem=error.strerror) from None
        self.used_at = time.monotonic()

    def file(self, path: str) -> Path:
        """A file that is there; nothing outside of the folder, whatever the path."""
        found = self.folder / checked_path(path)
        inside = os.path.realpath(found).startswith(f"{os.path.realpath(self.folder)}{os.sep}")
        if not inside or not found.is_file():
            raise UserError("EXCHANGE_FILE_NOT_FOUND", path=path)
        self.used_at = time.monotonic()
        return found


class Exchanges:
    """The open exchanges, from several threads."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._open: dict[str, Exchange] = {}

    def open(self, owner: Identity) -> Exchange:
        """A new one, which only this user of the machine can read."""
        with self._lock:
            if len(self._open) >= self._limits.exchanges:
                raise TransientError("TOO_MANY_EXCHANGES", most=self._limits.exchanges)
            folder = Path(tempfile.mkdtemp(prefix="headwater-exchange-"))
            id = secrets.token_hex(16)
            made = Exchange(id, owner, folder, self._limits.upload_bytes)
            self._open[id] = made
        return made

    def find(self, id: str, identity: Identity) -> Exchange:
        """One of the asker's own."""
        found = self._open.get(id)
        if found is None or found.owner != identity:
            raise UserError("EXCHANGE_NOT_FOUND", exchange=id)
        found.used_at = time.monotonic()
        return found

    def close(self, id: str, identity: Identity) -> None:
        """Remove it with its files."""
        self._remove(self.find(id, identity))

    def close_idle(self) -> None:
        """Remove those that nobody has used for too long."""
        oldest = time.monotonic() - self._limits.exchange_seconds
        for exchange in list(self._open.values()):
            if exchange.used_at < oldest:
                self._remove(exchange)

    def close_all(self) -> None:
        """When the service ends."""
        for exchange in list(self._open.values()):
            self._remove(exchange)

    def _remove(self, exchange: Exchange) -> None:
        with self._lock:
            self._open.pop(exchange.id, None)
        shutil.rmtree(exchange.folder, ignore_errors=True)
