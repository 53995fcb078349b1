"""One volume: its folders and files, what is known of it, who may."""

from __future__ import annotations

from nicegui import app, ui
from starlette.requests import Request
from starlette.responses import Response

from headwater.errors import HeadwaterError
from headwater.studio.actions import action_button
from headwater.studio.crumbs import crumbs
from headwater.studio.desk import Desk, Desks
from headwater.studio.exchange import download
from headwater.studio.facts import facts
from headwater.studio.frame import frame, heading
from headwater.studio.in_schemas import sql_name
from headwater.studio.lazy_tabs import lazy_tabs
from headwater.studio.pages.volumes.files_tab import FILES, Folder, files_tab
from headwater.studio.pages.volumes.volumes_page import PATH
from headwater.studio.part import Part
from headwater.studio.permissions import permissions
from headwater.studio.problem import show_problem


def register(desks: Desks) -> None:
    """Make the page known, and the address of its files."""

    @ui.page(PATH + "/{schema}/{name:path}")
    async def volume_page(request: Request, schema: str, name: str) -> None:
        desk = desks.of(request)
        with frame(desk, f"{schema}.{name}", here=PATH):
            crumbs(("Volumes", "volumes"))
            quoted = sql_name(schema, name)
            try:
                known = await desk.row(f"DESC VOLUME {quoted}")
            except HeadwaterError as error:
                heading(name)
                show_problem(error)
                return
            heading(name, f"Volume in {schema}, {known['url']}")
            if known.get("directory_enabled") == "true":
                with ui.row():
                    action_button(
                        desk, "Refresh directory", f"ALTER VOLUME {quoted} REFRESH", icon="sync"
                    )
            folder = Folder(schema, name, request.query_params.get("folder", ""), known["url"])
            _tabs(desk, folder)

    @app.get(FILES, include_in_schema=False)
    async def files(request: Request) -> Response:
        return await download(desks.of(request), request)


def _tabs(desk: Desk, folder: Folder) -> None:
    quoted = folder.quoted
    described = f"DESC VOLUME EXTENDED {quoted}"
    lazy_tabs(
        {
            "Files": lambda: files_tab(desk, folder),
            "Details": lambda: Part(desk, lambda: desk.row(described), lambda known: facts(known)),
            "Permissions": lambda: permissions(desk, f"VOLUME {quoted}"),
        }
    )
