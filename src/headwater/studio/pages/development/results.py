"""What a run gave: its log, and a grid, a chart and a file of each result with rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from headwater.errors import HeadwaterError
from headwater.names import counted
from headwater.result import Result
from headwater.service.statement import Statement
from headwater.sql.split import pieces_of
from headwater.studio.editing import shown_statement
from headwater.studio.listing import studio_path
from headwater.studio.problem import show_problem
from headwater.studio.result_cells import MOST_ROWS, Cells, Chart, cells_of, chart_options

_CELL = (
    '<q-td :props="props"><span v-if="props.row[props.col.name] === null" class="hw-muted"'
    ' style="font-style: italic">NULL</span><span v-else>{{ props.value }}</span></q-td>'
)
_LOG = "log"


def show_results(script: str, ended: Statement) -> None:
    """The tabs of a run that has ended."""
    titles = [shown_statement(piece.text, 40) for piece in pieces_of(script)]
    with_rows = [n for n, result in enumerate(ended.results) if result.returns_rows]
    first = _LOG if ended.error is not None or not with_rows else str(with_rows[-1])
    with ui.tabs().classes("w-full").props("dense no-caps align=left inline-label") as tabs:
        ui.tab(_LOG, "Log", icon="notes")
        for place, number in enumerate(with_rows, 1):
            with ui.tab(str(number), f"Result {place}", icon="table_chart"):
                ui.tooltip(titles[number] if number < len(titles) else "")
    with ui.tab_panels(tabs, value=first).classes("w-full bg-transparent").props("animated=false"):
        with ui.tab_panel(_LOG).classes("p-2"):
            _log(titles, ended.results, ended.error)
        for number in with_rows:
            with ui.tab_panel(str(number)).classes("p-2"):
                _result(ended.id, number, ended.results[number])


def _log(titles: Sequence[str], results: Sequence[Result], error: HeadwaterError | None) -> None:
    with ui.column().classes("w-full gap-1"):
        for title, result in zip(titles, results, strict=False):
            with ui.row().classes("gap-3 items-baseline"):
                ui.label(title).classes("hw-mono text-sm")
                ui.label(_outcome(result)).classes("hw-muted text-sm")
        if error is not None:
            show_problem(error)
        elif not results:
            ui.label("There was nothing to run.").classes("hw-muted")


def _outcome(result: Result) -> str:
    if result.returns_rows:
        return counted(len(result), "row") + (f"; {result.message}" if result.message else "")
    return result.message or "done"


def _result(statement: str, number: int, result: Result) -> None:
    cells = cells_of(result)
    with ui.row().classes("items-center gap-3 w-full"):
        text = counted(len(result), "row")
        if len(result) > MOST_ROWS:
            text += f", the first {MOST_ROWS:,} of them shown"
        ui.label(text).classes("hw-muted text-sm")
        ui.space()
        kind = ui.toggle({"grid": "Grid", "chart": "Chart"}, value="grid")
        kind.props('dense no-caps unelevated aria-label="How to show it"')
        address = studio_path("export", statement, f"{number}.csv")
        link = ui.element("a").props(f'href="{address}" download').classes("hw-link text-sm")
        with link:
            ui.label("Export CSV")
    with ui.column().classes("w-full").bind_visibility_from(kind, "value", value="grid"):
        _grid(cells)
    with ui.column().classes("w-full").bind_visibility_from(kind, "value", value="chart"):
        _chart(cells)


def _grid(cells: Cells) -> None:
    columns = [_column(place, name, cells) for place, name in enumerate(cells.names)]
    table = ui.table(columns=columns, rows=cells.rows, row_key="row", pagination={"rowsPerPage": 0})
    table.classes("hw-table hw-mono text-sm").style("max-height: 45vh")
    table.props('flat bordered dense hide-pagination aria-label="Result"')
    table.props('virtual-scroll :virtual-scroll-item-size="28"')
    table.add_slot("body-cell", _CELL)
    table.add_slot("no-data", '<span class="hw-muted">No rows</span>')


def _column(place: int, name: str, cells: Cells) -> dict[str, Any]:
    key = f"c{place}"
    column = {"name": key, "label": name, "field": key, "sortable": True, "align": "left"}
    if place in cells.numbers:
        # Sorted as numbers, shown as the text that says them in full.
        column |= {"field": f"{key}_number", ":format": f"(v, row) => row['{key}']"}
        column["align"] = "right"
    return column


def _chart(cells: Cells) -> None:
    if not cells.numbers or not cells.rows:
        ui.label("A chart needs rows with a column of numbers.").classes("hw-muted")
        return
    names = dict(enumerate(cells.names))
    over = next((place for place in names if place not in cells.numbers), 0)
    with ui.row().classes("gap-3"):
        kind = ui.select({"bar": "Bars", "line": "Line"}, value="bar", label="Kind")
        x = ui.select(names, value=over, label="Over")
        numbers = {place: names[place] for place in cells.numbers}
        y = ui.select(numbers, value=[cells.numbers[0]], label="Values", multiple=True)
    made = chart_options(cells, Chart("bar", over, (cells.numbers[0],)))
    chart = ui.echart(made).classes("w-full h-80").props('aria-label="Chart of the result"')

    def draw() -> None:
        wanted = Chart(kind.value, x.value, tuple(y.value))
        chart.options.clear()
        chart.options.update(chart_options(cells, wanted))
        chart.update()

    for field in (kind, x, y):
        field.props("dense outlined").classes("min-w-32")
        field.on_value_change(draw)
