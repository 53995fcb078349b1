"""The shell's short commands: each is SQL to run, or a change of how results are shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headwater.cli.formats import FORMATS
from headwater.errors import UserError

HELP = """\
Statements end with a semicolon and may take several lines.

  \\?  help             this text
  \\d                   tables and views (SHOW TABLES)
  \\d NAME              columns of a table or view (DESC NAME)
  \\dt [SCHEMA]         tables and views (SHOW TABLES [IN SCHEMA])
  \\dn                  schemas (SHOW SCHEMAS)
  \\i FILE              run the statements in FILE
  \\format FORMAT       print rows as table, json or csv
  \\timing              show or hide the time each statement took
  \\q  exit  quit       leave (also Ctrl-D)

Ctrl-C cancels the running statement, or clears the line. Tab completes."""


@dataclass(slots=True)
class ShellSettings:
    """How results are shown."""

    format_name: str = "table"
    timing: bool = True


@dataclass(frozen=True, slots=True)
class RunSql:
    """Run this."""

    text: str


@dataclass(frozen=True, slots=True)
class RunFile:
    """Run the statements of this file."""

    file: str


@dataclass(frozen=True, slots=True)
class Say:
    """Tell the user this."""

    text: str


@dataclass(frozen=True, slots=True)
class Leave:
    """End the shell."""


Action = RunSql | RunFile | Say | Leave
_Command = Callable[[ShellSettings, str], Action]


def is_command(text: str) -> bool:
    """Whether `text` is a command and not SQL: one that starts with a backslash, or a bare word."""
    words = text.strip().rstrip(";").split()
    return text.lstrip().startswith("\\") or (len(words) == 1 and words[0].lower() in _WORDS)


def action_of(text: str, settings: ShellSettings) -> Action:
    """What a command asks for; commands about showing results take effect on `settings`."""
    name, _, rest = text.strip().rstrip(";").rstrip().partition(" ")
    command = _COMMANDS.get(_WORDS.get(name.lower(), name))
    if command is None:
        raise UserError("UNKNOWN_SHELL_COMMAND", command=name)
    return command(settings, rest.strip())


def _describe(_settings: ShellSettings, name: str) -> Action:
    return RunSql(f"DESC {name}" if name else "SHOW TABLES")


def _tables(_settings: ShellSettings, schema: str) -> Action:
    return RunSql(f"SHOW TABLES IN {schema}" if schema else "SHOW TABLES")


def _schemas(_settings: ShellSettings, _rest: str) -> Action:
    return RunSql("SHOW SCHEMAS")


def _file(_settings: ShellSettings, file: str) -> Action:
    if not file:
        raise UserError("SHELL_COMMAND_ARGUMENT", command="\\i", expected="the name of a file")
    return RunFile(file)


def _format(settings: ShellSettings, name: str) -> Action:
    if name not in FORMATS:
        expected = f"one of {', '.join(FORMATS)}"
        raise UserError("SHELL_COMMAND_ARGUMENT", command="\\format", expected=expected)
    settings.format_name = name
    return Say(f"rows are printed as {name}")


def _timing(settings: ShellSettings, _rest: str) -> Action:
    settings.timing = not settings.timing
    return Say(f"timing is {'on' if settings.timing else 'off'}")


def _help(_settings: ShellSettings, _rest: str) -> Action:
    return Say(HELP)


def _leave(_settings: ShellSettings, _rest: str) -> Action:
    return Leave()


_COMMANDS: dict[str, _Command] = {
    "\\?": _help,
    "\\d": _describe,
    "\\dn": _schemas,
    "\\dt": _tables,
    "\\format": _format,
    "\\i": _file,
    "\\q": _leave,
    "\\timing": _timing,
}
# Bare words for those who do not know about backslashes yet.
_WORDS = {"help": "\\?", "exit": "\\q", "quit": "\\q"}
