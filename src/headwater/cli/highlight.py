"""Colours for SQL while it is typed: pygments' SQL, with our keywords and Spark's quotes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from pygments.lexers.sql import SqlLexer
from pygments.token import Keyword, Name, String

from headwater.sql.keywords import keywords


class HeadwaterLexer(SqlLexer):
    """SQL in which a backslash escapes inside strings and names stand in backquotes."""

    name = "Headwater SQL"
    aliases: ClassVar[list[str]] = []
    filenames: ClassVar[list[str]] = []
    tokens: ClassVar[dict[str, Any]] = {
        **SqlLexer.tokens,
        "root": [
            (r"'(\\.|[^'\\])*'", String.Single),
            (r'"(\\.|[^"\\])*"', String.Double),
            (r"`(``|[^`])*`", Name),
            (r"\$\$(?s:.*?)(\$\$|\Z)", String),
            *SqlLexer.tokens["root"],
        ],
    }

    def get_tokens_unprocessed(self, text: str, *arguments: Any) -> Iterator[tuple[int, Any, str]]:
        """The tokens, with our own keywords among the names marked as such."""
        known = frozenset(keywords())
        for place, kind, piece in super().get_tokens_unprocessed(text, *arguments):
            yield place, Keyword if kind is Name and piece.upper() in known else kind, piece
