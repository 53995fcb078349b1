"""Every error a user can meet: four kinds that decide behaviour, conditions that name the cause.

The texts live in `conditions/*.toml` (one file per layer), so that code names a condition and gives
its parameters, and the reference page of errors is generated from the same source. The PEP 249
classes are the bases, so `except headwater.ProgrammingError` works as database users expect.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import ClassVar


class Warning(Exception):
    """Important warnings (PEP 249)."""


class Error(Exception):
    """Base of all database errors (PEP 249)."""


class InterfaceError(Error):
    """Misuse of the Python interface, such as a closed connection (PEP 249)."""


class DatabaseError(Error):
    """Errors of the database (PEP 249)."""


class DataError(DatabaseError):
    """A value is out of range or malformed (PEP 249)."""


class OperationalError(DatabaseError):
    """The world outside the statement failed (PEP 249)."""


class IntegrityError(DatabaseError):
    """A constraint would be violated (PEP 249)."""


class ProgrammingError(DatabaseError):
    """The statement is wrong (PEP 249)."""


class NotSupportedError(DatabaseError):
    """The statement asks for something that does not exist here (PEP 249)."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a statement's text, as character offsets: start included, end excluded."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Condition:
    """The registered text of one condition; `{x}` is filled from the error's parameters."""

    name: str
    sqlstate: str
    message: str
    hint: str | None = None


@cache
def conditions() -> dict[str, Condition]:
    """All conditions of all `conditions/*.toml` files, by name."""
    found: dict[str, Condition] = {}
    for file in resources.files("headwater").joinpath("conditions").iterdir():
        if not file.name.endswith(".toml"):
            continue
        for name, entry in tomllib.loads(file.read_text(encoding="utf-8")).items():
            if name in found:
                raise ValueError(f"condition {name} is defined twice")
            found[name] = Condition(name, entry["sqlstate"], entry["message"], entry.get("hint"))
    return found


class HeadwaterError(DatabaseError):
    """An error with a condition, a place in the text, and the next thing to type.

    Raise one of the four subclasses. `hint` replaces the condition's own hint. `detail` is extra
    evidence that is only shown with `--debug` (a Java trace, for example). A condition of Spark's
    own is not in our registry and comes with its `text`.
    """

    kind: ClassVar[str] = "error"

    def __init__(
        self,
        condition: str,
        *,
        span: Span | None = None,
        hint: str | None = None,
        detail: str | None = None,
        sqlstate: str | None = None,
        text: str | None = None,
        **parameters: object,
    ) -> None:
        entry = Condition(condition, "XX000", "{text}") if text else conditions()[condition]
        parameters = {**parameters, "text": text} if text else parameters
        self.condition = condition
        self.sqlstate = sqlstate or entry.sqlstate
        self.parameters = parameters
        self.message = entry.message.format_map(parameters)
        self.hint = hint or (entry.hint.format_map(parameters) if entry.hint else None)
        self.detail = detail
        self.span = span
        self.statement: str | None = None
        super().__init__(condition)

    def __str__(self) -> str:
        lines = [f"{self.condition}: {self.message}"]
        if self.statement is not None and self.span is not None:
            lines += caret_lines(self.statement, self.span)
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)

    def replace_text(self, change: Callable[[str], str]) -> None:
        """Rewrite everything a reader would see; how secrets are taken out of an error."""
        self.message = change(self.message)
        self.hint = change(self.hint) if self.hint else None
        self.detail = change(self.detail) if self.detail else None


class UserError(HeadwaterError, ProgrammingError):
    """The statement or its input is wrong: show it, never retry."""

    kind = "user"


class ValueRejected(UserError, DataError):
    """A user error about a value: malformed, out of range, of the wrong type."""


class ConstraintViolated(UserError, IntegrityError):
    """A user error about a constraint, such as NOT NULL."""


class NotSupported(UserError, NotSupportedError):
    """A user error about a feature that does not exist here."""


class SchemaError(HeadwaterError, OperationalError):
    """Something upstream changed its shape: whoever depends on it must re-initialise."""

    kind = "schema"


class TransientError(HeadwaterError, OperationalError):
    """The outside world failed for now: retry with back-off."""

    kind = "transient"


class InternalError(HeadwaterError):
    """A bug in Headwater: keep the evidence and ask the user to report it."""

    kind = "bug"


def caret_lines(text: str, span: Span) -> list[str]:
    """The line of `text` on which `span` starts, numbered, with carets under the span."""
    start = min(max(span.start, 0), len(text))
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line_end = len(text) if line_end < 0 else line_end
    number = text.count("\n", 0, start) + 1
    width = max(1, min(span.end, line_end) - start)
    prefix = f"line {number}: "
    shown = text[line_start:line_end].replace("\t", " ")
    return [prefix + shown, " " * (len(prefix) + start - line_start) + "^" * width]
