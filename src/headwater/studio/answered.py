"""Whether a page has been sent: until then nothing that is on its way to it is drawn.

A list that is drawn while its page is put together would hold up the page, and so the scripts that
a browser reads meanwhile.
"""

from __future__ import annotations

import asyncio

from starlette.requests import Request

ANSWERED = "headwater_answered"
"""Under this name the door leaves the event in the state of a request."""


def answered(request: Request) -> asyncio.Event:
    """Set as soon as the answer to the request was sent."""
    return getattr(request.state, ANSWERED, None) or was_answered()


def was_answered() -> asyncio.Event:
    """Of a page that nobody has to wait for."""
    event = asyncio.Event()
    event.set()
    return event
