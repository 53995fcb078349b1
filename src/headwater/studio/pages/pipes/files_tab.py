"""The load history of a pipe's table: what was loaded, what failed, and why."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from headwater.names import quote_literal
from headwater.studio.actions import confirm
from headwater.studio.desk import Desk
from headwater.studio.facts import size_text
from headwater.studio.listing import ListColumn, Row, RowButtons, listing
from headwater.studio.pages.pipes.pipe_facts import PipeFacts
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty

Rows = list[dict[str, Any]]
_MOST = 500
_SKIP, _RETRY, _REMOVE = "Skip", "Retry", "Remove file"
_BUTTONS = {"LOAD_FAILED": [_SKIP, _RETRY, _REMOVE], "SKIPPED": [_RETRY, _REMOVE]}

_COLUMNS = (
    ListColumn("file_path", "File", mono=True),
    ListColumn("status", "Status", chip=True),
    ListColumn("first_error_message", "First error"),
    ListColumn("file_size", "Size", value=lambda row: size_text(row["file_size"])),
    ListColumn("last_copy_time", "Time"),
)


def files_tab(desk: Desk, pipe: str, ask: Callable[[], Awaitable[PipeFacts]]) -> None:
    """The files, those that failed first; asked for when the pipe did something: it can be long."""
    history = _History(desk, pipe, ask)
    history.part = Part(desk, history.ask, history.show)


class _History:
    """The load history as it was when the pipe's counters were last seen to change."""

    part: Part[Rows]

    def __init__(self, desk: Desk, pipe: str, ask: Callable[[], Awaitable[PipeFacts]]) -> None:
        self._desk = desk
        self._pipe = pipe
        self._facts = ask
        self._seen: tuple[str | None, ...] | None = None
        self._rows: Rows = []
        self._known: PipeFacts | None = None

    async def ask(self) -> Rows:
        """The files; the query runs only if the pipe has done something since the last time."""
        known = await self._facts()
        if known.seen_files != self._seen:
            table = known.text("output_name")
            self._rows = await self._desk.rows(f"SHOW LOAD HISTORY OF {table} LIMIT {_MOST}")
            self._seen = known.seen_files
        self._known = known
        return self._rows

    def show(self, rows: Rows) -> Update[Rows] | None:
        """The files in a grid."""
        if not rows:
            show_empty("No file was met yet", "Files are loaded while the pipe runs.")
            return None
        ui.label(
            "All files of the table's load history. A file that failed is tried again when it was"
            " replaced or the pipe was resumed; to get past it for good, skip or remove it."
        ).classes("hw-muted text-sm")
        buttons = RowButtons(_buttons, self._pressed)
        return listing(_COLUMNS, rows, key="file_path", label="Load history", buttons=buttons)

    async def _pressed(self, name: str, row: Row) -> None:
        if name == _REMOVE:
            await self._remove(row)
            return
        path = quote_literal(str(row["file_path"]))
        statement = f"ALTER PIPE {self._pipe} {name.upper()} FILE {path}"
        await confirm(self._desk, name, statement, then=self._again)

    async def _again(self) -> None:
        """The counters of the pipe may be the same."""
        self._seen = None
        await self.part.refresh()

    async def _remove(self, row: Row) -> None:
        volume = None if self._known is None else self._known.volume
        if volume is None:
            return
        url = str((await self._desk.row(f"DESC VOLUME {volume}"))["url"])
        path = str(row["file_path"]).removeprefix(url)
        await confirm(
            self._desk, _REMOVE, f"REMOVE VOLUME {volume} FILE {quote_literal(path)}", danger=True
        )


def _buttons(row: Row) -> list[str]:
    return _BUTTONS.get(row["status"], [])
