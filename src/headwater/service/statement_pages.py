"""The pages of statements: send one, ask how it is, take its results, cancel it."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Response
from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.responses import StreamingResponse

from headwater.cell_text import json_value
from headwater.errors import UserError
from headwater.result import Result
from headwater.service.answers import ERRORS, JsonAnswer
from headwater.service.reach import TheIdentity, TheService, ended
from headwater.service.service import Service
from headwater.service.shapes import NewStatement, RowsShape, StatementShape
from headwater.service.statement import Statement, size_of
from headwater.sql.binding import bind
from headwater.wire.errors import error_body
from headwater.wire.results import ARROW_STREAM, ArrowStream, arrow_stream, description_of

router = APIRouter(prefix="/api/v1", tags=["statements"], responses=ERRORS)

_INLINE_BYTES = 256 * 1024
_MOST_ROWS = 10_000

StatementId = Annotated[str, Path(max_length=64)]
Wait = Annotated[float, Query(ge=0.0, le=60.0, description="How many seconds to wait.")]


@router.post("/statements", response_model=StatementShape)
async def send_statement(
    given: NewStatement, service: TheService, identity: TheIdentity
) -> Response:
    """Run SQL. Without an end in `wait_seconds` the answer is a statement that still runs."""
    script = given.sql
    if given.parameters is not None:
        script = await run_in_threadpool(_bound, script, given.parameters)
    folder = None if given.exchange is None else service.exchanges.find(given.exchange, identity)
    statement = service.submit(
        identity, script, session=given.session, exchange=None if folder is None else folder.folder
    )
    await ended(statement, given.wait_seconds)
    return await _shown(service, statement, inline=given.inline)


@router.get("/statements/{id}", response_model=StatementShape)
async def get_statement(
    id: StatementId,
    service: TheService,
    identity: TheIdentity,
    wait: Wait = 0.0,
    inline: bool = False,
) -> Response:
    """How far a statement is."""
    statement = service.statements.find(id, identity)
    await ended(statement, wait)
    return await _shown(service, statement, inline=inline)


@router.post("/statements/{id}/cancel", response_model=StatementShape)
async def cancel_statement(id: StatementId, service: TheService, identity: TheIdentity) -> Response:
    """Ask a statement to stop; it has stopped when its state says so."""
    statement = service.statements.find(id, identity)
    service.statements.cancel(statement)
    return await _shown(service, statement)


@router.get(
    "/statements/{id}/results/{number}",
    response_model=RowsShape,
    responses={200: {"content": {ARROW_STREAM: {}}}},
)
async def get_result(
    id: StatementId,
    number: Annotated[int, Path(ge=0, le=1_000_000)],
    service: TheService,
    identity: TheIdentity,
    cursor: Annotated[str, Query(pattern=r"^[0-9]{1,15}$")] = "0",
    limit: Annotated[int, Query(ge=1, le=_MOST_ROWS)] = 1000,
    keep: Annotated[bool, Query(description="False: forget it all when sent as Arrow.")] = True,
    accept: Annotated[str, Header()] = "application/json",
) -> Response:
    """Rows of a result, a page at a time; all of them as an Arrow stream if that is accepted."""
    statement = service.statements.find(id, identity)
    results = statement.results
    if number >= len(results) or not results[number].returns_rows:
        raise UserError("RESULT_NOT_FOUND", statement=id, number=number)
    if ARROW_STREAM in accept:
        stream = await run_in_threadpool(arrow_stream, results[number])
        headers = {"Content-Length": str(stream.length)}
        sent = _sent(service, statement, number, stream, keep=keep)
        return StreamingResponse(sent, media_type=ARROW_STREAM, headers=headers)
    return JsonAnswer(await run_in_threadpool(_page, results[number], int(cursor), limit))


@router.post("/runs", response_model=StatementShape)
async def run_until_idle(service: TheService, identity: TheIdentity, wait: Wait = 0.0) -> Response:
    """Load what there is to load and refresh what is due, once, as a statement."""
    statement = service.run_until_idle(identity)
    await ended(statement, wait)
    return await _shown(service, statement)


def _bound(script: str, parameters: list[Any] | dict[str, Any]) -> str:
    try:
        return bind(script, parameters)
    except RecursionError:
        raise UserError("REQUEST_INVALID", problem="parameters are nested too deep") from None


async def _sent(
    service: Service, statement: Statement, number: int, stream: ArrowStream, *, keep: bool
) -> AsyncIterator[bytes]:
    async for piece in iterate_in_threadpool(stream):
        yield piece
    if number == len(statement.results) - 1 and statement.ended:
        statement.fetched = True
        if not keep:
            service.statements.forget(statement)


async def _shown(service: Service, statement: Statement, *, inline: bool = False) -> Response:
    if not statement.ended or (inline and statement.bytes):
        return JsonAnswer(await run_in_threadpool(shown, service, statement, inline=inline))
    return JsonAnswer(shown(service, statement))


def shown(service: Service, statement: Statement, *, inline: bool = False) -> dict[str, Any]:
    """A statement as JSON."""
    over = statement.ended
    results = [_result_body(result, inline=inline and over) for result in statement.results]
    if over and all(body["arrow"] is not None or not body["columns"] for body in results):
        statement.fetched = True
    return {
        "id": statement.id,
        "state": statement.state.value,
        "text": statement.text,
        "session": statement.session,
        "current_schema": statement.schema,
        "job_ids": list(statement.job_ids),
        "progress": list(service.statements.progress(statement)),
        "results": results,
        "error": None if statement.error is None else error_body(statement.error),
    }


def _result_body(result: Result, *, inline: bool) -> dict[str, Any]:
    body = {**description_of(result), "arrow": None}
    if inline and result.returns_rows and size_of(result) <= _INLINE_BYTES:
        body["arrow"] = base64.b64encode(b"".join(arrow_stream(result))).decode("ascii")
    return body


def _page(result: Result, start: int, limit: int) -> dict[str, Any]:
    source = [] if result.source is None else result.source
    if isinstance(source, list):
        rows, total = source[start : start + limit], len(source)
    else:
        piece = source.slice(min(start, source.num_rows), limit)
        rows = Result.from_arrow(result.schema, piece, time_zone=result.time_zone).rows
        total = source.num_rows
    reached = start + len(rows)
    return {
        "columns": description_of(result)["columns"],
        "rows": [[json_value(value) for value in row] for row in rows],
        "next_cursor": str(reached) if rows and reached < total else None,
    }
