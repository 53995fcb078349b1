"""A workbench: runs what an editor holds in a session that lasts as long as the page.

Laws: USE, SET and temporary views last from one run to the next; leaving the page lets what runs
end, and gives the session back then.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from nicegui import background_tasks, ui
from starlette.concurrency import run_in_threadpool

from headwater.errors import HeadwaterError
from headwater.result import Result
from headwater.service.statement import Statement
from headwater.sql.candidates import Candidate
from headwater.sql.split import Piece
from headwater.studio.completion_words import CompletionWords, complete
from headwater.studio.desk import Desk
from headwater.studio.editing import Cursor, chosen, place_of
from headwater.studio.page_session import PageSession
from headwater.studio.pages.development.editor import ScriptEditor
from headwater.studio.pages.development.results import show_results
from headwater.studio.problem import show_problem
from headwater.studio.shown_times import duration

_LOOK_SECONDS = 0.3
_GONE = "SESSION_NOT_FOUND"
_SQL = "Results are shown here. Ctrl-Enter runs, Ctrl-Space completes."
_PYTHON = "A Python script runs as a task: submit it, then run it from its instances."


class Workbench:
    """An editor, its session, and what came of the last run."""

    def __init__(self, desk: Desk, text: str, *, python: bool = False) -> None:
        self._desk = desk
        self._session = PageSession(desk.open_session)
        self._running: Statement | None = None
        self._busy = False
        self._words = CompletionWords()
        self.kept = text
        """The text as the lake has it."""
        keys = {} if python else {"Mod-Enter": self.run, "Mod-Shift-Enter": self.run_all}
        self.editor = ScriptEditor(text, keys, self._complete, python=python)
        with ui.row().classes("items-center gap-2 w-full") as self.buttons:
            self._run_button = ui.button("Run", icon="play_arrow", on_click=self.run)
            self._run_button.props("dense no-caps")
            with self._run_button:
                ui.tooltip("What is marked, or the statement at the cursor (Ctrl-Enter)")
            ui.button("Run all", on_click=self.run_all).props("dense no-caps outline")
            self._cancel = ui.button("Cancel", icon="stop", on_click=self._cancel_run)
            self._cancel.props("dense no-caps outline color=negative").set_visibility(False)
            self._state = ui.label("").classes("hw-muted text-sm").props("role=status")
        self._bar = ui.linear_progress(0, show_value=False).props("size=4px aria-label=Progress")
        self._bar.set_visibility(False)
        self.output = ui.column().classes("w-full gap-2 min-w-0")
        with self.output:
            ui.label(_PYTHON if python else _SQL).classes("hw-muted text-sm")
        # The editor's session runs SQL; a Python script has a process of its own.
        self.buttons.set_visibility(not python)
        desk.desks.pulse.follow(self, self._forget_words)
        ui.context.client.on_delete(self._leave)

    async def act(self, statement: str) -> Result:
        """Run a statement of the page itself in the editor's session."""
        session = await self._session.id()
        try:
            return await self._desk.act(statement, session=session)
        except HeadwaterError as error:
            if error.condition != _GONE:
                raise
        self._tell_gone(session)
        return await self._desk.act(statement, session=await self._session.id())

    async def run(self) -> None:
        """Run what is marked, or the statement at the cursor."""
        await self._alone(chosen)

    async def run_all(self) -> None:
        """Run everything."""
        await self._alone(lambda cursor: Piece(cursor.text, 0))

    async def _alone(self, choose: Callable[[Cursor], Piece]) -> None:
        if self._busy:
            ui.notify("A run is under way: cancel it, or wait for its end", type="warning")
            return
        self._busy = True
        try:
            await self._run(choose(await self.editor.cursor()))
        finally:
            self._busy = False

    async def _run(self, piece: Piece) -> None:
        self.editor.unmark()
        self.output.clear()
        begun = time.monotonic()
        try:
            statement = self._running = await self._begin(piece.text)
        except HeadwaterError as error:
            with self.output:
                show_problem(error)
            return
        self._show_running(True)
        timer = ui.timer(_LOOK_SECONDS, lambda: self._show_progress(statement, begun))
        try:
            await self._desk.ended(statement)
        finally:
            self._running = None
            timer.deactivate()
            self._show_running(False)
        self._words.forget()
        self._state.text = f"{_word(statement)} after {duration(time.monotonic() - begun)}"
        if statement.schema:
            self._state.text += f" · schema {statement.schema}"
        if statement.error is not None:
            place = place_of(piece, len(statement.results), statement.error)
            if place is not None and statement.error.condition != "JOB_CANCELLED":
                self.editor.mark(place)
        with self.output:
            show_results(piece.text, statement)

    async def _begin(self, script: str) -> Statement:
        session = await self._session.id()
        try:
            return await self._desk.begin(script, session=session)
        except HeadwaterError as error:
            if error.condition != _GONE:
                raise
        self._tell_gone(session)
        return await self._desk.begin(script, session=await self._session.id())

    def _tell_gone(self, session: str) -> None:
        """Nobody used it for long: what was set in it is gone."""
        if self._session.gone(session):
            ui.notify("A new session: settings and temporary views are gone", type="warning")

    def _show_running(self, running: bool) -> None:
        self._run_button.set_enabled(not running)
        self._cancel.set_visibility(running)
        self._bar.set_visibility(running)
        if running:
            self._bar.props("indeterminate")
        self._state.text = "Running" if running else ""

    async def _show_progress(self, statement: Statement, begun: float) -> None:
        done, known = await run_in_threadpool(self._desk.service.statements.progress, statement)
        taken = duration(round(time.monotonic() - begun))
        if statement.ended:
            return
        if known:
            self._bar.props(remove="indeterminate")
            self._bar.set_value(done / known)
        pieces = f", {done} of {known} pieces" if known else ""
        self._state.text = f"Running for {taken}{pieces}"

    async def _cancel_run(self) -> None:
        if self._running is not None:
            self._state.text = "Stopping"
            await run_in_threadpool(self._desk.service.statements.cancel, self._running)

    async def _complete(self, before: str, after: str) -> list[Candidate]:
        async def ask(statement: str) -> list[dict[str, Any]]:
            return (await self.act(statement)).to_dicts()

        return await complete(before, after, self._words, ask)

    async def _forget_words(self) -> None:
        self._words.forget()

    def _leave(self) -> None:
        self._desk.desks.pulse.let_go(self)
        session = self._session.leave()
        if session is None:
            return
        desk, running = self._desk, self._running

        async def give_back() -> None:
            if running is not None:
                await desk.ended(running)
            await desk.close_session(session)

        background_tasks.create(give_back(), name="studio session")


def _word(statement: Statement) -> str:
    return {"SUCCEED": "Succeeded", "CANCELLED": "Cancelled"}.get(statement.state.value, "Failed")
