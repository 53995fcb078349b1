"""How often somebody may try to log in: a bucket of tries that fills again, for each key.

A key is a user or an address. Law: no key gets more than `burst` tries at once, nor more than
`burst` and one for every `seconds_per_try` in any stretch of time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

_MOST_KEYS = 10_000


@dataclass(frozen=True, slots=True)
class Bucket:
    """How many tries were left at a moment."""

    tries: float
    at: datetime


@dataclass(slots=True)
class LoginLimits:
    """The buckets of one kind of key; the caller gives the time and does the locking."""

    burst: int = 5
    seconds_per_try: float = 12.0
    _buckets: dict[str, Bucket] = field(default_factory=dict)

    def wait(self, key: str, at: datetime) -> float:
        """How many seconds until `key` may try; 0 takes nothing and means it may now."""
        left = self._left(key, at)
        return 0.0 if left >= 1 else (1 - left) * self.seconds_per_try

    def spend(self, key: str, at: datetime) -> None:
        """Take one try."""
        self._buckets[key] = Bucket(max(0.0, self._left(key, at) - 1), at)
        if len(self._buckets) > _MOST_KEYS:
            self._forget(at)

    def clear(self, key: str) -> None:
        """Forget a key that has shown who it is."""
        self._buckets.pop(key, None)

    def _left(self, key: str, at: datetime) -> float:
        known = self._buckets.get(key)
        if known is None:
            return float(self.burst)
        passed = max(0.0, (at - known.at).total_seconds())
        return min(float(self.burst), known.tries + passed / self.seconds_per_try)

    def _forget(self, at: datetime) -> None:
        """Full buckets tell nothing; if all tell something, the oldest go: memory is bounded."""
        full = [key for key in self._buckets if self._left(key, at) >= self.burst]
        oldest = sorted(self._buckets, key=lambda key: self._buckets[key].at)
        for key in full or oldest[: _MOST_KEYS // 2]:
            del self._buckets[key]
