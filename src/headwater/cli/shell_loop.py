"""The interactive shell: read a statement, run it, show what it gave, for ever."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History
from prompt_toolkit.input import Input
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.output import Output as Terminal

from headwater.cli.catalog_words import words_of
from headwater.cli.completion import SqlCompleter
from headwater.cli.formats import writer
from headwater.cli.highlight import HeadwaterLexer
from headwater.cli.progress import progress_line
from headwater.cli.scripts import Output, Script, read_script, run_script
from headwater.cli.shell_commands import (
    Leave,
    RunFile,
    RunSql,
    Say,
    ShellSettings,
    action_of,
    is_command,
)
from headwater.cli.signals import Interrupt, deliver_stops
from headwater.cli.statement_thread import StatementThread
from headwater.errors import HeadwaterError, UserError
from headwater.sql.split import is_complete

if TYPE_CHECKING:
    from headwater.dbapi import Connection

_MOST_ROWS = 1000


class Shell:
    """One interactive session on a lake."""

    def __init__(
        self,
        connection: Connection,
        history: History,
        *,
        source: Input | None = None,
        terminal: Terminal | None = None,
    ) -> None:
        """`source` and `terminal` stand in for the real terminal in tests."""
        self._connection = connection
        self._settings = ShellSettings()
        self._words = words_of(connection)
        wait = progress_line(connection.progress, wanted=True)
        self._thread = StatementThread(connection, wait=wait, patience=None)
        self._prompt: PromptSession[str] = PromptSession(
            history=history,
            lexer=PygmentsLexer(HeadwaterLexer),
            completer=SqlCompleter(self._words),
            auto_suggest=AutoSuggestFromHistory(),
            complete_while_typing=True,
            reserve_space_for_menu=5,
            multiline=Condition(lambda: not may_run(self._prompt.default_buffer.text)),
            prompt_continuation=lambda width, _line, _soft: " " * (width - 3) + "-> ",
            input=source,
            output=terminal,
        )

    def run(self) -> None:
        """Until the user leaves."""
        while True:
            try:
                text = self._read()
            except EOFError:
                return
            except KeyboardInterrupt as error:
                if Interrupt.of(error).ends_process:
                    raise
                continue
            try:
                if not self._handle(text):
                    return
            except HeadwaterError as error:
                click.echo(str(error), err=True)
            except KeyboardInterrupt as error:
                interrupt = Interrupt.of(error)
                if interrupt.ends_process:
                    raise
                click.echo(interrupt.outcome or "interrupted", err=True)
            finally:
                self._words.refresh()

    def _read(self) -> str:
        """What the user types next.

        A signal that ends the process ends the prompt in order first, so that the terminal is left
        as it was found.
        """
        application = self._prompt.app
        received: list[Interrupt] = []

        def end_prompt() -> None:
            if received and application.is_running and not application.is_done:
                application.exit(exception=EOFError())

        def receive(interrupt: Interrupt) -> None:
            received.append(interrupt)
            if application.loop is not None:
                application.loop.call_soon_threadsafe(end_prompt)

        try:
            with deliver_stops(receive):
                return self._prompt.prompt(f"{self._connection.schema}> ", pre_run=end_prompt)
        finally:
            if received:
                raise received[0]

    def _handle(self, text: str) -> bool:
        """Do what was typed; False to leave."""
        if not is_command(text):
            self._run(Script(text, "input"))
            return True
        match action_of(text, self._settings):
            case Leave():
                return False
            case Say(said):
                click.echo(said)
            case RunSql(statement):
                self._run(Script(statement, "input"))
            case RunFile(file):
                self._run(read_script(file))
        return True

    def _run(self, script: Script) -> None:
        settings = self._settings
        write = writer(settings.format_name, sys.stdout, most_rows=_MOST_ROWS)
        output = Output(write, messages=sys.stdout, timing=settings.timing)
        run_script(self._thread, script, output)


def may_run(text: str) -> bool:
    """Whether Enter runs `text`: a command, nothing at all, or statements closed by a semicolon."""
    if not text.strip() or is_command(text):
        return True
    try:
        return is_complete(text)
    except UserError:
        # A quote is still open.
        return False
