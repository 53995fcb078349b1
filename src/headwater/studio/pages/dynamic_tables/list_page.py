"""The list of dynamic tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from nicegui import ui
from starlette.requests import Request

from headwater.studio.desk import Desks
from headwater.studio.frame import frame, heading
from headwater.studio.listing import ListColumn, listing, studio_path
from headwater.studio.pages.dynamic_tables.asking import PATH, Rows, all_tables
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty
from headwater.studio.shown_times import duration

_EVERY_SECONDS = 60
_ALL = "all"

_COLUMNS = (
    ListColumn(
        "name",
        "Name",
        link=lambda row: studio_path("dynamic-tables", row["schema_name"], row["name"]),
    ),
    ListColumn("schema_name", "Schema"),
    ListColumn("state", "State", chip=True, hint=lambda row: "; ".join(row["troubles"]) or None),
    ListColumn("recent_states", "Last five", strip=True),
    ListColumn(
        "lag",
        "Lag",
        number=True,
        bar=lambda row: row["share"],
        shown=lambda row: "-" if row["lag"] is None else duration(row["lag"]),
    ),
    ListColumn(
        "target",
        "Target",
        value=lambda row: duration(row["target_lag_second"]),
    ),
    ListColumn(
        "last_refresh_mode",
        "Last refresh was",
        chip=True,
        hint=lambda row: row["last_refresh_reason"],
    ),
    ListColumn("last_refresh_time", "Last refresh"),
    ListColumn("next_refresh_time", "Next refresh"),
    ListColumn("virtual_cluster", "Cluster"),
)


@dataclass(slots=True)
class _Filters:
    """What of the list is shown."""

    state: str = _ALL
    schema: str = _ALL
    cluster: str = _ALL
    unhealthy: bool = False
    rows: Rows = field(default_factory=list)

    def kept(self) -> Rows:
        """The rows that pass."""
        return [
            row
            for row in self.rows
            if self.state in (_ALL, row["state"])
            and self.schema in (_ALL, row["schema_name"])
            and self.cluster in (_ALL, row["virtual_cluster"])
            and (row["troubles"] or not self.unhealthy)
        ]


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def dynamic_tables(request: Request) -> None:
        desk = desks.of(request)
        with frame(desk, "Dynamic tables", here=PATH):
            heading("Dynamic tables", "Queries that are kept up to date by what changed")
            Part(desk, lambda: all_tables(desk), _show, every=_EVERY_SECONDS)


def _show(rows: Rows) -> Update[Rows] | None:
    if not rows:
        show_empty(
            "No dynamic table yet",
            "Make one in the editor, from any SELECT:",
            "CREATE DYNAMIC TABLE totals REFRESH INTERVAL 1 MINUTE AS\n"
            "SELECT customer, sum(amount) AS total FROM orders GROUP BY customer",
        )
        return None
    filters = _Filters(rows=rows)
    with ui.element("div").classes("hw-filters"):
        state = _select("State", filters, "state")
        schema = _select("Schema", filters, "schema")
        cluster = _select("Cluster", filters, "cluster")
        only = ui.checkbox("Only unhealthy").bind_value_to(filters, "unhealthy")
        count = ui.label().classes("hw-muted")
    redraw = listing(_COLUMNS, rows, key="key", label="Dynamic tables")

    def tell(kept: Rows) -> None:
        ill = sum(bool(row["troubles"]) for row in filters.rows)
        count.set_text(f"{len(kept):,} of {len(filters.rows):,}, {ill:,} unhealthy")

    def offer() -> None:
        _offer(state, (row["state"] for row in filters.rows))
        _offer(schema, (row["schema_name"] for row in filters.rows))
        _offer(cluster, (row["virtual_cluster"] for row in filters.rows))

    def show_kept() -> None:
        kept = filters.kept()
        tell(kept)
        redraw(kept)

    def update(newer: Rows) -> None:
        filters.rows = newer
        offer()
        show_kept()

    offer()
    tell(rows)
    for control in (state, schema, cluster, only):
        control.on_value_change(show_kept)
    return update


def _select(label: str, filters: _Filters, name: str) -> ui.select:
    made = ui.select([_ALL], label=label, value=_ALL).props("dense outlined options-dense")
    return made.bind_value_to(filters, name)


def _offer(select: ui.select, values: Iterable[str]) -> None:
    offered = [_ALL, *sorted(set(values))]
    if select.options != offered:
        select.set_options(offered, value=select.value if select.value in offered else _ALL)
