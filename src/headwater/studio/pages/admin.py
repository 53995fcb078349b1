"""Admin: users, roles, tokens, grants, connections, settings and the audit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui
from starlette.requests import Request

from headwater.result import Result
from headwater.studio.actions import confirm
from headwater.studio.desk import Desk, Desks
from headwater.studio.frame import frame, heading
from headwater.studio.listing import ListColumn, listing
from headwater.studio.opened_tabs import opened_tabs
from headwater.studio.pages.grants_part import grants_part
from headwater.studio.part import Part, Update
from headwater.studio.problem import show_empty
from headwater.studio.show_sql import copy
from headwater.studio.statement_form import Field, Values, statement_form
from headwater.studio.user_texts import (
    NO_ROLE,
    ROLES,
    create_token_text,
    create_user_text,
    drop_token_text,
    drop_user_text,
    set_disabled_text,
    set_password_text,
    set_role_text,
)

PATH = "/admin"
Rows = list[dict[str, Any]]
_AUDIT = "SHOW AUDIT LIMIT 500"
_CONNECTION = """CREATE STORAGE CONNECTION cloud TYPE S3
    ACCESS_KEY = '..' SECRET_KEY = '..' REGION = 'eu-central-1'"""

_USERS = (
    ListColumn("name", "User"),
    ListColumn("role", "Role"),
    ListColumn("disabled", "Disabled"),
    ListColumn("created_time", "Made"),
    ListColumn("comment", "Comment"),
)
_TOKENS = (
    ListColumn("name", "Token"),
    ListColumn("user", "User"),
    ListColumn("role", "At most"),
    ListColumn("created_time", "Made"),
    ListColumn("expires_time", "Until"),
    ListColumn("last_used_time", "Last used"),
)


def register(desks: Desks) -> None:
    """Make the page known."""

    @ui.page(PATH)
    async def admin(request: Request) -> None:
        desk = desks.of(request)
        with frame(desk, "Admin", here=PATH):
            heading("Admin", "Who may do what here")
            opened_tabs(
                {
                    "Users": lambda: _users(desk),
                    "Tokens": lambda: _tokens(desk),
                    "Grants": lambda: grants_part(desk),
                    "Connections": lambda: _listed(
                        desk, "SHOW CONNECTIONS", "No connection yet", example=_CONNECTION
                    ),
                    # To ask is no SHOW, so a part that follows changes would follow itself.
                    "Settings": lambda: _listed(
                        desk, "SET", "Nothing is set for new sessions", live=False
                    ),
                    "Roles": lambda: _listed(desk, "SHOW ROLES", "No role", live=False),
                    "Audit": lambda: _listed(desk, _AUDIT, "Nothing happened yet"),
                },
                label="Admin",
            )


def _users(desk: Desk) -> None:
    async def ask() -> Rows:
        return await desk.rows("SHOW USERS")

    async def again(result: Result) -> None:
        await part.refresh()

    name = Field("name", "User")
    role = Field("role", "Role", choices=ROLES)
    password = Field("password", "Password", secret=True, hint="8 characters or more")
    disabled = Field("disabled", "Is to be", choices=("disabled", "enabled"))
    comment = Field("comment", "Comment")
    with ui.row().classes("gap-2"):
        _form(desk, "New user", (name, password, role, comment), create_user_text, again)
        _form(desk, "Set role", (name, role), set_role_text, again)
        _form(desk, "Set password", (name, password), set_password_text, again)
        _form(desk, "Enable or disable", (name, disabled), set_disabled_text, again)
        _form(desk, "Drop user", (name,), drop_user_text, again, danger=True)
    part = Part(desk, ask, lambda rows: _show(_USERS, rows, "No user", "Users"))


def _form(
    desk: Desk,
    title: str,
    fields: Sequence[Field],
    build: Callable[[Values], str],
    then: Callable[[Result], Any],
    *,
    danger: bool = False,
) -> None:
    button = ui.button(
        title,
        on_click=lambda: statement_form(desk, title, fields, build, danger=danger, then=then),
    ).props("outline dense no-caps")
    if danger:
        button.props("color=negative")


def _tokens(desk: Desk) -> None:
    async def ask() -> Rows:
        rows = await desk.rows("SHOW TOKENS")
        return [{**row, "key": f"{row['user']} / {row['name']}"} for row in rows]

    async def made(result: Result) -> None:
        _show_once(str(result.to_dicts()[0]["token"]))
        await part.refresh()

    async def drop() -> None:
        if chosen.value in known:
            text = drop_token_text(*known[chosen.value])
            await confirm(desk, "Drop token", text, danger=True, then=part.refresh)

    def show(rows: Rows) -> Update[Rows]:
        redraw = listing(_TOKENS, rows, key="key", label="Tokens")

        def update(newer: Rows) -> None:
            known.clear()
            known.update({row["key"]: (row["name"], row["user"]) for row in newer})
            offered = list(known)
            value = chosen.value if chosen.value in offered else None
            chosen.set_options(offered, value=value)
            redraw(newer)

        update(rows)
        return update

    known: dict[str, tuple[str, str]] = {}
    fields = (
        Field("name", "Name of the token"),
        Field("user", "User", value=desk.identity.user),
        Field("role", "Role", choices=(NO_ROLE, *ROLES)),
        Field("days", "Days until it ends", value="90", hint="empty: until it is dropped"),
    )
    with ui.row().classes("gap-2 items-center"):
        _form(desk, "New token", fields, create_token_text, made)
        chosen = ui.select([], label="Token").props("dense outlined").classes("min-w-48")
        ui.button("Drop token", icon="delete", on_click=drop).props(
            "outline dense no-caps color=negative"
        )
    part = Part(desk, ask, show)


def _show_once(token: str) -> None:
    with ui.dialog().props("persistent") as dialog, ui.card().classes("w-full max-w-2xl"):
        ui.label("The token, shown this once").classes("text-lg font-semibold")
        with ui.element("pre").classes("hw-sql"):
            ui.label(token)
        with ui.row().classes("gap-2"):
            ui.button("Copy", icon="content_copy", on_click=lambda: copy(token)).props("no-caps")
            ui.button("I have kept it", on_click=dialog.close).props("flat no-caps")
    dialog.on("hide", dialog.delete)
    dialog.open()


def _listed(
    desk: Desk, statement: str, empty: str, *, live: bool = True, example: str = ""
) -> None:
    async def ask() -> Rows:
        rows = await desk.rows(statement)
        return [{**row, "__key": str(place)} for place, row in enumerate(rows)]

    def show(rows: Rows) -> Update[Rows] | None:
        names = [name for name in (rows[0] if rows else ()) if name != "__key"]
        columns = [ListColumn(name, name.replace("_", " ").capitalize()) for name in names]
        return _show(columns, rows, empty, statement, key="__key", example=example)

    Part(desk, ask, show, live=live)


def _show(
    columns: Sequence[ListColumn],
    rows: Rows,
    empty: str,
    label: str,
    *,
    key: str = "name",
    example: str = "",
) -> Update[Rows] | None:
    if not rows:
        show_empty(empty, "Its secrets are sealed, and never shown." if example else "", example)
        return None
    redraw = listing(columns, rows, key=key, label=label)
    return lambda newer: redraw(newer)
