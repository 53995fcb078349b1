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
from headwater.studio.shown_times import moment

ROW = "__row"
"""A key for rows that no column tells apart: their place."""

_MANY = 50
_BUTTON_COLUMN = "__buttons"
_DRAWN = "__drawn"
_BUTTONS_AT_END = {
    "name": _BUTTON_COLUMN,
    "label": "",
    "field": _BUTTON_COLUMN,
    "align": "right",
    "headerStyle": "width: 1%",
}
Row = Mapping[str, Any]

# What a cell is called stands before it where the page is too narrow for columns.
_CELL = '<q-td :props="props" :data-label="props.col.label">'
_PLAIN = _CELL + "{{ props.value }}</q-td>"
_LINK = _CELL + (
    '<a v-if="props.row[LINK]" class="hw-link" :href="props.row[LINK]">'
    "{{ props.value }}</a><span v-else>{{ props.value }}</span></q-td>"
)
# What a pointer is shown over a chip, those without one are shown when they come to it or tap it.
_CHIP = _CELL + (
    '<span v-if="props.value" :class="\'hw-chip \' + props.row[TONE]" :title="props.row[HINT]"'
    ' :tabindex="props.row[HINT] ? 0 : null" :data-hint="props.row[HINT]"'
    " :role=\"props.row[HINT] ? 'note' : null\""
    " :aria-label=\"props.row[HINT] ? props.value + ': ' + props.row[HINT] : null\">"
    '{{ props.value }}<q-tooltip v-if="props.row[HINT]">{{ props.row[HINT] }}</q-tooltip>'
    "</span></q-td>"
)
_STRIP = _CELL + (
    '<span class="hw-strip" role="img" :aria-label="props.value">'
    '<i v-for="(one, place) in props.row[STRIP]" :key="place" :class="one.tone"'
    ' :title="one.state"></i></span></q-td>'
)
_BAR = _CELL + (
    '<span><span v-if="props.row[BAR] !== null" class="hw-bar"'
    " :class=\"props.row[BAR] > 1 ? 'hw-bad' : 'hw-good'\" aria-hidden=\"true\">"
    "<i :style=\"{width: Math.min(100, props.row[BAR] * 100) + '%'}\"></i></span>"
    " {{ props.row[TEXT] }}</span></q-td>"
)
# A grid that scrolls has components of its own between a cell and the table that is listened to.
_BUTTONS = (
    '<q-td :props="props" style="white-space: nowrap !important">'
    '<q-btn v-for="name in props.value" :key="name" :label="name" flat dense no-caps size="sm"'
    ' color="primary" class="q-px-sm" @click="() => { let to = $parent;'
    " while (to && !to.$attrs.onButton) to = to.$parent;"
    " if (to) to.$emit('button', [name, props.row.__drawn]); }\" /></q-td>"
)


_CHOOSE = '<q-checkbox v-model="props.selected" dense :aria-label="NAME" />'


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
            one[_BUTTON_COLUMN] = list(buttons.of(row)) if buttons is not None else []
        return made

    field = ui.input(placeholder="Filter").props('dense outlined clearable aria-label="Filter"')
    table = ui.table(
        columns=[*map(_column, columns), *([_BUTTONS_AT_END] if buttons else [])],
        rows=cells(rows),
        row_key=key,
        pagination={"rowsPerPage": 0},
        selection=None if chosen is None else "multiple",
        on_select=None
        if chosen is None
        else lambda event: chosen([r[key] for r in event.selection]),
    )
    table.classes("hw-table hw-list").props(
        f'flat bordered dense hide-pagination aria-label="{label}"'
    )
    table.props('virtual-scroll :virtual-scroll-item-size="36"')
    table.style("max-height: 70vh")
    field.bind_value_to(table, "filter")
    field.set_visibility(len(rows) > _MANY // 5)
    for column in columns:
        table.add_slot(f"body-cell-{column.name}", _template(column))

    if chosen is not None:
        table.add_slot("header-selection", _CHOOSE.replace("NAME", "'Choose all'"))
        name = f"'Choose ' + props.row['{columns[0].name}']"
        table.add_slot("body-selection", _CHOOSE.replace("NAME", name))

    if buttons is not None:
        table.add_slot(f"body-cell-{_BUTTON_COLUMN}", _BUTTONS)
        pressed = buttons.pressed

        async def press(event: GenericEventArguments) -> None:
            name, row = event.args
            meant = drawn.of(row)
            if meant is not None:
                await pressed(str(name), meant)

        table.on("button", press)

    def update(newer: Sequence[Row]) -> None:
        table.update_rows(cells(newer), clear_selection=chosen is None)
        field.set_visibility(len(newer) > _MANY // 5)

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


def _column(column: ListColumn) -> dict[str, Any]:
    classes = "hw-mono" if column.mono else ""
    return {
        "name": column.name,
        "label": column.label,
        "field": column.name,
        "sortable": True,
        "align": "right" if column.number else "left",
        "classes": classes,
    }


def _cells(columns: Sequence[ListColumn], row: Row, key: str) -> dict[str, Any]:
    made: dict[str, Any] = {key: row.get(key)}
    for column in columns:
        value: Any = row.get(column.name) if column.value is None else column.value(row)
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


def _text(value: Any) -> str:
    if value is None:
        return ""
    return moment(value) if isinstance(value, datetime) else cell(value)


def _template(column: ListColumn) -> str:
    name = column.name
    if column.link is not None:
        return _LINK.replace("LINK", f"'{name}__link'")
    if column.chip:
        return _CHIP.replace("TONE", f"'{name}__tone'").replace("HINT", f"'{name}__hint'")
    if column.bar is not None:
        return _BAR.replace("BAR", f"'{name}__bar'").replace("TEXT", f"'{name}__text'")
    if column.strip:
        return _STRIP.replace("STRIP", f"'{name}__strip'")
    return _PLAIN
