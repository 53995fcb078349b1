"""Which ended statements are forgotten, so that their results never take too much memory. Pure.

Laws: what is left is within all limits; what a client has had goes before what waits for one, and
the older before the newer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.service.limits import Limits


@dataclass(frozen=True, slots=True)
class Kept:
    """An ended statement."""

    id: str
    bytes: int
    age_seconds: float
    fetched: bool


def to_forget(kept: Sequence[Kept], limits: Limits) -> set[str]:
    """The ids of those that must go."""
    gone = {entry.id for entry in kept if entry.age_seconds > _patience(entry, limits)}
    left = [entry for entry in kept if entry.id not in gone]
    left.sort(key=lambda entry: (not entry.fetched, -entry.age_seconds))
    total = sum(entry.bytes for entry in left)
    count = len(left)
    for entry in left:
        if count <= limits.statements and total <= limits.result_bytes:
            break
        gone.add(entry.id)
        total -= entry.bytes
        count -= 1
    return gone


def _patience(entry: Kept, limits: Limits) -> float:
    return limits.fetched_seconds if entry.fetched else limits.statement_seconds
