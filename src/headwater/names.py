"""Identifiers: reading them case-insensitively, quoting them safely, suggesting the nearest one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

_SHORT = 3
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def quote_identifier(name: str) -> str:
    """`name` in backquotes, whatever characters it holds."""
    return "`" + name.replace("`", "``") + "`"


def quote_literal(text: str) -> str:
    """`text` as a Spark string literal."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + escaped.replace("\n", "\\n").replace("\r", "\\r") + "'"


def show_identifier(name: str) -> str:
    """`name` as a user would type it: quoted only where it must be."""
    return name if _PLAIN.match(name) else quote_identifier(name)


@dataclass(frozen=True, slots=True)
class ObjectName:
    """A name as typed: one to three parts, lower-cased because names ignore case."""

    name: str
    schema: str | None = None
    workspace: str | None = None

    @classmethod
    def of(cls, *parts: str) -> ObjectName:
        """From its parts in the order of the text: [[workspace,] schema,] name."""
        lowered = [part.lower() for part in parts]
        return cls(*reversed(lowered))

    def __str__(self) -> str:
        parts = (self.workspace, self.schema, self.name)
        return ".".join(show_identifier(part) for part in parts if part is not None)

    def qualified(self, *, workspace: str, schema: str) -> QualifiedName:
        """This name with its missing parts taken from the session."""
        return QualifiedName(self.workspace or workspace, self.schema or schema, self.name)


@dataclass(frozen=True, slots=True)
class QualifiedName:
    """A complete name: workspace, schema and object."""

    workspace: str
    schema: str
    name: str

    def __str__(self) -> str:
        return f"{show_identifier(self.schema)}.{show_identifier(self.name)}"

    @property
    def full(self) -> str:
        """The name with its workspace."""
        return f"{show_identifier(self.workspace)}.{self}"


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural where it must be.

    >>> counted(1, "row"), counted(0, "row")
    ('1 row', '0 rows')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def nearest(word: str, candidates: Iterable[str], *, cutoff: float | None = None) -> str | None:
    """The candidate most like `word`, or None when nothing is close."""
    known = {candidate.lower(): candidate for candidate in candidates}
    # In a short word one wrong letter weighs more.
    least = cutoff or (0.66 if len(word) <= _SHORT else 0.7)
    found = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=least)
    return known[found[0]] if found else None


def did_you_mean(
    word: str, candidates: Iterable[str], *, cutoff: float | None = None
) -> str | None:
    """A hint sentence for a misspelt `word`, or None."""
    best = nearest(word, candidates, cutoff=cutoff)
    return f"did you mean {best}?" if best else None
