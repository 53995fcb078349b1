"""The arguments of a table function, cut apart; what each of them may be is the function's own."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.sql.tokens import Token


def split_arguments(tokens: Sequence[Token]) -> list[list[Token]]:
    """Cut at the commas outside parentheses; no tokens are no arguments."""
    pieces: list[list[Token]] = [[]] if tokens else []
    depth = 0
    for token in tokens:
        is_symbol = token.kind == "symbol"
        depth += (is_symbol and token.text in "([") - (is_symbol and token.text in ")]")
        if is_symbol and token.text == "," and depth == 0:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return pieces
