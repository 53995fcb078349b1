"""Errors as answers: the status of each condition, and one shape for all."""

from __future__ import annotations

import json
import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Match

from headwater.errors import HeadwaterError, InternalError, TransientError, UserError
from headwater.service.shapes import ErrorAnswer
from headwater.sql.masking import mask
from headwater.wire.errors import error_body

_log = logging.getLogger(__name__)

_STATUS = {
    "UNAUTHENTICATED": 401,
    "ACCESS_DENIED": 403,
    "ACCESS_UNCLEAR": 403,
    "PAGE_NOT_FOUND": 404,
    "JOB_NOT_FOUND": 404,
    "SESSION_NOT_FOUND": 404,
    "STATEMENT_NOT_FOUND": 404,
    "RESULT_NOT_FOUND": 404,
    "EXCHANGE_NOT_FOUND": 404,
    "EXCHANGE_FILE_NOT_FOUND": 404,
    "METHOD_NOT_ALLOWED": 405,
    "BODY_TOO_SLOW": 408,
    "BODY_TOO_LARGE": 413,
    "EXCHANGE_TOO_LARGE": 413,
    "REQUEST_INVALID": 422,
    "LOGIN_TOO_OFTEN": 429,
    "TOO_MANY_EXCHANGES": 429,
    "TOO_MANY_SESSIONS": 429,
    "TOO_MANY_STATEMENTS": 429,
}
_METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
_RETRY_SECONDS = "1"
_NOBODY_WAITS = "No response returned."
"""What Starlette says when a client left before its page was made."""
_BY_KIND = {"user": 400, "schema": 409, "transient": 503, "bug": 500}

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorAnswer} for status in (400, 401, 403, 404, 413, 422, 429, 503)
}
"""What every page may answer besides what it is there for."""


class JsonAnswer(JSONResponse):
    """JSON in plain ASCII: a text may hold half of a surrogate pair, which UTF-8 cannot."""

    def render(self, content: Any) -> bytes:
        """The bytes of the body."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def answer(error: HeadwaterError) -> JSONResponse:
    """An error as it goes to a client; no trace, no secret."""
    status = _STATUS.get(error.condition) or _BY_KIND[error.kind]
    headers = {}
    if status in (429, 503):
        headers["Retry-After"] = _RETRY_SECONDS
    if status in (408, 413):
        # The rest of the body is not waited for, so nothing can follow it.
        headers["Connection"] = "close"
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    error.replace_text(mask)
    return JsonAnswer({"error": error_body(error)}, status, headers)


def add_error_answers(app: FastAPI) -> None:
    """Whatever a page raises becomes an answer of our shape."""

    @app.exception_handler(HeadwaterError)
    async def known(request: Request, error: HeadwaterError) -> JSONResponse:
        return answer(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return answer(UserError("REQUEST_INVALID", problem=_problem(error)))

    @app.exception_handler(HTTPException)
    async def of_starlette(request: Request, error: HTTPException) -> JSONResponse:
        if isinstance(error.__cause__, HeadwaterError):
            # Met while the body was read, and wrapped by FastAPI.
            return answer(error.__cause__)
        path, method = request.url.path, request.method
        if error.status_code == 405:
            refused = answer(UserError("METHOD_NOT_ALLOWED", path=path, method=method))
            refused.headers["Allow"] = ", ".join(_methods(request))
            return refused
        if error.status_code == 404:
            return answer(UserError("PAGE_NOT_FOUND", path=path))
        return answer(UserError("REQUEST_INVALID", problem=str(error.detail)))

    @app.exception_handler(Exception)
    async def bug(request: Request, error: Exception) -> JSONResponse:
        if isinstance(error, RuntimeError) and str(error) == _NOBODY_WAITS:
            return answer(TransientError("REQUEST_GIVEN_UP"))
        problem = mask(repr(error))
        _log.error("a request failed, which is a bug: %s", problem)
        return answer(InternalError("BUG", problem=problem))


def _methods(request: Request) -> list[str]:
    """The methods that the pages at this path take; Starlette tells those of one of them."""
    scopes = {method: {**request.scope, "method": method} for method in _METHODS}
    return [
        method
        for method, scope in scopes.items()
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)
    ]


def _problem(error: RequestValidationError) -> str:
    """The first thing that is wrong, and where; never the value, which may be a secret."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}"
