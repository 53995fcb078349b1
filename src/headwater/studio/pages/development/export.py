"""A result of a run as a file."""

from __future__ import annotations

from fastapi import Request
from nicegui import app
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from headwater.csv_text import csv_lines
from headwater.errors import HeadwaterError, UserError
from headwater.service.answers import answer
from headwater.studio.desk import Desks


def register(desks: Desks) -> None:
    """Make the page known."""

    @app.get("/export/{statement}/{number}.csv")
    async def export(request: Request, statement: str, number: int) -> Response:
        try:
            identity = request.state.identity
            found = await run_in_threadpool(desks.service.statements.find, statement, identity)
            if not 0 <= number < len(found.results):
                raise UserError("STATEMENT_NOT_FOUND", statement=statement)
        except HeadwaterError as error:
            return answer(error)
        lines = csv_lines(found.results[number])
        name = f'attachment; filename="result-{number + 1}.csv"'
        return StreamingResponse(
            lines, media_type="text/csv; charset=utf-8", headers={"content-disposition": name}
        )
