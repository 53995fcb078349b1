"""What a connection asks of its session, be the lake open in this process or behind a service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from headwater.result import Result


class LakeSession(Protocol):
    """A session on a lake; `Session` and the client's `RemoteSession` are ones."""

    @property
    def place(self) -> str:
        """Where the lake is, for people to read."""
        ...

    @property
    def schema(self) -> str:
        """The current schema."""
        ...

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        ...

    def statements(self, script: str) -> Iterator[Result]:
        """Run the statements of a script one after the other, giving each result as it comes."""
        ...

    def progress(self) -> tuple[int, int]:
        """Finished and known pieces of the statement running now; from any thread."""
        ...

    def cancel(self) -> None:
        """Cancel what runs now; from any thread."""
        ...

    def close(self) -> None:
        """Give the lake back; calling it again does nothing."""
        ...
