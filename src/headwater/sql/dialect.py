"""Headwater's SQL as a sqlglot dialect: Spark's, subclassed, never patched.

Statements are read word by word from `tokens.py`; this dialect parses the expressions and queries
inside them where their structure matters.
"""

from __future__ import annotations

from sqlglot.dialects.spark import Spark


class Headwater(Spark):
    """Spark SQL; a superset grows here as relations and functions of ours need parsing."""

    class Tokenizer(Spark.Tokenizer):
        """Spark's, but SHOW and its like are ordinary words instead of opaque commands."""

        COMMANDS = set()  # noqa: RUF012 - sqlglot reads a plain class attribute
        # A doubled quote is one quote, since Spark 4; sqlglot reads it as two strings.
        STRING_ESCAPES = ["'", '"', "\\"]  # noqa: RUF012
        # Code of another language, taken as it is.
        RAW_STRINGS = [*Spark.Tokenizer.RAW_STRINGS, ("$$", "$$")]  # noqa: RUF012


class Words(Headwater.Tokenizer):
    """The tokenizer for statements: keywords of several words come apart into single words."""

    KEYWORDS = {  # noqa: RUF012 - sqlglot reads a plain class attribute
        keyword: kind
        for keyword, kind in Headwater.Tokenizer.KEYWORDS.items()
        if " " not in keyword
    }
