"""SQL from where it is kept (arguments, files, standard input), and running it for all to see."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import click

from headwater.cli.formats import Write, timing_text
from headwater.cli.statement_thread import StatementThread
from headwater.errors import HeadwaterError, UserError
from headwater.result import WARNING, Result

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class Script:
    """Statements, and what to call the place they came from."""

    text: str
    name: str


@dataclass(frozen=True, slots=True)
class Output:
    """Where results go and what is said about them."""

    write: Write
    messages: TextIO | None
    """Where the message of a statement without rows goes; None for nowhere."""
    timing: bool = False


def scripts_of(expressions: Sequence[str], file: str | None) -> list[Script]:
    """The scripts of `-e` (each one) or `-f`."""
    if file is not None:
        return [read_script(file)]
    return [
        Script(_decoded(text.encode("utf-8", "surrogateescape"), "-e"), "-e")
        for text in expressions
    ]


def read_script(file: str) -> Script:
    """The script in a file, or on standard input for `-`."""
    try:
        if file == STANDARD_INPUT:
            return Script(_decoded(sys.stdin.buffer.read(), "standard input"), "standard input")
        return Script(_decoded(Path(file).expanduser().read_bytes(), file), file)
    except FileNotFoundError:
        raise UserError("SCRIPT_NOT_FOUND", file=file) from None
    except OSError as error:
        raise UserError("SCRIPT_UNREADABLE", file=file, reason=error.strerror or error) from None


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"0x{content[error.start]:02x}"
        raise UserError("SCRIPT_NOT_UTF8", file=name, line=line, byte=byte) from None


def run_script(thread: StatementThread, script: Script, output: Output) -> None:
    """Run all statements of a script, showing each result when it is there."""
    finished = 0
    try:
        for timed in thread.run(script.text):
            finished += 1
            show(timed.result, timed.seconds, output)
    except HeadwaterError:
        _say_where(script, finished)
        raise


def show(result: Result, seconds: float, output: Output) -> None:
    """One result, and the line about it."""
    try:
        if result.returns_rows:
            output.write(result)
            if result.message.startswith(WARNING):
                click.echo(result.message, err=True)
        elif output.messages is not None:
            click.echo(result.message or "done", file=output.messages)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UserError("OUTPUT_NOT_WRITABLE", reason=error.strerror or error) from None
    if output.timing:
        click.echo(timing_text(result, seconds), err=True)


def _say_where(script: Script, finished: int) -> None:
    """Say which statement of a longer script failed."""
    from headwater.sql.split import split

    try:
        pieces = split(script.text)
    except UserError:
        # The script as a whole could not be read: none of it ran, and the error shows where.
        return
    if finished < len(pieces) and len(pieces) > 1:
        line = script.text.count("\n", 0, pieces[finished].start) + 1
        click.echo(f"{script.name}: statement {finished + 1}, at line {line}, failed", err=True)
