"""The columns a MERGE writes: those it names, and the list it may leave out but Spark demands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headwater.errors import Span
from headwater.names import quote_identifier
from headwater.sql.edits import Edit
from headwater.sql.tokens import Token


def merge_column_edits(tokens: list[Token], columns: Sequence[str]) -> list[Edit]:
    """Edits that write the target's columns, in order, where a MERGE inserts without a list."""
    names = ", ".join(quote_identifier(column) for column in columns)
    return [
        Edit(Span(token.end, token.end), f" ({names})")
        for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if (before.upper, token.upper, after.upper) == ("THEN", "INSERT", "VALUES")
    ]


def written_columns(tokens: list[Token]) -> list[Token]:
    """The names of the columns that UPDATE SET and INSERT (..) of a MERGE write, as they stand."""
    found: list[Token] = []
    for place, token in enumerate(tokens[:-1]):
        after = tokens[place + 1]
        if (token.upper, after.upper) == ("UPDATE", "SET") and tokens[place + 2].text != "*":
            found += _assigned(tokens, place + 2)
        elif token.upper == "INSERT" and after.text == "(" and tokens[place - 1].upper == "THEN":
            end = next(i for i in range(place, len(tokens)) if tokens[i].text == ")")
            found += [t for t in tokens[place + 2 : end] if t.is_name]
    return found


def _assigned(tokens: list[Token], place: int) -> Iterator[Token]:
    """The last part of each name before an equals sign, up to the next WHEN clause.

    Names of a field inside a column (`c.f = ..`) cannot be told from `t.c = ..`: left out.
    """
    depth, case, expects = 0, 0, True
    while place < len(tokens) - 1:
        token = tokens[place]
        depth += (token.text in "([") - (token.text in ")]") if token.kind == "symbol" else 0
        case += (token.upper == "CASE") - (token.upper == "END")
        if depth == 0 and case == 0 and token.upper == "WHEN":
            return
        if expects and token.is_name and tokens[place + 1].text == "=":
            if tokens[place - 1].text != ".":
                yield token
            expects = False
        if depth == 0 and token.text == "," and token.kind == "symbol":
            expects = True
        place += 1
