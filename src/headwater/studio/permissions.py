"""Who was granted what on an object."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from headwater.names import quote_identifier
from headwater.studio.actions import confirm
from headwater.studio.desk import Desk
from headwater.studio.listing import ROW, ListColumn, Row, RowButtons, listing
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty

Rows = list[dict[str, Any]]
_REVOKE = "Revoke"

_COLUMNS = (
    ListColumn("privilege", "Privilege"),
    ListColumn("granted_to", "To"),
    ListColumn("grantee_name", "Name"),
    ListColumn("grantor", "Granted by"),
    ListColumn("granted_time", "Since"),
    ListColumn("grant_option", "May grant it"),
)


def permissions(desk: Desk, on: str) -> None:
    """The grants on an object, which is given as `TABLE s.t`, quoted, and a way to take them back.

    What is granted on a schema counts for what is in it; that is listed with the schema.
    """
    ui.label("Grants").classes("text-lg font-semibold")
    Part(desk, lambda: desk.rows(f"SHOW GRANTS ON {on}"), lambda rows: _show(desk, on, rows))


def _show(desk: Desk, on: str, rows: Rows) -> Update[Rows] | None:
    if not rows:
        example = f"GRANT MONITOR ON {on} TO USER somebody"
        show_empty("Nothing was granted on it", "Its owner and admins may do everything:", example)
        return None

    async def pressed(name: str, row: Row) -> None:
        grantee = f"{row['granted_to']} {quote_identifier(row['grantee_name'])}"
        await confirm(desk, name, f"REVOKE {row['privilege']} ON {on} FROM {grantee}", danger=True)

    buttons = RowButtons(lambda row: [_REVOKE], pressed)
    return listing(_COLUMNS, rows, key=ROW, label="Grants", buttons=buttons)
