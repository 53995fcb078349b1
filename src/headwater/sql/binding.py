"""DB-API parameters written into a statement as literals, at the places of its markers.

Invariant: every marker becomes exactly one literal, whatever the value holds; a `?` inside a string
or comment is no marker, because places come from the tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headwater.errors import Span, UserError
from headwater.names import did_you_mean
from headwater.sql.edits import Edit, apply_edits
from headwater.sql.literals import literal
from headwater.sql.tokens import Token, tokenize

Parameters = Sequence[object] | Mapping[str, object]

_AFTER_EXPRESSION = frozenset(")]}:")


@dataclass(frozen=True, slots=True)
class _Marker:
    span: Span
    name: str
    """Empty for `?`."""


def bind(text: str, parameters: Parameters) -> str:
    """`text` with its `?` (a sequence) or `:name` (a mapping) markers replaced by the values."""
    if isinstance(parameters, str | bytes):
        kind = type(parameters).__name__
        raise UserError(
            "PARAMETER_TYPE", name="list", problem=f"it is a {kind}", hint="put it in a list"
        )
    markers = _markers(tokenize(text), parameters)
    return _bound(text, markers, parameters, range(len(text)))


def bind_rows(text: str, rows: Iterable[Parameters]) -> str | None:
    """One statement for all rows when `text` is `INSERT .. VALUES (<markers>)`, otherwise None.

    None too where one VALUES list would change the meaning: OVERWRITE, no rows at all, and columns
    whose values differ in type from row to row (Spark would look for a common type).
    """
    given = list(rows)
    tokens = tokenize(text)
    place = _single_tuple(tokens)
    if not given or place is None:
        return None
    markers = [_markers(tokens, parameters) for parameters in given]
    found = [marker for row in markers for marker in row]
    if any(m.span.start < place.start or m.span.end > place.end for m in found):
        return None
    tuples = []
    kinds: list[tuple[type, ...]] = []
    for parameters, of_row in zip(given, markers, strict=True):
        tuples.append(_bound(text, of_row, parameters, range(place.start, place.end)))
        kinds.append(tuple(type(_value(of_row, i, parameters)) for i in range(len(of_row))))
    if not _is_uniform(kinds):
        return None
    return text[: place.start] + ", ".join(tuples) + text[place.end :]


def _is_uniform(kinds: list[tuple[type, ...]]) -> bool:
    if len({len(row) for row in kinds}) > 1:
        return False
    return all(len({*column} - {type(None)}) <= 1 for column in zip(*kinds, strict=True))


def _markers(tokens: Sequence[Token], parameters: Parameters) -> list[_Marker]:
    if not isinstance(parameters, Mapping):
        return [_Marker(token.span, "") for token in tokens if token.kind == "parameter"]
    markers = []
    for place, token in enumerate(tokens[:-1]):
        name = tokens[place + 1]
        if token.text == ":" and name.kind == "word" and name.start == token.end:
            before = tokens[place - 1] if place else None
            if before is None or not _is_path(before, token):
                markers.append(_Marker(Span(token.start, name.end), name.text))
    return markers


def _is_path(before: Token, colon: Token) -> bool:
    """`a:b` reads a field of a variant, and `x[1:n]` is a slice: no marker."""
    if before.end < colon.start:
        return False
    return before.kind != "symbol" or before.text in _AFTER_EXPRESSION


def _bound(text: str, markers: Sequence[_Marker], parameters: Parameters, within: range) -> str:
    if not isinstance(parameters, Mapping) and len(parameters) != len(markers):
        raise UserError("PARAMETER_COUNT", markers=len(markers), given=len(parameters))
    edits = []
    for place, marker in enumerate(markers):
        name = f":{marker.name}" if marker.name else f"number {place + 1}"
        written = literal(_value(markers, place, parameters), name=name)
        edits.append(Edit(marker.span, _apart(text, marker.span, written)))
    shift = within.start
    moved = [Edit(Span(e.span.start - shift, e.span.end - shift), e.text) for e in edits]
    return apply_edits(text[within.start : within.stop], moved).text


def _value(markers: Sequence[_Marker], place: int, parameters: Parameters) -> object:
    if not isinstance(parameters, Mapping):
        return parameters[place]
    name = markers[place].name
    if name not in parameters:
        hint = did_you_mean(name, map(str, parameters))
        raise UserError("PARAMETER_MISSING", name=name, span=markers[place].span, hint=hint)
    return parameters[name]


def _apart(text: str, span: Span, written: str) -> str:
    """The literal, with blanks where it would run into a neighbour: `LIMIT?`, `'a'?`."""
    before = text[span.start - 1 : span.start]
    after = text[span.end : span.end + 1]
    return (" " if _sticks(before) else "") + written + (" " if _sticks(after) else "")


def _sticks(neighbour: str) -> bool:
    return bool(neighbour) and (neighbour.isalnum() or neighbour in "_$'\"`?:.")


def _single_tuple(tokens: Sequence[Token]) -> Span | None:
    """The place of `(..)` in `INSERT INTO .. VALUES (..)`, when it is the last thing there."""
    if tokens[0].upper != "INSERT" or tokens[1].upper == "OVERWRITE":
        return None
    place = next((i for i, token in enumerate(tokens) if token.upper == "VALUES"), len(tokens) - 1)
    if place + 1 >= len(tokens) or tokens[place + 1].text != "(":
        return None
    depth = 0
    for last, token in enumerate(tokens[place + 1 :], place + 1):
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0:
            rest = [t for t in tokens[last + 1 :] if t.kind != "end" and t.text != ";"]
            return None if rest else Span(tokens[place + 1].start, token.end)
    return None
