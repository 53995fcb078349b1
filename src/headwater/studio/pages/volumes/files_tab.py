"""The files of one folder: look, send, fetch, remove."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from nicegui import ui

from headwater.names import quote_literal
from headwater.studio.actions import confirm
from headwater.studio.desk import Desk
from headwater.studio.facts import size_text
from headwater.studio.folders import FORMATS, entries, format_of, parents
from headwater.studio.listing import ListColumn, Row, RowButtons, listing, studio_link
from headwater.studio.pages.volumes.presigned import show_link
from headwater.studio.pages.volumes.upload import upload_box
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty
from headwater.studio.row_grid import first_rows, preview
from headwater.studio.volume_names import Volume

FILES = "/files"
"""Where a browser fetches a file."""

_MOST_FILES = 10_000
_PREVIEW, _DOWNLOAD, _LINK, _REMOVE = "Preview", "Download", "Link", "Remove"
Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a volume; its path ends in a slash, unless it is the volume's own."""

    volume: Volume
    path: str
    url: str

    @property
    def signs(self) -> bool:
        """Whether its store gives addresses by which others can read a file."""
        return not self.url.startswith("file:")

    def at(self, path: str) -> str:
        """The address of another folder of the volume."""
        page = self.volume.page
        return f"{page}{'&' if '?' in page else '?'}folder={quote(path, safe='')}"

    def file_address(self, path: str) -> str:
        """Where a browser fetches a file."""
        named = {**self.volume.asked_as, "path": path}
        return f"{FILES}?{urlencode(named)}"


def files_tab(desk: Desk, folder: Folder) -> None:
    """The way to the folder, what is in it, and below it the rows of a file that was chosen."""
    with ui.element("nav").props('aria-label="Folders"').classes("flex flex-row flex-wrap gap-2"):
        studio_link(folder.volume.title, folder.at(""))
        for name, path in parents(folder.path):
            ui.label("/").classes("hw-muted").props("aria-hidden=true")
            studio_link(name, folder.at(path))
    upload_box(desk, folder.volume.sql, folder.path)
    files = _Files(desk, folder)
    Part(desk, files.ask, files.show)
    files.place = ui.column().classes("w-full gap-2 min-w-0")


class _Files:
    """What is listed, and what the buttons of a file do."""

    place: ui.column

    def __init__(self, desk: Desk, folder: Folder) -> None:
        self._desk = desk
        self._folder = folder
        self._cut = False

    async def ask(self) -> Rows:
        """The entries of the folder."""
        folder = self._folder
        where = f"SUBDIRECTORY {quote_literal(folder.path or '/')}"
        statement = f"{folder.volume.directory} {where} LIMIT {_MOST_FILES}"
        rows = await self._desk.rows(statement)
        self._cut = len(rows) >= _MOST_FILES
        return entries(rows, folder.path)

    def show(self, rows: Rows) -> Update[Rows] | None:
        """The entries in a grid, or how some would get there."""
        if not rows:
            show_empty(
                "No files in this folder",
                "Send one from here, or write one by SQL:",
                f"COPY INTO {self._folder.volume.sql} SUBDIRECTORY 'out/' FROM TABLE t"
                " FILE_FORMAT = (TYPE = CSV)",
            )
            return None
        columns = (
            ListColumn("name", "Name", link=self._link),
            ListColumn(
                "files", "Files", value=lambda row: row["files"] if row["is_folder"] else None
            ),
            ListColumn("size", "Size", value=lambda row: size_text(row["size"])),
            ListColumn("modified", "Modified"),
        )
        note = ui.label(f"Only the first {_MOST_FILES} files are looked at.").classes("hw-warn")
        note.set_visibility(self._cut)
        buttons = RowButtons(self._buttons, self._pressed)
        update = listing(columns, rows, key="name", label="Files", buttons=buttons)

        def updated(newer: Rows) -> None:
            note.set_visibility(self._cut)
            update(newer)

        return updated

    def _link(self, row: Row) -> str:
        return self._folder.at(row["path"]) if row["is_folder"] else ""

    def _buttons(self, row: Row) -> list[str]:
        if row["is_folder"]:
            return [_REMOVE]
        links = [_LINK] if self._folder.signs else []
        return [_PREVIEW, _DOWNLOAD, *links, _REMOVE]

    async def _pressed(self, name: str, row: Row) -> None:
        path, volume = row["path"], self._folder.volume.sql
        if name == _PREVIEW:
            self._preview(path, format_of(path), header=True)
        elif name == _DOWNLOAD:
            ui.navigate.to(self._folder.file_address(path))
        elif name == _LINK:
            await show_link(self._desk, volume, path)
        else:
            what = "SUBDIRECTORY" if row["is_folder"] else "FILE"
            statement = f"REMOVE {volume} {what} {quote_literal(path)}"
            await confirm(self._desk, name, statement, danger=True)

    def _preview(self, path: str, format_name: str, *, header: bool) -> None:
        self.place.clear()
        options = f" OPTIONS('header' = '{str(header).lower()}')" if format_name == "CSV" else ""
        files = f"FILES({quote_literal(path)})"
        relation = f"{self._folder.volume.sql} USING {format_name}{options} {files}"
        with self.place:
            ui.label(path).classes("text-lg font-semibold").props('dir="auto"')
            with ui.row().classes("items-center gap-3"):
                chosen = ui.select(list(FORMATS), value=format_name, label="Read as")
                chosen.props("dense outlined").on_value_change(
                    lambda event: self._preview(path, str(event.value), header=header)
                )
                if format_name == "CSV":
                    ui.checkbox(
                        "The first line holds names",
                        value=header,
                        on_change=lambda event: self._preview(
                            path, format_name, header=bool(event.value)
                        ),
                    )
            preview(self._desk, first_rows(relation), label="Rows of a file")
