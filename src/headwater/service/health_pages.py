"""The pages for those who watch over the process: alive, ready, metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import JSONResponse, PlainTextResponse

from headwater import __version__
from headwater.service.answers import ERRORS
from headwater.service.identity import require_operator
from headwater.service.metrics_page import MetricsPage
from headwater.service.reach import TheIdentity, TheService
from headwater.service.service import Standing
from headwater.service.shapes import HealthShape

router = APIRouter(tags=["health"])


@router.get("/health")
async def health(service: TheService) -> HealthShape:
    """200 as long as the process answers."""
    return HealthShape(state=service.standing.value, version=__version__)


@router.get("/ready", response_model=HealthShape, responses={503: {"model": HealthShape}})
async def ready(service: TheService) -> Response:
    """200 if statements are taken; 503 of a standby, and while the service stops."""
    standing = service.standing
    body = {"state": standing.value, "version": __version__}
    return JSONResponse(body, 200 if standing is Standing.ACTIVE else 503)


@router.get("/metrics", response_class=PlainTextResponse, responses=ERRORS)
def read_metrics(request: Request, identity: TheIdentity) -> Response:
    """What Prometheus reads."""
    # Its labels name objects of everybody.
    require_operator(identity)
    page: MetricsPage = request.app.state.metrics
    return Response(page.text(), media_type=CONTENT_TYPE_LATEST)
