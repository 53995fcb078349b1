"""Links that let a browser in once, for a few minutes: what `headwater studio` opens."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field

_LINK_SECONDS = 600.0


@dataclass(slots=True)
class Links:
    """The links that were made and not used; threads may share them."""

    _open: dict[str, tuple[str, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def make(self, token: str) -> str:
        """The code of a link that stands for a token."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            now = time.monotonic()
            self._open = {key: kept for key, kept in self._open.items() if kept[1] > now}
            self._open[code] = (token, now + _LINK_SECONDS)
        return code

    def use(self, code: str) -> str | None:
        """The token of a link, which then works no more."""
        with self._lock:
            token, until = self._open.pop(code, ("", 0.0))
        return token if time.monotonic() < until else None
