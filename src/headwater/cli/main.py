"""The `headwater` command: finds the subcommand, and turns whatever escapes it into an exit code.

Exit codes: 0 done, 1 an error of the statement or the lake, 2 wrong usage, 70 a bug in Headwater,
128 + n ended by signal n (130 is Ctrl-C).
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from headwater import __version__
from headwater.cli.signals import Interrupt, stop_signals
from headwater.errors import HeadwaterError, InternalError

# Each is a module of this package and, in it, the click command of the same name; a dash in what
# users type is an underscore there.
COMMANDS = tuple("demo doctor init rotate-key run sample serve shell sql studio task".split())

_DEBUG = "headwater.debug"
_FAILED, _BUG = 1, 70
_OBJECTS_BEFORE_COLLECTION = 1_000_000


class Commands(click.Group):
    """A group that imports a subcommand when it is asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        """The names of all subcommands."""
        return list(COMMANDS)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand that the first word names; the nearest one is suggested."""
        try:
            return super().resolve_command(context, args)
        except click.UsageError as error:
            from headwater.names import did_you_mean

            hint = did_you_mean(args[0], COMMANDS)
            if hint is None:
                raise
            raise click.UsageError(f"{error.message} {hint.capitalize()}", context) from None

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The subcommand; each one takes --debug too, because that is where people type it."""
        if name not in COMMANDS:
            return None
        module = name.replace("-", "_")
        command: click.Command = getattr(import_module(f"headwater.cli.{module}"), module)
        if all(parameter.name != "debug" for parameter in command.params):
            command.params.append(_debug_option())
        return command

    def invoke(self, context: click.Context) -> Any:
        """Run the subcommand; nothing but click's own exceptions leaves here."""
        with stop_signals():
            try:
                value = super().invoke(context)
                # A reader that went away shows up here instead of in a trace at exit.
                sys.stdout.flush()
                return value
            except BaseException as error:
                context.exit(_reported(error, debug=bool(context.meta.get(_DEBUG))))


def _reported(error: BaseException, *, debug: bool) -> int:
    """Say what went wrong on standard error; the exit code for it."""
    if isinstance(error, click.ClickException | click.exceptions.Exit | click.Abort | SystemExit):
        raise error
    _give_up_closed_streams()
    if isinstance(error, BrokenPipeError):
        return 128 + signal.SIGPIPE
    if isinstance(error, KeyboardInterrupt):
        interrupt = Interrupt.of(error)
        click.echo(interrupt.outcome or "interrupted", err=True)
        return 128 + interrupt.number
    known = error if isinstance(error, HeadwaterError) else _bug(error)
    if debug:
        _show_evidence(error, known)
    click.echo(str(known), err=True)
    return _BUG if known.kind == "bug" else _FAILED


def _bug(error: BaseException) -> InternalError:
    from headwater.sql.masking import mask

    return InternalError("BUG", problem=mask(repr(error)))


def _show_evidence(error: BaseException, known: HeadwaterError) -> None:
    import traceback

    click.echo("".join(traceback.format_exception(error)), err=True)
    if known.detail:
        click.echo(known.detail, err=True)


def _give_up_closed_streams() -> None:
    """What cannot be written now must not be tried again, with a trace, when Python ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _debug_option() -> click.Option:
    def remember(context: click.Context, _option: click.Parameter, value: bool) -> None:
        if value:
            context.meta[_DEBUG] = True

    return click.Option(
        ["--debug"],
        is_flag=True,
        expose_value=False,
        callback=remember,
        envvar="HEADWATER_DEBUG",
        help="Show the traces behind an error (also HEADWATER_DEBUG=1).",
    )


cli = Commands(
    name="headwater",
    help="Volumes, pipes, streams and dynamic tables in SQL, on Spark and Delta Lake.",
    params=[_debug_option()],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
cli = click.version_option(__version__, "-V", "--version", message="headwater %(version)s")(cli)


def main() -> NoReturn:
    """Entry point of the process."""
    # Loading makes many objects and no garbage: looking for some costs 20 to 70 ms of SHOW TABLES.
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
    # A process may be started without them.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - open until the end
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # Whatever the terminal's encoding, a character it lacks must not lose the row.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        cli(prog_name="headwater")
    finally:
        # Spark is being stopped: one more Ctrl-C would only add a trace.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise AssertionError("click has ended the process")


if __name__ == "__main__":
    main()
