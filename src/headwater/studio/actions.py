"""Buttons that change something: each shows its statement, runs it, and says what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from headwater.errors import HeadwaterError
from headwater.studio.desk import Desk
from headwater.studio.problem import show_problem
from headwater.studio.show_sql import sql_text

Then = Callable[[], Awaitable[None]]


def action_button(
    desk: Desk,
    name: str,
    statement: str | Callable[[], str],
    *,
    label: str | None = None,
    icon: str | None = None,
    danger: bool = False,
    then: Then | None = None,
) -> ui.button:
    """A button that shows its statement before it runs it; `then` is called when it has run.

    With a `label` the button is an icon alone.
    """

    async def ask_first() -> None:
        text = statement if isinstance(statement, str) else statement()
        await confirm(desk, name, text, danger=danger, then=then)

    button = ui.button(name if label is None else "", icon=icon, on_click=ask_first)
    button.props("outline dense no-caps" if label is None else "flat round dense")
    if label is not None:
        button.props["aria-label"] = label
    return button.props("color=negative") if danger else button


async def confirm(
    desk: Desk, name: str, statement: str, *, danger: bool = False, then: Then | None = None
) -> None:
    """A dialog with the statement and two buttons: run it, or not."""
    # What opened it may be drawn anew while it is open, and must not take it along.
    with (
        ui.context.client.content,
        ui.dialog() as dialog,
        ui.card().classes("w-full max-w-2xl"),
    ):
        ui.label(name).classes("text-lg font-semibold")
        sql_text(statement)
        outcome = ui.column().classes("w-full")

        async def run() -> None:
            outcome.clear()
            run_button.disable()
            try:
                result = await desk.act(statement, lake_zone=True)
            except HeadwaterError as error:
                with outcome:
                    show_problem(error)
                run_button.enable()
                return
            dialog.close()
            ui.notify(result.message or f"{name}: done", type="positive")
            if then is not None:
                await then()

        with ui.row().classes("w-full justify-end gap-2"):
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
            color = "negative" if danger else "primary"
            run_button = ui.button(name, on_click=run).props(f"no-caps color={color} autofocus")
    dialog.on("hide", dialog.delete)
    dialog.open()
