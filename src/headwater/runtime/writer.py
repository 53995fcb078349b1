"""The right to write: taken at the first statement that writes, kept by heartbeats, given back.

Reading needs no right, so `SHOW TABLES` works beside a running writer. A writer that falls silent
(killed, frozen) loses the lake after `lease_seconds`, or at once when its process is gone.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import timedelta

from headwater.catalog.lease_rules import Instance
from headwater.catalog.store import Store
from headwater.errors import HeadwaterError, TransientError
from headwater.runtime.process_identity import is_alive

_log = logging.getLogger(__name__)


class Writer:
    """This process's hold on the lake."""

    def __init__(self, store: Store, instance: Instance, *, lease_seconds: int) -> None:
        self._store = store
        self._instance = instance
        self._ttl = timedelta(seconds=lease_seconds)
        self._lock = threading.Lock()
        self._fencing: int | None = None
        self.lost = 0
        """How often the lease was taken over from this process."""

    @property
    def fencing(self) -> int | None:
        """The fencing number, while the lease is held."""
        return self._fencing

    def ensure(self) -> int:
        """Hold the lease, taking it if need be; LAKE_LOCKED names whoever has it.

        The database is asked every time: what we remember may be older than a take-over.
        """
        with self._lock:
            if self._fencing is not None and self._renew():
                return self._fencing
            self._fencing = self._store.lease.acquire(
                self._instance.id, ttl=self._ttl, holder_alive=is_alive
            )
            return self._fencing

    def heartbeat(self) -> None:
        """Renew what is held; a lease that was taken over is forgotten."""
        with self._lock:
            if self._fencing is not None and not self._renew():
                self._forget()

    def confirm(self, fencing: int) -> None:
        """Renew the lease that was granted with a number; LEASE_LOST if another had it since.

        For the moment of a commit: whoever is confirmed there is taken over from no sooner than
        `lease_seconds` later.
        """
        with self._lock:
            if self._store.lease.renew(self._instance.id, fencing, ttl=self._ttl):
                return
            if self._fencing == fencing:
                self._forget()
        raise TransientError("LEASE_LOST", reason="it has been taken over since")

    def _forget(self) -> None:
        _log.warning("the lease on the lake was taken over by another process")
        self._fencing = None
        self.lost += 1

    def _renew(self) -> bool:
        assert self._fencing is not None
        return self._store.lease.renew(self._instance.id, self._fencing, ttl=self._ttl)

    def release(self) -> None:
        """Give the lake back."""
        with self._lock:
            if self._fencing is not None:
                self._store.lease.release(self._instance.id, self._fencing)
                self._fencing = None


class Heartbeat:
    """A thread that keeps this process visible, and its lease, until stopped."""

    def __init__(self, beat: Callable[[], None], *, every: float) -> None:
        self._beat = beat
        self._every = every
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="headwater-heartbeat", daemon=True)

    def start(self) -> None:
        """Start beating."""
        self._thread.start()

    def stop(self) -> None:
        """Stop, and wait for a beat under way."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _run(self) -> None:
        while not self._stop.wait(self._every):
            try:
                self._beat()
            except HeadwaterError as error:
                # The database may be away for a moment; the next beat tries again.
                _log.warning("heartbeat failed: %s", error)
            except Exception:
                # A thread that ended would cost the lease, and nobody here would know.
                _log.exception("heartbeat failed")
