"""The source rows of a MERGE that can do something: those that satisfy the condition of a clause.

Law: a source row for which no WHEN clause holds changes nothing, so leaving it out changes nothing.
Delta refuses two source rows that match one target row even if a clause holds for only one of them,
as with both images of an update in a stream; without the idle ones it does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from headwater.errors import Span
from headwater.names import quote_identifier
from headwater.sql.dialect import Headwater
from headwater.sql.edits import Edit
from headwater.sql.tokens import Token


@dataclass(frozen=True, slots=True)
class MergeParts:
    """Where the source and its alias stand, and the conditions of the clauses that use its rows."""

    source: Span
    alias: str
    behind: int
    """Where the alias ends."""
    conditions: tuple[str | None, ...]
    """One per clause; None for a clause that has none."""


def merge_source_edits(
    text: str, tokens: list[Token], target_columns: Iterable[str]
) -> tuple[Edit, ...]:
    """Edits that keep only the source rows some clause can use; none where that cannot be told."""
    parts = merge_parts(text, tokens)
    if parts is None or not parts.conditions:
        return ()
    taken = {column.lower() for column in target_columns}
    usable = [_of_source(condition, parts.alias, taken) for condition in parts.conditions]
    if any(condition is None for condition in usable):
        return ()
    where = " OR ".join(f"({condition})" for condition in usable)
    alias = quote_identifier(parts.alias)
    return (
        Edit(Span(parts.source.start, parts.source.start), "(SELECT * FROM "),
        Edit(Span(parts.behind, parts.behind), f" WHERE {where}) AS {alias}"),
    )


def merge_parts(text: str, tokens: list[Token]) -> MergeParts | None:
    """The parts of a MERGE; None when its source has no name or it is not written as expected."""
    using = _find(tokens, 0, "USING")
    on = _find(tokens, using, "ON") if using is not None else None
    if using is None or on is None or on <= using + 1:
        return None
    first, last = tokens[using + 1], tokens[on - 1]
    if not last.is_name:
        return None
    whens = [place for place in _top_level(tokens, on) if tokens[place].upper == "WHEN"]
    clauses = [_condition(text, tokens, place) for place in whens]
    conditions = tuple(condition for by_source, condition in clauses if not by_source)
    return MergeParts(Span(first.start, last.end), last.value, last.end, conditions)


def _condition(text: str, tokens: list[Token], when: int) -> tuple[bool, str | None]:
    """Whether a clause is for target rows without a source row, and its condition."""
    then = _find(tokens, when, "THEN")
    end = len(tokens) - 1 if then is None else then
    words = [token.upper for token in tokens[when:end]]
    start = words.index("AND") if "AND" in words else None
    head = words if start is None else words[:start]
    by_source = head[-2:] == ["BY", "SOURCE"]
    if start is None:
        return by_source, None
    return by_source, text[tokens[when + start + 1].start : tokens[end - 1].end]


def _of_source(condition: str | None, alias: str, target_columns: set[str]) -> str | None:
    """What the condition asks of the source row alone; None when it asks nothing of it."""
    if condition is None:
        return None
    try:
        parsed = parse_one(condition, dialect=Headwater)
    except SqlglotError:
        return None
    asked = [
        part.sql(dialect=Headwater)
        for part in (parsed.flatten() if isinstance(parsed, exp.And) else [parsed])
        if _only_source(part, alias, target_columns)
    ]
    return " AND ".join(f"({part})" for part in asked) or None


def _only_source(part: exp.Expr, alias: str, target_columns: set[str]) -> bool:
    if part.find(exp.Subquery, exp.Select) is not None:
        return False
    columns = list(part.find_all(exp.Column))
    return bool(columns) and all(
        column.table.lower() == alias.lower()
        if column.table
        else column.name.lower() not in target_columns
        for column in columns
    )


def _find(tokens: Sequence[Token], start: int, word: str) -> int | None:
    return next((place for place in _top_level(tokens, start) if tokens[place].upper == word), None)


def _top_level(tokens: Sequence[Token], start: int) -> Iterable[int]:
    """The places outside of parentheses and CASE expressions, from `start` on."""
    depth = case = 0
    for place in range(start, len(tokens)):
        token = tokens[place]
        if token.kind == "symbol":
            depth += (token.text == "(") - (token.text == ")")
        case += token.upper == "CASE"
        if depth == 0 and case == 0:
            yield place
        case -= token.upper == "END" and case > 0
