"""A listing: rows in a grid that sorts, filters and scrolls, with cells that link or colour.

Law: whatever a value holds is shown as text; only addresses made by Studio become links.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from headwater.cell_text import cell
from headwater.studio.chips import tone
from headwater.studio.cookies import PREFIX
from headwater.studio.list_table import ListTable
from headwater.studio.shown_times import moment

ROW = "__row"
"""A key for rows that no column tells apart: their place."""

_BUTTONS = "__buttons"
_DRAWN = "__drawn"
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A column of a listing, and how its cells are made from a row."""

    name: str
    label: str
    value: Callable[[Row], Any] | None = None
    """What is shown; the row's value of that name if not given."""
    link: Callable[[Row], str] | None = None
    """A path inside Studio, to which the cell links."""
    chip: bool = False
    """Shown as a state in its colour."""
    hint: Callable[[Row], str | None] | None = None
    """What a chip says when pointed at."""
    strip: bool = False
    """The value is a list of states, shown as small bars."""
    bar: Callable[[Row], float | None] | None = None
    """How full a bar beside the text is; above 1 it is too much. Sorted by the column `number`."""
    shown: Callable[[Row], str] | None = None
    """The text beside a bar."""
    number: bool = False
    mono: bool = False
    unbroken: bool = False
    """Stays in one line, as moments do."""


@dataclass(frozen=True, slots=True)
class RowButtons:
    """Buttons at the end of each row, by their names, and what is called with name and row."""

    of: Callable[[Row], Sequence[str]]
    pressed: Callable[[str, Row], Awaitable[None]]


class DrawnRows:
    """The rows as a browser has them: a press means the row that was seen, whatever came since."""

    def __init__(self) -> None:
        self._number = 0
        self._old: dict[str, Row] = {}
        self._new: dict[str, Row] = {}

    def next(self, rows: Sequence[Row]) -> list[str]:
        """Names for rows that are drawn now; those drawn before them are still known."""
        self._number += 1
        self._old = self._new
        self._new = {f"{self._number}.{place}": row for place, row in enumerate(rows)}
        return list(self._new)

    def of(self, name: object) -> Row | None:
        """The row of that name; None for one that nobody can see any more."""
        return self._new.get(str(name)) or self._old.get(str(name))


def listing(
    columns: Sequence[ListColumn],
    rows: Sequence[Row],
    *,
    key: str,
    label: str,
    buttons: RowButtons | None = None,
    chosen: Callable[[list[Any]], None] | None = None,
) -> Callable[[Sequence[Row]], None]:
    """Draws the rows; gives back what draws newer ones in their place.

    The key is the name of a column, or ROW where no column tells rows apart. With `chosen`
    rows can be ticked, and it is told the keys of those that are.
    """
    drawn = DrawnRows()

    def cells(shown: Sequence[Row]) -> list[dict[str, Any]]:
        made = [
            _cells(columns, row, key) | {ROW: place, _DRAWN: name}
            for place, (row, name) in enumerate(zip(shown, drawn.next(shown), strict=True))
        ]
        for one, row in zip(made, shown, strict=True) if buttons is not None else ():
            one[_BUTTONS] = list(buttons.of(row)) if buttons is not None else []
        return made

    table = ListTable(
        [_column(column, rows) for column in columns],
        cells(rows),
        key=key,
        label=label,
        choosable=chosen is not None,
        buttons=buttons is not None,
    )
    if chosen is not None:
        table.on_chosen(chosen)
    if buttons is not None:
        pressed = buttons.pressed

        async def press(event: GenericEventArguments) -> None:
            name, row = event.args
            meant = drawn.of(row)
            if meant is not None:
                await pressed(str(name), meant)

        table.on("button", press)

    def update(newer: Sequence[Row]) -> None:
        table.show(cells(newer))

    return update


def studio_path(*parts: str) -> str:
    """A path inside Studio; what the parts hold is escaped.

    >>> studio_path("catalog", "a/b", "<x>")
    '/studio/catalog/a%2Fb/%3Cx%3E'
    """
    from urllib.parse import quote

    return "/".join([PREFIX, *(quote(part, safe="") for part in parts)])


def studio_link(text: str, path: str) -> ui.link:
    """A link to what `studio_path` gave; NiceGUI adds the prefix to links itself."""
    return ui.link(text, path.removeprefix(PREFIX)).classes("hw-link")


def _column(column: ListColumn, rows: Sequence[Row]) -> dict[str, Any]:
    kind = "plain"
    if column.link is not None:
        kind = "link"
    elif column.chip:
        kind = "chip"
    elif column.bar is not None:
        kind = "bar"
    elif column.strip:
        kind = "strip"
    moments = column.unbroken or any(isinstance(_value(column, row), datetime) for row in rows)
    return {
        "name": column.name,
        "label": column.label,
        "kind": kind,
        "align": "text-right" if column.number else "text-left",
        "classes": "hw-mono" if column.mono else "hw-moment" if moments else "",
    }


def _cells(columns: Sequence[ListColumn], row: Row, key: str) -> dict[str, Any]:
    made: dict[str, Any] = {key: row.get(key)}
    for column in columns:
        value = _value(column, row)
        if column.strip:
            made[f"{column.name}__strip"] = [{"state": s, "tone": tone(s)} for s in value]
            made[column.name] = ", ".join(value)
        elif column.number and isinstance(value, int | float):
            made[column.name] = value
        else:
            made[column.name] = _text(value)
        if column.bar is not None:
            made[f"{column.name}__bar"] = column.bar(row)
            made[f"{column.name}__text"] = "" if column.shown is None else column.shown(row)
        if column.link is not None:
            made[f"{column.name}__link"] = column.link(row)
        if column.chip:
            made[f"{column.name}__tone"] = tone(value)
            made[f"{column.name}__hint"] = None if column.hint is None else column.hint(row)
    return made


def _value(column: ListColumn, row: Row) -> Any:
    return row.get(column.name) if column.value is None else column.value(row)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return moment(value) if isinstance(value, datetime) else cell(value)
