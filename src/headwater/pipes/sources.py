"""The port of a pipe's source: it finds the next batch, and is told when a batch is durable."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from headwater.pipes.batches import Batch


@dataclass(frozen=True, slots=True)
class Pending:
    """What waits for a pipe, as far as a look could see."""

    files: int = 0
    bytes: int = 0
    oldest_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """What a look at the source found; `more` says that another look at once is worth it."""

    batch: Batch | None = None
    more: bool = False
    pending: Pending = Pending()


class Source(Protocol):
    """Where a pipe reads from. Used by one thread at a time."""

    def look(self, number: int) -> Look:
        """What to do next, as batch `number`."""
        ...

    def again(self, batch: Batch) -> Batch | None:
        """A batch that was begun before and not committed, as far as its content is still there."""
        ...

    def done(self, batch: Batch) -> None:
        """The batch is in the table: let the source forget it."""
        ...

    def close(self) -> None:
        """Give up connections."""
        ...
