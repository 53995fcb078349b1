"""Reading a statement's tokens one by one, with errors that point at the unexpected word."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NoReturn, TypeVar

from headwater.errors import Span, UserError
from headwater.names import ObjectName, did_you_mean
from headwater.sql.tokens import Token, tokenize

T = TypeVar("T")


class Cursor:
    """A position in a statement. Words are compared without regard to case."""

    def __init__(self, text: str, tokens: list[Token] | None = None) -> None:
        self.text = text
        self.tokens = tokenize(text) if tokens is None else tokens
        self.position = 0

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.position]

    def peek(self, ahead: int) -> Token:
        """The token `ahead` places further, or the end."""
        return self.tokens[min(self.position + ahead, len(self.tokens) - 1)]

    @property
    def at_end(self) -> bool:
        """Whether the statement is read to its end."""
        return self.token.kind == "end"

    def advance(self) -> Token:
        """Take the next token."""
        token = self.token
        if token.kind != "end":
            self.position += 1
        return token

    def at(self, *words: str) -> bool:
        """Whether the next words are these."""
        return all(self.peek(i).upper == word for i, word in enumerate(words))

    def accept(self, *words: str) -> bool:
        """Take these words if they come next."""
        if not self.at(*words):
            return False
        self.position += len(words)
        return True

    def expect(self, *words: str) -> None:
        """Take these words, or fail."""
        for word in words:
            if not self.accept(word):
                self.fail_expected(word)

    def at_symbol(self, symbol: str) -> bool:
        """Whether the next token is this symbol."""
        return self.token.kind == "symbol" and self.token.text == symbol

    def accept_symbol(self, symbol: str) -> bool:
        """Take this symbol if it comes next."""
        if not self.at_symbol(symbol):
            return False
        self.position += 1
        return True

    def expect_symbol(self, symbol: str) -> None:
        """Take this symbol, or fail."""
        if not self.accept_symbol(symbol):
            self.fail_expected(f"'{symbol}'")

    def expect_end(self) -> None:
        """Fail if anything is left."""
        if not self.at_end:
            self.fail(f"{self.token.text} is not expected here")

    def one_of(self, words: Iterable[str]) -> str:
        """Take one of these words and give it back in upper case; suggest the nearest otherwise."""
        allowed = list(words)
        if self.token.upper in allowed:
            return self.advance().upper
        self.fail_expected(" or ".join(allowed), hint=did_you_mean(self.token.text, allowed))

    def name(self, what: str = "a name") -> str:
        """Take one identifier, with the case it was typed in."""
        if not self.token.is_name:
            self.fail_expected(what)
        return self.advance().value

    def object_name(self, what: str = "a name") -> ObjectName:
        """Take a name of one to three parts."""
        start = self.token.start
        parts = [self.name(what)]
        while self.accept_symbol("."):
            parts.append(self.name(what))
        if len(parts) > 3:
            self.fail("a name has at most three parts: workspace.schema.name", start=start)
        return ObjectName.of(*parts)

    def string(self, what: str = "a quoted text") -> str:
        """Take a string literal."""
        if self.token.kind != "string":
            self.fail_expected(what)
        return self.advance().value

    def integer(self, what: str = "a whole number") -> int:
        """Take a whole number."""
        if self.token.kind != "number" or not self.token.value.isdigit():
            self.fail_expected(what)
        return int(self.advance().value)

    def comma_list(self, item: Callable[[Cursor], T]) -> tuple[T, ...]:
        """Take `( item, item, ... )` with at least one item."""
        self.expect_symbol("(")
        items = [item(self)]
        while self.accept_symbol(","):
            items.append(item(self))
        self.expect_symbol(")")
        return tuple(items)

    def rest(self) -> tuple[str, Span]:
        """Take everything to the end, as text without the blanks around it."""
        start = self.token.start
        self.position = len(self.tokens) - 1
        text = self.text[start:].rstrip()
        return text, Span(start, start + len(text))

    def skip_parentheses(self) -> None:
        """Take a parenthesised piece whatever it holds; the next token must be its `(`."""
        self.expect_symbol("(")
        depth = 1
        while depth:
            if self.at_end:
                self.fail_expected("')'")
            if self.at_symbol("("):
                depth += 1
            elif self.at_symbol(")"):
                depth -= 1
            self.advance()

    def fail(self, problem: str, *, start: int | None = None, hint: str | None = None) -> NoReturn:
        """Raise a syntax error at the next token, or from `start` up to it."""
        span = self.token.span if start is None else Span(start, max(start + 1, self.token.start))
        raise UserError("SYNTAX_ERROR", problem=problem, span=span, hint=hint)

    def fail_expected(self, what: str, *, hint: str | None = None) -> NoReturn:
        """Raise a syntax error that says what was expected instead of the next token."""
        found = "the statement ends" if self.at_end else f"found {self.token.text}"
        if hint is None and what.isupper() and not self.at_end:
            hint = did_you_mean(self.token.text, [what])
        self.fail(f"expected {what}, {found}", hint=hint)
