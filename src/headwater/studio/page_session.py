"""The session of a page: opened when something first needs it, by whoever comes first.

Law: all that a page runs at the same time runs in one session, and none is opened beside it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class PageSession:
    """Lives on the loop of the web server; so do those who ask."""

    def __init__(self, open_session: Callable[[], Awaitable[str]]) -> None:
        self._open_session = open_session
        self._id: str | None = None
        self._opening = asyncio.Lock()

    async def id(self) -> str:
        """The session, which is opened if there is none."""
        async with self._opening:
            if self._id is None:
                self._id = await self._open_session()
            return self._id

    def gone(self, session: str) -> bool:
        """The service no longer knows it; says whether nobody has noticed before."""
        first = self._id == session
        if first:
            self._id = None
        return first

    def leave(self) -> str | None:
        """The page is left: what is to be given back."""
        session, self._id = self._id, None
        return session
