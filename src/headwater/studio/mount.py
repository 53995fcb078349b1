"""Puts Studio on the service's application."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta

from fastapi import FastAPI, Request
from nicegui import app as nicegui_app
from nicegui import ui
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from headwater.access.users import Token
from headwater.runtime.clock import now
from headwater.runtime.credentials import new_token
from headwater.service.guards import proof_in
from headwater.service.identity import Authenticator, Identity
from headwater.service.service import Service
from headwater.studio.answers import Answers
from headwater.studio.cookies import PREFIX
from headwater.studio.desk import Desks
from headwater.studio.door import LOGIN, Door
from headwater.studio.links import Links
from headwater.studio.pages import all_pages
from headwater.studio.pulse import Pulse

LINK_PAGE = "/api/v1/studio/link"
"""Who has a token gets a link here that needs none."""

_RECONNECT_SECONDS = 30.0


def attach(app: FastAPI, service: Service, authenticator: Authenticator, *, secure: bool) -> None:
    """Studio under /studio, in one application of this process: NiceGUI's pages are its own."""
    links = Links()
    pulse = Pulse(service.events)
    all_pages.register(Desks(service, authenticator, pulse, Answers(service.events)))
    app.router.routes.append(Route(LINK_PAGE, _link_page(links), methods=["POST"]))
    nicegui_app.on_startup(pulse.run)
    ui.run_with(
        app,
        mount_path=PREFIX,
        title="Headwater Studio",
        dark=None,
        reconnect_timeout=_RECONNECT_SECONDS,
        show_welcome_message=False,
    )
    app.add_middleware(
        Door,
        authenticator=authenticator,
        issue=lambda identity, seconds: _issue(service, identity, seconds),
        links=links,
        secure=secure,
    )


def _link_page(links: Links) -> Callable[[Request], Awaitable[Response]]:
    async def link(request: Request) -> Response:
        proof = proof_in(request.headers.get("authorization", "").encode("latin-1"), "")
        assert proof is not None, "the guards let nobody in without"
        return JSONResponse({"path": f"{LOGIN}?code={links.make(proof.secret)}"})

    return link


def _issue(service: Service, identity: Identity, seconds: int) -> str:
    """A token that a browser bears instead of a password."""
    made, at = new_token(), now()
    until = at + timedelta(seconds=seconds)
    name = f"studio-{made.id}"
    service.lake.store.tokens.create(
        Token(made.id, name, identity.user, made.secret_hash, at, expires_at=until)
    )
    return made.text
