"""Whether a table has so many small files that writing them together pays. Pure.

Law: files of different partitions are never counted together, because OPTIMIZE cannot join them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Place = tuple[tuple[str, str | None], ...]
"""The values of the partition columns that a file has; empty without partitions."""


@dataclass(frozen=True, slots=True)
class Policy:
    """From how many files on a partition is compacted, and which files count; 0 is never."""

    least_files: int
    small_bytes: int


@dataclass(frozen=True, slots=True)
class SmallFiles:
    """What is worth to be compacted: small files, in those partitions that have enough of them."""

    files: int
    bytes: int


def small_files(files: Iterable[tuple[Place, int]], policy: Policy) -> SmallFiles | None:
    """The small files of a table, or None if there are too few of them anywhere."""
    if policy.least_files < 1:
        return None
    found: dict[Place, list[int]] = {}
    for place, size in files:
        if size < policy.small_bytes:
            found.setdefault(place, []).append(size)
    # One file cannot be joined with itself.
    least = max(2, policy.least_files)
    enough = [sizes for sizes in found.values() if len(sizes) >= least]
    if not enough:
        return None
    return SmallFiles(sum(map(len, enough)), sum(map(sum, enough)))
