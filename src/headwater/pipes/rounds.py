"""How much of a long listing has to be looked at again: what a pipe remembers between two looks.

A round goes over all files, from the first path to the last. After one over very many of them the
pipe rests, longer the longer it took, and looks meanwhile only behind the last path, where files
with growing names arrive. Pages that are as they were, and whose files were all known, need not be
held against the load history again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from headwater.storage.store import FileInfo

LONG_ROUND = 100
"""Pages; a folder with fewer is gone over at every poll."""
REST = 4.0
"""So many times as long as a long round took, the next one is not begun: a fifth of the time."""
FORGET_SECONDS = 600.0
"""The load history forgets, and so does this."""
_MOST_PAGES = 100_000


@dataclass(slots=True)
class Rounds:
    """Times are those of a clock that never jumps."""

    _known: set[int] = field(default_factory=set)
    _forget_at: float = 0.0
    _pages: int = 0
    _seconds: float = 0.0
    _rests_until: float = 0.0
    _last: str | None = None

    def behind(self, at: float) -> str | None:
        """Behind which path to look when a round would begin; None for all files."""
        return self._last if at < self._rests_until else None

    def looked(self, *, pages: int, seconds: float, last: str | None) -> None:
        """A part of a round is done; `last` is the last path it came to."""
        self._pages += pages
        self._seconds += seconds
        self._last = last or self._last

    def ended(self, at: float) -> None:
        """The round has come to the last path."""
        if self._pages > LONG_ROUND:
            self._rests_until = at + REST * self._seconds
        self._pages, self._seconds = 0, 0.0

    def is_known(self, page: Sequence[FileInfo], at: float) -> bool:
        """Whether a page is as it was when all of its files were known."""
        if at >= self._forget_at or len(self._known) > _MOST_PAGES:
            self._known.clear()
            self._forget_at = at + FORGET_SECONDS
        return bool(page) and hash(tuple(page)) in self._known

    def note_known(self, page: Sequence[FileInfo]) -> None:
        """All files of a page are known, and will be until they change."""
        self._known.add(hash(tuple(page)))
