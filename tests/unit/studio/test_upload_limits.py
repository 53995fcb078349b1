"""How large a request may be: a file that is sent to Studio, and everything else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from headwater.errors import HeadwaterError
from headwater.service.answers import answer
from headwater.service.guards import Guards
from headwater.service.identity import Identity, Proof
from headwater.service.limits import Limits
from headwater.sql.roles import Role
from headwater.studio.door import Door
from headwater.studio.links import Links

LIMITS = Limits(body_bytes=10, upload_bytes=100)
UPLOAD = "/studio/_nicegui/client/abc/upload/7"


class OneToken:
    """Knows one token."""

    def authenticate(self, proof: Proof) -> Identity | None:
        return Identity("ann", Role.VIEWER) if proof.secret == "t" else None


async def read_all(scope: Scope, receive: Receive, send: Send) -> None:
    try:
        response: Response = PlainTextResponse(str(len(await Request(scope, receive).body())))
    except HeadwaterError as error:
        response = answer(error)
    await response(scope, receive, send)


async def pieces(count: int) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield b"x"


def ask(path: str, content: bytes | int, *, token: str = "t", method: str = "POST") -> int:
    """The status of a request with a body, or with so many bytes whose number is not told."""
    authenticator = OneToken()
    app = Door(
        Guards(read_all, authenticator=authenticator, limits=LIMITS),
        authenticator=authenticator,
        issue=lambda identity, seconds: "",
        links=Links(),
        secure=False,
    )

    async def send() -> int:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            body = pieces(content) if isinstance(content, int) else content
            headers = {"cookie": f"headwater_token={token}", "headwater_upload": "true"}
            return (await client.request(method, path, content=body, headers=headers)).status_code

    return asyncio.run(send())


@pytest.mark.parametrize("content", [b"x" * 50, 50])
def test_a_file_may_be_larger_than_other_requests(content: bytes | int) -> None:
    assert ask(UPLOAD, content) == 200


@pytest.mark.parametrize("content", [b"x" * 101, 101])
def test_a_file_has_a_limit_too(content: bytes | int) -> None:
    assert ask(UPLOAD, content) == 413


@pytest.mark.parametrize("content", [b"x" * 50, 50])
@pytest.mark.parametrize(
    "path",
    [
        "/studio/catalog",
        "/studio/_nicegui/client/abc/other/7",
        "/studio/_nicegui/client/abc/upload/7/more",
        "/api/v1/_nicegui/client/abc/upload/7",
    ],
)
def test_nothing_else_may_be_larger(path: str, content: bytes | int) -> None:
    assert ask(path, content) in (401, 413)


def test_only_what_is_sent_counts_as_a_file() -> None:
    assert ask(UPLOAD, b"x" * 50, method="PUT") == 413


def test_nobody_without_a_token_sends_a_file() -> None:
    assert ask(UPLOAD, b"x" * 50, token="wrong") == 401
