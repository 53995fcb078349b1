"""The pages of exchanges: by them the files of PUT and GET travel."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.responses import FileResponse

from headwater.service.answers import ERRORS
from headwater.service.identity import require_operator
from headwater.service.reach import TheIdentity, TheService
from headwater.service.shapes import ExchangeShape

router = APIRouter(prefix="/api/v1", tags=["exchanges"], responses=ERRORS)

ExchangeId = Annotated[str, Path(max_length=64)]
_OCTETS = "application/octet-stream"


class _AnyPath(PathConvertor):
    """A path of names that Linux allows: to Starlette's own, a line break ends it."""

    regex = r"[\s\S]*"


register_url_convertor("any_path", _AnyPath())


@router.post("/exchanges", status_code=201)
def open_exchange(service: TheService, identity: TheIdentity) -> ExchangeShape:
    """Open an exchange: a place for the files of one PUT or GET, to be named with the statement."""
    service.require_active()
    made = service.exchanges.open(identity)
    return ExchangeShape(id=made.id, most_bytes=made.most_bytes)


@router.put(
    "/exchanges/{id}/files/{name}",
    status_code=204,
    openapi_extra={"requestBody": {"content": {_OCTETS: {}}, "required": True}},
)
async def send_file(
    id: ExchangeId,
    name: Annotated[str, Path(max_length=255)],
    request: Request,
    service: TheService,
    identity: TheIdentity,
) -> Response:
    """Send a file for PUT; for operators and above, as PUT is."""
    require_operator(identity)
    await service.exchanges.find(id, identity).take(name, request.stream())
    return Response(status_code=204)


@router.get("/exchanges/{id}/files/{path:any_path}", responses={200: {"content": {_OCTETS: {}}}})
def get_file(id: ExchangeId, path: str, service: TheService, identity: TheIdentity) -> Response:
    """Take a file that GET has put there."""
    return FileResponse(service.exchanges.find(id, identity).file(path), media_type=_OCTETS)


@router.delete("/exchanges/{id}", status_code=204)
def close_exchange(id: ExchangeId, service: TheService, identity: TheIdentity) -> Response:
    """Remove an exchange and its files."""
    service.exchanges.close(id, identity)
    return Response(status_code=204)
