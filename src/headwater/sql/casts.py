"""`CAST(x AS VARCHAR)`: the documents leave out the length that Spark demands."""

from __future__ import annotations

from headwater.sql.edits import Edit
from headwater.sql.tokens import Token

_NAMES = {"VARCHAR": "STRING", "CHAR": "STRING", "JSON": "VARIANT"}
_CASTS = ("CAST", "TRY_CAST", "SAFE_CAST")


def cast_edits(tokens: list[Token]) -> list[Edit]:
    """Edits that give Spark's name to types it does not know in casts."""
    edits: list[Edit] = []
    for place, token in enumerate(tokens[1:-1], start=1):
        wanted = _NAMES.get(token.upper)
        if wanted is None or tokens[place + 1].text == "(":
            continue
        before = tokens[place - 1]
        in_cast = (
            before.upper == "AS" and tokens[place + 1].text == ")" and _inside_cast(tokens, place)
        )
        if in_cast or before.text in ("::", "?::"):
            edits.append(Edit(token.span, wanted))
    return edits


def _inside_cast(tokens: list[Token], place: int) -> bool:
    """Whether the parenthesis around `place` was opened by a cast."""
    depth = 0
    for i in range(place, 0, -1):
        if tokens[i].text == ")" and tokens[i].kind == "symbol":
            depth += 1
        elif tokens[i].text == "(" and tokens[i].kind == "symbol":
            if depth == 0:
                return tokens[i - 1].upper in _CASTS
            depth -= 1
    return False
