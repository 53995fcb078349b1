"""Where in a text stands the word that an error speaks of."""

from __future__ import annotations

from collections.abc import Iterable

from headwater.errors import Span, UserError
from headwater.sql.tokens import tokenize


def place_named(text: str, values: Iterable[object]) -> Span | None:
    """The place of the first of `values` that stands in `text` exactly once; None if none does.

    An error names what is wrong; when the text holds that name once, this is where to point.
    """
    try:
        tokens = tokenize(text)
    except UserError:
        return None
    for value in values:
        wanted = str(value)
        exact = [token for token in tokens if wanted and token.value == wanted]
        alike = [token for token in tokens if wanted and token.value.lower() == wanted.lower()]
        for found in (exact, alike):
            if len(found) == 1:
                return found[0].span
    return None
