"""Passes: what lets a script that this process has started into its own service.

Laws: a pass proves whose script it is, and nothing once the script has ended; it is kept nowhere
but here, as a hash.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from headwater.access.grants import Identity
from headwater.runtime.credentials import new_token

Whose = Callable[[], Identity]
"""Says who somebody is now: a role may change while a script runs."""


class Passes:
    """Given and asked for from several threads."""

    def __init__(self) -> None:
        self.address: str | None = None
        """Where this process serves the lake, if it does."""
        self._lock = threading.Lock()
        self._valid: dict[bytes, Whose] = {}

    @contextmanager
    def given(self, whose: Whose) -> Iterator[str]:
        """A pass that is good inside the block."""
        made = new_token().text
        with self._lock:
            self._valid[_digest(made)] = whose
        try:
            yield made
        finally:
            with self._lock:
                del self._valid[_digest(made)]

    def whose(self, secret: str) -> Identity | None:
        """Who has the pass; None for what is none, or not any more."""
        # A look-up by digest takes as long for a pass that is nearly right.
        with self._lock:
            found = self._valid.get(_digest(secret))
        return None if found is None else found()


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
