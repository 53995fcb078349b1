"""A form that makes a statement: its fields, the statement as it will run, and what came of it.

Law: what is typed into a field becomes part of the statement by the quoting of `build`, and secrets
are covered in what is shown of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from nicegui import ui

from headwater.errors import HeadwaterError
from headwater.result import Result
from headwater.sql.masking import mask
from headwater.studio.desk import Desk
from headwater.studio.problem import show_problem

Values = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that a form asks for."""

    name: str
    label: str
    value: str = ""
    choices: tuple[str, ...] = ()
    """If given, one of these is chosen."""
    secret: bool = False
    hint: str = ""


def statement_form(
    desk: Desk,
    title: str,
    fields: Sequence[Field],
    build: Callable[[Values], str],
    *,
    danger: bool = False,
    then: Callable[[Result], Awaitable[None]] | None = None,
) -> None:
    """Opens the form in a dialog; `then` gets the result when the statement has run."""
    # What opened it may be drawn anew while it is open, and must not take it along.
    with (
        ui.context.client.content,
        ui.dialog() as dialog,
        ui.card().classes("w-full max-w-2xl"),
    ):
        ui.label(title).classes("text-lg font-semibold")
        inputs = {field.name: _input(field) for field in fields}
        with ui.element("pre").classes("hw-sql").props('aria-label="Statement"'):
            preview = ui.label()

        def statement() -> str:
            return build({name: str(given.value or "") for name, given in inputs.items()})

        def show() -> None:
            preview.set_text(mask(statement()))

        for given in inputs.values():
            given.on_value_change(show)
        show()
        outcome = ui.column().classes("w-full")

        async def run() -> None:
            outcome.clear()
            button.disable()
            try:
                result = await desk.act(statement(), lake_zone=True)
            except HeadwaterError as error:
                with outcome:
                    show_problem(error)
                button.enable()
                return
            dialog.close()
            ui.notify(result.message or f"{title}: done", type="positive")
            if then is not None:
                # What it opens must outlive this dialog.
                with dialog.client.content:
                    await then(result)

        with ui.row().classes("w-full justify-end gap-2"):
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
            color = "negative" if danger else "primary"
            button = ui.button("Run", on_click=run).props(f"no-caps color={color}")
    dialog.on("hide", dialog.delete)
    dialog.open()


def _input(field: Field) -> ui.input | ui.select:
    if field.choices:
        value = field.value if field.value in field.choices else field.choices[0]
        made: ui.input | ui.select = ui.select(list(field.choices), label=field.label, value=value)
    else:
        made = ui.input(field.label, value=field.value, password=field.secret)
        if field.secret:
            made.props("autocomplete=new-password")
    made.props("dense outlined").classes("w-full")
    if field.hint:
        made.props["hint"] = field.hint
    return made
