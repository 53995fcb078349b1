"""Calls of the lake's functions in a text for Spark: each calls a function of its session instead.

A function is registered when a session first calls it, and again when its definition changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headwater.catalog.functions import Function
from headwater.catalog.store import Store
from headwater.errors import HeadwaterError, Span, UserError
from headwater.names import QualifiedName, counted, did_you_mean, quote_identifier
from headwater.sql.edits import Edit, apply_edits
from headwater.sql.function_calls import FunctionCall, find_function_calls
from headwater.sql.tokens import Token
from headwater.statements.context import Context
from headwater.tables.allowed_names import RESERVED_PREFIX
from headwater.tables.find import find_schema


@dataclass(frozen=True, slots=True)
class CalledFunction:
    """A function of the lake and the place where it is called."""

    function: Function
    span: Span


def find_function(store: Store, name: QualifiedName, *, span: Span | None = None) -> Function:
    """The function of that name, or FUNCTION_NOT_FOUND."""
    found = store.functions.get(name.workspace, name.schema, name.name)
    if found is None:
        find_schema(store, name.workspace, name.schema, span=span)
        known = [function.name for function in store.functions.list(name.workspace, name.schema)]
        hint = did_you_mean(name.name, known)
        raise UserError("FUNCTION_NOT_FOUND", name=name, span=span, hint=hint)
    return found


def function_names(context: Context) -> list[str]:
    """The functions that can be called here by their names alone."""
    here = context.workspace or context.session.workspace, context.schema or context.session.schema
    return [function.name for function in context.store.functions.list(*here)]


def place_of_call(called: Sequence[CalledFunction], error: HeadwaterError) -> Span | None:
    """Where the function that an error speaks of is called; None where it is called twice."""
    failed = error.parameters.get("function")
    spans = [call.span for call in called if str(call.function.qualified) == failed]
    return spans[0] if len(spans) == 1 else None


def function_edits(
    context: Context,
    text: str,
    tokens: list[Token],
    *,
    left_alone: Callable[[Span], bool],
    called: list[CalledFunction],
    values: list[str],
) -> list[Edit]:
    """Edits that swap calls of the lake's functions; what stands at `left_alone` is no call.

    The functions that are called are added to `called`, and to `values` the variables of the
    session that hold what was worked out beforehand; no two of a statement may be the same.
    """
    calls = [call for call in find_function_calls(tokens) if not left_alone(call.span)]
    if not calls:
        return []
    functions = context.store.functions.named({context.qualify(call.name) for call in calls})
    swapped: list[tuple[FunctionCall, Function]] = []
    edits: list[Edit] = []
    for call in calls:
        function = functions.get(context.qualify(call.name))
        if function is None or _is_sparks(context, call):
            continue
        swapped.append((call, function))
        called.append(CalledFunction(function, call.span))
        edits += _call_edits(call, function, _registered(context, function), text)
    return _with_values(context, text, swapped, edits, values)


def _with_values(
    context: Context,
    text: str,
    swapped: Sequence[tuple[FunctionCall, Function]],
    edits: list[Edit],
    values: list[str],
) -> list[Edit]:
    """The edits, with calls worked out beforehand where Spark cannot: see `place` of a call."""
    worked_out = Span(0, 0)
    for call, function in swapped:
        span = Span(call.span.start, call.end)
        if span.end <= worked_out.end or not _is_value(call, function):
            continue
        worked_out = span
        inside = [edit for edit in edits if _within(edit.span, span)]
        moved = [Edit(_moved(edit.span, -span.start), edit.text) for edit in inside]
        expression = apply_edits(text[span.start : span.end], moved).text
        name = f"{RESERVED_PREFIX}value_{len(values) + 1}"
        values.append(name)
        context.session.spark().set_variable(name, function.returns, expression)
        edits = [*(edit for edit in edits if edit not in inside), Edit(span, name)]
    return edits


def _is_value(call: FunctionCall, function: Function) -> bool:
    """In VALUES each call has one value; in a command one for all rows, if equal ones are equal."""
    one = call.place == "VALUES" or (call.place == "COMMAND" and function.deterministic)
    return one and call.is_constant and not call.is_item


def _within(span: Span, whole: Span) -> bool:
    return whole.start <= span.start and span.end <= whole.end


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def _is_sparks(context: Context, call: FunctionCall) -> bool:
    """Whether Spark has a function of that name, which comes first as it does in Spark."""
    return call.name.schema is None and context.session.spark().has_function(call.name.name)


def _registered(context: Context, function: Function) -> str:
    """The name under which the session's Spark knows the function."""
    session = context.session
    new = f"{RESERVED_PREFIX}function_{len(session.functions) + 1}"
    name, known = session.functions.get(function.qualified, (new, None))
    if known != function.id:
        session.spark().register_python_function(name, function)
        session.functions[function.qualified] = (name, function.id)
    return name


def _call_edits(call: FunctionCall, function: Function, name: str, text: str) -> list[Edit]:
    """The name is swapped, and every argument cast to the type of its parameter."""
    if len(call.arguments) != len(function.parameters):
        raise UserError(
            "FUNCTION_ARGUMENTS",
            function=function.qualified,
            expected=counted(len(function.parameters), "argument"),
            given=len(call.arguments),
            signature=function.signature,
            span=Span(call.span.start, call.end),
        )
    types = {parameter.name.lower(): parameter for parameter in function.parameters}
    edits = [Edit(call.span, name)]
    for position, argument in enumerate(call.arguments):
        parameter = function.parameters[position]
        if argument.name is not None:
            known = types.get(argument.name.value.lower())
            if known is None:
                raise UserError(
                    "FUNCTION_PARAMETER_UNKNOWN",
                    function=function.qualified,
                    parameter=argument.name.value,
                    signature=function.signature,
                    span=argument.name.span,
                )
            parameter = known
            edits.append(Edit(argument.name.span, quote_identifier(parameter.name)))
        start, end = argument.span.start, argument.span.end
        edits.append(Edit(Span(start, start), "CAST("))
        edits.append(Edit(Span(end, end), f" AS {parameter.type})"))
    if call.is_item:
        shown = text[call.span.start : call.end]
        edits.append(Edit(Span(call.end, call.end), f" AS {quote_identifier(shown)}"))
    return edits
