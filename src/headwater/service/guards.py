"""What a request passes before anything reads it: who asks, how large it is, how slow it is.

Laws: nobody without a token is answered anything but 401, whatever the page; no more than the
allowed bytes of a body are ever held; a client that neither sends nor reads is let go.
"""

from __future__ import annotations

import asyncio
import base64
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.service.answers import answer
from headwater.service.identity import Authenticator, Identity, Proof
from headwater.service.limits import Limits

OPEN_PAGES = frozenset({"/health", "/ready"})
"""What anybody may ask; it says nothing about the lake."""

UPLOAD = "headwater_upload"
"""What a request's state has when it sends a file, as only what stands before the guards says."""

_EXCHANGES = "/api/v1/exchanges/"
_BEARER, _BASIC = b"bearer", b"basic"
_POLICY = 1008
"""What a web socket is closed with when its request was refused."""


class Guards:
    """Stands before the application."""

    def __init__(
        self, application: ASGIApp, *, authenticator: Authenticator, limits: Limits
    ) -> None:
        self._application = application
        self._authenticator = authenticator
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        headers = dict(scope["headers"])
        uploads = scope.setdefault("state", {}).get(UPLOAD, False) or _sends_file(scope)
        limits = self._limits.of_upload() if uploads else self._limits
        try:
            if scope["path"] not in OPEN_PAGES:
                address = (scope.get("client") or ("",))[0]
                asked = partial(self._identity, headers, address)
                scope["state"]["identity"] = await asked()
                # An answer that goes on for hours asks again whether it may.
                scope["state"]["identity_now"] = asked
            _check_length(headers, limits)
        except HeadwaterError as error:
            await _refuse(error, scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self._application(scope, receive, send)
            return
        body = _Body(receive, limits)
        patient = _patient(send, self._limits.send_seconds)
        try:
            await self._application(scope, body.receive, patient)
        except _Stalled:
            # The server closes a connection whose answer was not finished.
            return

    async def _identity(self, headers: dict[bytes, bytes], address: str) -> Identity:
        proof = proof_in(headers.get(b"authorization", b""), address)
        if proof is not None:
            found = await run_in_threadpool(self._authenticator.authenticate, proof)
            if found is not None:
                return found
        raise UserError("UNAUTHENTICATED")


def _sends_file(scope: Scope) -> bool:
    return scope.get("method") == "PUT" and scope["path"].startswith(_EXCHANGES)


def _check_length(headers: dict[bytes, bytes], limits: Limits) -> None:
    length = headers.get(b"content-length", b"0")
    if length.isdigit() and int(length) > limits.body_bytes:
        raise UserError("BODY_TOO_LARGE", most=limits.body_bytes)


async def _refuse(error: HeadwaterError, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _POLICY})
    else:
        await answer(error)(scope, receive, send)


def proof_in(header: bytes, address: str) -> Proof | None:
    """What the header Authorization bears: a token, or a name and password; None for neither."""
    scheme, _, given = header.partition(b" ")
    if scheme.lower() == _BEARER:
        return Proof(given.strip().decode("latin-1"), address=address)
    if scheme.lower() != _BASIC:
        return None
    try:
        user, colon, password = base64.b64decode(given, validate=True).decode().partition(":")
    except ValueError:
        return None
    return Proof(password, user, address) if colon else None


class _Body:
    """Counts a body as it arrives, and does not wait for it for ever."""

    def __init__(self, receive: Receive, limits: Limits) -> None:
        self._receive = receive
        self._limits = limits
        self._size = 0
        self._whole = False
        self._deadline = asyncio.get_running_loop().time() + limits.body_seconds

    async def receive(self) -> Message:
        if self._whole:
            # What comes now is the end of the connection, and may come late.
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            seconds = self._limits.body_seconds
            raise TransientError("BODY_TOO_SLOW", seconds=seconds) from None
        self._size += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._size > self._limits.body_bytes:
            raise UserError("BODY_TOO_LARGE", most=self._limits.body_bytes)
        return message


class _Stalled(Exception):
    """The client has not read for too long."""


def _patient(send: Send, seconds: float) -> Send:
    async def send_in_time(message: Message) -> None:
        try:
            async with asyncio.timeout(seconds):
                await send(message)
        except TimeoutError:
            raise _Stalled from None

    return send_in_time
