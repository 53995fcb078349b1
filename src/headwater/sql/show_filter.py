"""The tail that SHOW statements share: [LIKE '<pattern>' | WHERE <expression>] [LIMIT n]."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import Span, UserError
from headwater.names import quote_literal
from headwater.sql.cursor import Cursor


@dataclass(frozen=True, slots=True)
class ShowFilter:
    """`where` is the expression as typed; `where_start` is its place in the statement."""

    like: str | None = None
    where: str | None = None
    where_start: int = 0
    limit: int | None = None

    def to_sql(self) -> str:
        """The tail, with a blank before it when there is one."""
        text = f" LIKE {quote_literal(self.like)}" if self.like is not None else ""
        if self.where is not None:
            text += f" WHERE {self.where}"
        return text + (f" LIMIT {self.limit}" if self.limit is not None else "")


NO_FILTER = ShowFilter()


def parse_show_filter(cursor: Cursor) -> ShowFilter:
    """Read the tail up to the end of the statement."""
    like: str | None = None
    where: str | None = None
    where_start = 0
    if cursor.accept("LIKE") or cursor.token.kind == "string":
        like = cursor.string("a pattern")
    if cursor.at("WHERE"):
        if like is not None:
            raise UserError("CLAUSES_EXCLUDE", first="LIKE", second="WHERE", span=cursor.token.span)
        cursor.advance()
        where, where_start = _expression(cursor)
    limit = cursor.integer("a number of rows") if cursor.accept("LIMIT") else None
    cursor.expect_end()
    return ShowFilter(like, where, where_start, limit)


def _expression(cursor: Cursor) -> tuple[str, int]:
    """Everything up to a LIMIT outside parentheses, or the end."""
    start = cursor.token.start
    if cursor.at_end:
        cursor.fail_expected("a condition")
    depth = 0
    while not cursor.at_end and not (depth == 0 and cursor.at("LIMIT")):
        depth += cursor.at_symbol("(") - cursor.at_symbol(")")
        cursor.advance()
    end = cursor.tokens[cursor.position - 1].end
    span = Span(start, max(start, end))
    return cursor.text[span.start : span.end], start
