"""The predicate of IMMUTABLE WHERE: it must mean the same for a row for ever."""

from __future__ import annotations

from headwater.catalog.objects import TableColumn
from headwater.errors import HeadwaterError, Span, UserError
from headwater.names import quote_identifier
from headwater.sql.create_dynamic_table import CreateDynamicTable
from headwater.sql.determinism import find_not_deterministic
from headwater.sql.edits import own_text
from headwater.sql.function_calls import find_function_calls
from headwater.sql.session_configs import find_parameters
from headwater.sql.tokens import tokenize
from headwater.statements.context import Context

_QUERIES = ("SELECT", "EXISTS", "FROM", "VALUES")
_DATES = ("CURRENT_DATE", "CURDATE")


def require_immutable(
    context: Context, statement: CreateDynamicTable, columns: tuple[TableColumn, ...]
) -> None:
    """Refuse a predicate that is none, or that a row may fulfil today and not tomorrow."""
    text, place = statement.immutable_where, statement.immutable_span
    if text is None:
        return
    start = place.start if place is not None else 0
    problem = _problem(context, text, columns)
    if problem is not None:
        reason, inner = problem
        span = place if inner is None else Span(inner.start + start, inner.end + start)
        raise UserError("IMMUTABLE_WHERE", reason=reason, span=span)


def _problem(
    context: Context, text: str, columns: tuple[TableColumn, ...]
) -> tuple[str, Span | None] | None:
    tokens = tokenize(text)
    for token in tokens:
        if token.upper in _QUERIES:
            return "it may read nothing but the columns of the table", token.span
        if token.upper in _DATES:
            return f"{token.text} is another one each day", token.span
    changing = find_not_deterministic(tokens, columns=[column.name for column in columns])
    if changing is not None:
        return f"{changing.text} gives another value each time", changing.span
    for parameter in find_parameters(tokens):
        return "a parameter has another value in another session", parameter.span
    calls = find_function_calls(tokens)
    named = context.store.functions.named({context.qualify(call.name) for call in calls})
    for call in calls:
        if context.qualify(call.name) in named:
            return f"{call.name} is a function of the lake, which may be replaced", call.span
    return _problem_of_type(context, text, columns)


def _problem_of_type(
    context: Context, text: str, columns: tuple[TableColumn, ...]
) -> tuple[str, Span | None] | None:
    """What Spark says of the predicate over a row of the table's columns."""
    nulls = ", ".join(
        f"CAST(NULL AS {column.type}) AS {quote_identifier(column.name)}" for column in columns
    )
    asked = own_text(f"SELECT ({text}\n) AS p FROM (SELECT {nulls})")  # noqa: S608 - never run
    try:
        with context.session.lock:
            found = context.session.spark().columns_of(asked)
    except HeadwaterError as error:
        return str(error.message), None
    kind = found[0].type
    return None if kind == "boolean" else (f"it is {kind}, not boolean", None)
