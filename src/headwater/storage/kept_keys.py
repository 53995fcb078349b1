"""Temporary keys, kept until five minutes before they end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from headwater.storage.connections import AccessKeys

_MARGIN = timedelta(minutes=5)


def now() -> datetime:
    """The time of this machine."""
    return datetime.now(UTC)


class KeptKeys:
    """The current keys, when called; asks for new ones when they are about to end."""

    def __init__(
        self, ask: Callable[[], AccessKeys], *, clock: Callable[[], datetime] = now
    ) -> None:
        self._ask = ask
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: AccessKeys | None = None

    def __call__(self) -> AccessKeys:
        with self._lock:
            kept = self._keys
            if kept is None or kept.expires_at is None or kept.expires_at - _MARGIN < self._clock():
                kept = self._keys = self._ask()
            return kept
