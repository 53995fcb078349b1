"""One volume: its folders and files, what is known of it, who may."""

from __future__ import annotations

from nicegui import app, ui
from starlette.requests import Request
from starlette.responses import Response

from headwater.errors import HeadwaterError
from headwater.sql.volume_refs import VolumeKind
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
from headwater.studio.volume_names import Volume

_OWN = "file:"
"""Volumes of users and tables lie beside the tables: no store signs addresses for them."""


def register(desks: Desks) -> None:
    """Make the page known, and the address of its files."""

    @ui.page(PATH + "/{schema}/{name:path}")
    async def volume_page(request: Request, schema: str, name: str) -> None:
        desk = desks.of(request)
        with frame(desk, f"{schema}.{name}", here=PATH):
            crumbs(("Volumes", "volumes"))
            if request.query_params.get("kind") == "table":
                table = Volume(VolumeKind.TABLE, schema, name)
                heading(table.title, f"Volume of the table {schema}.{name}")
                files_tab(desk, Folder(table, _folder(request), _OWN))
                return
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
            volume = Volume(VolumeKind.NAMED, schema, name)
            _tabs(desk, Folder(volume, _folder(request), known["url"]))

    @ui.page("/my-files")
    async def my_files(request: Request) -> None:
        desk = desks.of(request)
        mine = Volume(VolumeKind.USER)
        with frame(desk, mine.title, here=PATH):
            crumbs(("Volumes", "volumes"))
            heading(mine.title, f"Volume of the user {desk.identity.user}")
            files_tab(desk, Folder(mine, _folder(request), _OWN))

    @app.get(FILES, include_in_schema=False)
    async def files(request: Request) -> Response:
        return await download(desks.of(request), request)


def _folder(request: Request) -> str:
    return request.query_params.get("folder", "")


def _tabs(desk: Desk, folder: Folder) -> None:
    quoted = sql_name(folder.volume.schema, folder.volume.name)
    described = f"DESC VOLUME EXTENDED {quoted}"
    lazy_tabs(
        {
            "Files": lambda: files_tab(desk, folder),
            "Details": lambda: Part(desk, lambda: desk.row(described), lambda known: facts(known)),
            "Permissions": lambda: permissions(desk, f"VOLUME {quoted}"),
        }
    )
