"""`SESSION_CONFIGS()['dt.args.x']`: a parameter of a query, which the session gives by SET.

Law: once parameters are put in, the text says by itself what it gives: they are texts in quotes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headwater.errors import Span, UserError
from headwater.names import quote_literal
from headwater.sql.edits import Edit, EditedText, apply_edits
from headwater.sql.tokens import Token, tokenize

PREFIX = "dt.args."
_FUNCTION = "SESSION_CONFIGS"
_UNSET = "CAST(NULL AS STRING)"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One mention of a parameter: its key, and the place of the whole expression."""

    key: str
    span: Span


def find_parameters(tokens: list[Token]) -> tuple[Parameter, ...]:
    """Every mention of a parameter, in the order of the text."""
    return tuple(
        _parameter(tokens, place)
        for place, token in enumerate(tokens)
        if token.upper == _FUNCTION and _is_call(tokens, place)
    )


def parameter_keys(*texts: str) -> tuple[str, ...]:
    """The parameters that texts read, each once."""
    found = (parameter.key for text in texts for parameter in find_parameters(tokenize(text)))
    return tuple(dict.fromkeys(found))


def parameter_edits(tokens: list[Token], values: Mapping[str, str]) -> list[Edit]:
    """Each parameter as the text it stands for; one that is not set is NULL."""
    return [
        Edit(found.span, quote_literal(values[found.key]) if found.key in values else _UNSET)
        for found in find_parameters(tokens)
    ]


def with_parameters(text: str, values: Mapping[str, str]) -> EditedText:
    """A query with its parameters put in."""
    return apply_edits(text, parameter_edits(tokenize(text), values))


def given_parameters(settings: Mapping[str, str]) -> dict[str, str]:
    """The parameters among the settings of a session."""
    return {key: value for key, value in settings.items() if key.startswith(PREFIX)}


def _is_call(tokens: list[Token], place: int) -> bool:
    before = tokens[place - 1].text if place else ""
    return before != "." and tokens[place + 1].text == "("


def _parameter(tokens: list[Token], place: int) -> Parameter:
    start, texts = tokens[place].start, [token.text for token in tokens[place + 1 : place + 6]]
    named = len(texts) == 5 and tokens[place + 4].kind == "string"
    if not named or texts[:3] != ["(", ")", "["] or texts[4] != "]":
        end = next((t.end for t in tokens[place:] if t.text == ")"), tokens[place].end)
        raise UserError("SESSION_CONFIGS_KEY", span=Span(start, end))
    key = tokens[place + 4]
    if not key.value.startswith(PREFIX) or key.value == PREFIX:
        raise UserError("PARAMETER_NAME", key=key.value, span=key.span)
    return Parameter(key.value, Span(start, tokens[place + 5].end))
