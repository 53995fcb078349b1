"""Who may do what with an object, and the forms that grant and revoke it."""

from __future__ import annotations

from nicegui import ui

from headwater.result import Result
from headwater.sql.privileges import FITTING, Privilege, Securable
from headwater.sql.roles import Role
from headwater.studio.desk import Desk
from headwater.studio.grant_texts import KINDS, grant_text, revoke_text
from headwater.studio.listing import ListColumn, Row, listing
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty
from headwater.studio.statement_form import Field, Values, statement_form

Rows = list[dict[str, object]]

COLUMNS = (
    ListColumn("privilege", "Privilege"),
    ListColumn("granted_on", "On"),
    ListColumn("object_name", "Name"),
    ListColumn("granted_to", "To"),
    ListColumn("grantee_name", "Grantee"),
    ListColumn("grantor", "By"),
    ListColumn("granted_time", "When"),
    ListColumn("grant_option", "May grant it"),
)


def grants_part(desk: Desk, kind: str | None = None, name: str = "") -> None:
    """The grants on one object, or all of them, with the forms."""
    only = "" if kind is None else f" ON {kind} {name}"

    async def ask() -> Rows:
        rows = await desk.rows(f"SHOW GRANTS{only}")
        return [{**row, "key": str(place)} for place, row in enumerate(rows)]

    async def again(result: Result) -> None:
        await part.refresh()

    def open_form(title: str, *, revoke: bool) -> None:
        def build(values: Values) -> str:
            return revoke_text(values) if revoke else grant_text(values)

        statement_form(desk, title, _fields(kind, name, revoke=revoke), build, then=again)

    with ui.row().classes("gap-2"):
        for title, revoke in (("Grant", False), ("Revoke", True)):
            ui.button(
                title, on_click=lambda title=title, revoke=revoke: open_form(title, revoke=revoke)
            ).props("outline dense no-caps")
    part = Part(desk, ask, _show)


def _show(rows: Rows) -> Update[Rows] | None:
    if not rows:
        show_empty("Nothing is granted", "The owner may do everything, and so may an admin.")
        return None
    columns: tuple[ListColumn, ...] = COLUMNS
    shown: list[Row] = list(rows)
    redraw = listing(columns, shown, key="key", label="Grants")
    return lambda newer: redraw(newer)


def _fields(kind: str | None, name: str, *, revoke: bool) -> tuple[Field, ...]:
    kinds = KINDS if kind is None else (kind,)
    privileges = tuple(one.value for one in Privilege)
    if kind is not None:
        privileges = tuple(one.value for one in FITTING[Securable.TABLE])
    more = () if revoke else (Field("option", "With grant option", choices=("no", "yes")),)
    return (
        Field("privilege", "Privilege", choices=privileges),
        Field("kind", "Kind of object", choices=kinds),
        Field("object", "Object", value=name, hint="as statements spell it: schema.name"),
        Field("grantee_kind", "Grantee is a", choices=("USER", "ROLE")),
        Field("grantee", "Grantee", hint=f"a user, or one of {', '.join(r.value for r in Role)}"),
        *more,
    )
