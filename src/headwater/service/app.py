"""The application that answers requests: pages, errors, guards."""

from __future__ import annotations

from fastapi import FastAPI

from headwater import __version__
from headwater.service import (
    event_pages,
    exchange_pages,
    health_pages,
    job_pages,
    session_pages,
    statement_pages,
)
from headwater.service.answers import add_error_answers
from headwater.service.guards import Guards
from headwater.service.identity import Authenticator
from headwater.service.metrics_page import MetricsPage
from headwater.service.service import Service

OPENAPI_PAGE = "/api/v1/openapi.json"


def make_pages() -> FastAPI:
    """The pages, without a service behind them: enough for the API's description."""
    app = FastAPI(
        title="Headwater",
        version=__version__,
        description="SQL on a lake over HTTP. Every page but /health and /ready needs a token.",
        openapi_url=OPENAPI_PAGE,
        docs_url=None,
        redoc_url=None,
    )
    for pages in (
        statement_pages,
        session_pages,
        exchange_pages,
        job_pages,
        event_pages,
        health_pages,
    ):
        app.include_router(pages.router)
    add_error_answers(app)
    return app


def make_app(service: Service, authenticator: Authenticator) -> FastAPI:
    """The application of a service."""
    app = make_pages()
    app.state.service = service
    app.state.metrics = MetricsPage(service)
    app.add_middleware(Guards, authenticator=authenticator, limits=service.limits)
    return app
