"""The pages that tell what happens while it happens, as server-sent events."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from headwater.errors import HeadwaterError
from headwater.service.answers import ERRORS
from headwater.service.identity import Identity, may_see
from headwater.service.reach import IdentityNow, TheIdentity, TheIdentityNow, TheService
from headwater.service.service import Service, Standing
from headwater.service.statement import Statement
from headwater.service.statement_pages import shown

_EVENT_STREAM = "text/event-stream"
_LOOK_SECONDS = 0.2
_PING_SECONDS = 15.0
ASK_AGAIN_SECONDS = 5.0
"""How long somebody hears on whose token was dropped."""

router = APIRouter(
    prefix="/api/v1",
    tags=["events"],
    responses={**ERRORS, 200: {"content": {_EVENT_STREAM: {}}}},
    default_response_class=StreamingResponse,
)


@router.get("/statements/{id}/events")
async def follow_statement(
    id: Annotated[str, Path(max_length=64)], service: TheService, identity: TheIdentity
) -> StreamingResponse:
    """`progress` and `state` of a statement, until it has ended."""
    statement = service.statements.find(id, identity)
    return _stream(_of_statement(service, statement))


@router.get("/events")
async def follow_all(
    service: TheService,
    identity: TheIdentity,
    identity_now: TheIdentityNow,
    last_event_id: Annotated[str, Header(pattern=r"^[0-9]{1,15}$")] = "",
) -> StreamingResponse:
    """What happens in the lake: own statements, batches, refreshes, upkeep."""
    start = int(last_event_id) if last_event_id else service.events.last
    return _stream(_of_lake(service, identity, identity_now, start))


def _stream(events: AsyncIterator[str]) -> StreamingResponse:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type=_EVENT_STREAM, headers=headers)


def event_text(kind: str, data: Mapping[str, Any], number: int | None = None) -> str:
    """One event as it is sent; JSON has no line breaks, so the data is one line.

    >>> event_text("state", {"state": "RUNNING"}, 7)
    'id: 7\\nevent: state\\ndata: {"state": "RUNNING"}\\n\\n'
    """
    first = "" if number is None else f"id: {number}\n"
    return f"{first}event: {kind}\ndata: {json.dumps(data)}\n\n"


async def _of_statement(service: Service, statement: Statement) -> AsyncIterator[str]:
    before: tuple[object, ...] = ()
    state = None
    said_at = time.monotonic()
    while True:
        body = await run_in_threadpool(shown, service, statement)
        if body["state"] != state:
            state, said_at = body["state"], time.monotonic()
            yield event_text("state", body)
        elif (now := (*body["progress"], len(body["job_ids"]))) != before:
            before, said_at = now, time.monotonic()
            progress = {"progress": body["progress"], "job_ids": body["job_ids"]}
            yield event_text("progress", progress)
        elif time.monotonic() - said_at > _PING_SECONDS:
            said_at = time.monotonic()
            yield ": still here\n\n"
        if statement.ended and state == statement.state.value:
            return
        await asyncio.sleep(_LOOK_SECONDS)


async def _of_lake(
    service: Service, identity: Identity, identity_now: IdentityNow, start: int
) -> AsyncIterator[str]:
    reached, said_at, asked_at = start, time.monotonic(), time.monotonic()
    yield ": hello\n\n"
    while service.standing is not Standing.STOPPING:
        if time.monotonic() - asked_at > ASK_AGAIN_SECONDS:
            asked_at = time.monotonic()
            try:
                identity = await identity_now()
            except HeadwaterError:
                # The token was dropped or has expired: whoever holds it is nobody now.
                return
        for event in service.events.after(reached):
            reached = event.number
            own = event.owner is not None and may_see(identity, event.owner)
            if own or (event.owner is None and identity.sees_all):
                said_at = time.monotonic()
                yield event_text(event.kind, event.data, event.number)
        if time.monotonic() - said_at > _PING_SECONDS:
            said_at = time.monotonic()
            yield ": still here\n\n"
        await asyncio.sleep(_LOOK_SECONDS)
