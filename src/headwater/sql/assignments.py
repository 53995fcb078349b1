"""`name = value` inside clauses: OPTIONS(..), FILE_FORMAT = (..), DIRECTORY = (..) and others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from headwater.errors import Span, UserError, ValueRejected
from headwater.names import did_you_mean
from headwater.sql.cursor import Cursor


@dataclass(frozen=True, slots=True)
class Assignment:
    """One `name = value`; the name has the case it was typed in, the value is decoded."""

    name: str
    value: str
    name_span: Span
    value_span: Span

    def boolean(self) -> bool:
        """The value as TRUE or FALSE, with or without quotes."""
        if self.value.lower() not in ("true", "false"):
            raise self.rejected("TRUE or FALSE")
        return self.value.lower() == "true"

    def rejected(self, expected: str) -> ValueRejected:
        """The error that the value is not what it must be."""
        span = self.value_span
        return ValueRejected(
            "OPTION_VALUE", name=self.name, value=self.value, expected=expected, span=span
        )


def parse_assignment(cursor: Cursor) -> Assignment:
    """Take `name = value`; the name may be quoted, the value may be unquoted."""
    token = cursor.token
    name = cursor.string() if token.kind == "string" else cursor.name("the name of an option")
    cursor.expect_symbol("=")
    start = cursor.token.start
    value = _value(cursor)
    end = cursor.tokens[cursor.position - 1].end
    return Assignment(name, value, token.span, Span(start, end))


def _value(cursor: Cursor) -> str:
    if cursor.token.kind == "string":
        return cursor.string()
    start = cursor.token.start
    if cursor.token.kind not in ("word", "number") and not cursor.at_symbol("-"):
        cursor.fail_expected("a value")
    end = cursor.advance().end
    # `none-unsafe` and `-1` arrive in pieces.
    while cursor.token.start == end and (
        cursor.token.kind in ("word", "number") or cursor.at_symbol("-")
    ):
        end = cursor.advance().end
    return cursor.text[start:end]


def parse_assignments(cursor: Cursor) -> tuple[Assignment, ...]:
    """Take `( name = value ... )`; commas between them may be left out, none may stand twice."""
    cursor.expect_symbol("(")
    found: list[Assignment] = []
    while not cursor.accept_symbol(")"):
        if found:
            cursor.accept_symbol(",")
        found.append(parse_assignment(cursor))
    require_once(found)
    return tuple(found)


def require_once(assignments: Iterable[Assignment]) -> None:
    """Refuse a name that stands twice."""
    seen: set[str] = set()
    for assignment in assignments:
        if assignment.name.lower() in seen:
            problem = f"{assignment.name} stands here twice"
            raise UserError("SYNTAX_ERROR", problem=problem, span=assignment.name_span)
        seen.add(assignment.name.lower())


def unknown_option(assignment: Assignment, *, owner: str, known: Iterable[str]) -> UserError:
    """The error that `owner` has no such option, with the nearest one or all of them."""
    names = list(known)
    all_names = f"it has {', '.join(names)}" if names else "it has none"
    hint = did_you_mean(assignment.name, names) or all_names
    return UserError(
        "OPTION_UNKNOWN", owner=owner, name=assignment.name, span=assignment.name_span, hint=hint
    )
