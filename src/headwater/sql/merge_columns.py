"""`WHEN NOT MATCHED .. THEN INSERT VALUES (..)`: users leave out the column list Spark demands."""

from __future__ import annotations

from collections.abc import Sequence

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
