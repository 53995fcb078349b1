"""What pages need of a request: the service behind it, and who asks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPBasic, HTTPBearer

from headwater.service.identity import Identity
from headwater.service.service import Service
from headwater.service.statement import Statement

IdentityNow = Callable[[], Awaitable[Identity]]
"""Who asks, by the same proof, at the moment in which it is called; raises when it is nobody."""

# `Guards` has checked the token by now; this is for the API's description.
_BEARER = HTTPBearer(auto_error=False, description="A token of a user.")
_BASIC = HTTPBasic(auto_error=False, description="The name and password of a user.")


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _identity(
    request: Request,
    _bearer: Annotated[object, Depends(_BEARER)],
    _basic: Annotated[object, Depends(_BASIC)],
) -> Identity:
    identity: Identity = request.state.identity
    return identity


def _identity_now(request: Request) -> IdentityNow:
    asked: IdentityNow = request.state.identity_now
    return asked


TheService = Annotated[Service, Depends(_service)]
TheIdentity = Annotated[Identity, Depends(_identity)]
TheIdentityNow = Annotated[IdentityNow, Depends(_identity_now)]


async def ended(statement: Statement, seconds: float) -> None:
    """Wait for a statement, but not too long, and without holding a thread."""
    if seconds <= 0 or statement.ended:
        return
    loop = asyncio.get_running_loop()
    told = asyncio.Event()

    def tell() -> None:
        # The loop may be gone when a statement ends after the service.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(told.set)

    statement.when_ended(tell)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await told.wait()
