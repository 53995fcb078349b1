"""Any result as a grid: whatever its columns are called and its cells hold is shown as text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from headwater.cell_text import cell
from headwater.result import Result
from headwater.studio.desk import Desk
from headwater.studio.part import Part
from headwater.studio.problem import show_empty

PREVIEW_ROWS = 100

_CELL = (
    '<q-td :props="props"><span v-if="props.value === null" class="hw-muted">NULL</span>'
    '<div v-else class="hw-cell" dir="auto">{{ props.value }}</div></q-td>'
)


def row_grid(result: Result, *, label: str) -> None:
    """The rows of a result; `label` is a text of Studio's own."""
    columns = [
        {
            "name": f"c{place}",
            "field": f"c{place}",
            "label": f"{column.name} · {column.type}" if column.type else column.name,
            "align": "left",
        }
        for place, column in enumerate(result.schema)
    ]
    rows = [
        {f"c{place}": None if value is None else cell(value) for place, value in enumerate(row)}
        | {"row": number}
        for number, row in enumerate(result.rows)
    ]
    grid = ui.table(columns=columns, rows=rows, row_key="row", pagination={"rowsPerPage": 0})
    grid.classes("hw-table").props(f'flat bordered dense hide-pagination aria-label="{label}"')
    grid.style("max-height: 70vh")
    grid.add_slot("body-cell", _CELL)


def first_rows(relation: str) -> str:
    """The query for the first rows of a relation, which is given as SQL, its names quoted."""
    return f"SELECT * FROM {relation} LIMIT {PREVIEW_ROWS}"  # noqa: S608


def preview(desk: Desk, statement: str, *, label: str) -> Part[Result]:
    """The rows of a query, asked for once: it needs Spark, so it is not asked again by itself."""

    def show(result: Result) -> None:
        if not result.rows:
            show_empty("No rows")
            return
        if len(result.rows) >= PREVIEW_ROWS:
            ui.label(f"The first {PREVIEW_ROWS} rows").classes("hw-muted")
        row_grid(result, label=label)

    return Part(desk, _asked(desk, statement), show, live=False)


def _asked(desk: Desk, statement: str) -> Callable[[], Awaitable[Result]]:
    async def ask() -> Result:
        return await desk.ask(statement)

    return ask
