"""The pages of sessions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from headwater.service.answers import ERRORS
from headwater.service.reach import TheIdentity, TheService
from headwater.service.shapes import SessionShape

router = APIRouter(prefix="/api/v1", tags=["sessions"], responses=ERRORS)


@router.post("/sessions", status_code=201)
async def open_session(service: TheService, identity: TheIdentity) -> SessionShape:
    """Open a session: its schema, settings and temporary views are its own."""
    service.require_active()
    made = service.sessions.open(identity)
    return SessionShape(id=made.id, current_schema=made.session.schema)


@router.delete("/sessions/{id}", status_code=204)
def close_session(
    id: Annotated[str, Path(max_length=64)], service: TheService, identity: TheIdentity
) -> Response:
    """Close a session; what runs in it is cancelled."""
    service.sessions.close(id, identity)
    return Response(status_code=204)
