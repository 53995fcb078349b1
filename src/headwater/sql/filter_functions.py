"""The functions a filter may call, as Spark defines them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo

from sqlglot import exp

from headwater.errors import Span
from headwater.result import Row
from headwater.sql.filter_nodes import Node, converted, mismatch, strict
from headwater.sql.filter_values import Family, Value, comparable

Compile = Callable[[exp.Expr], Node]


def function_node(
    call: exp.Expr, compile_argument: Compile, *, zone: tzinfo, span: Span
) -> Node | None:
    """The node of a function call, or None when the function is not one of these."""

    def text(argument: exp.Expr) -> Node:
        return converted(compile_argument(argument), Family.STRING, zone)

    match call:
        case exp.Lower():
            return strict(Family.STRING, str.lower, [text(call.this)], span)
        case exp.Upper():
            return strict(Family.STRING, str.upper, [text(call.this)], span)
        case exp.Length():
            return strict(Family.NUMBER, len, [text(call.this)], span)
        case exp.Concat() if not isinstance(call, exp.ConcatWs):
            return strict(Family.STRING, _joined, [text(a) for a in call.expressions], span)
        case exp.DPipe():
            return strict(Family.STRING, _joined, [text(call.left), text(call.right)], span)
        case exp.Trim():
            arguments = [text(call.this)]
            if call.expression:
                arguments.append(text(call.expression))
            return strict(Family.STRING, _trimmer(call.text("position")), arguments, span)
        case exp.Substring():
            numbers = [call.args[name] for name in ("start", "length") if call.args.get(name)]
            places = [converted(compile_argument(n), Family.NUMBER, zone) for n in numbers]
            return strict(Family.STRING, _substring, [text(call.this), *places], span)
        case exp.Coalesce():
            arguments = [compile_argument(a) for a in (call.this, *call.expressions)]
            return _first_known(arguments, zone, span)
    return None


def _joined(*texts: str) -> str:
    return "".join(texts)


def _trimmer(position: str) -> Callable[..., str]:
    trims = {"LEADING": str.lstrip, "TRAILING": str.rstrip}
    trim = trims.get(position.upper(), str.strip)
    # Spark's TRIM takes off blanks only, not tabs or line ends.
    return lambda text, characters=" ": trim(text, characters)


def _substring(text: str, start: int, length: int | None = None) -> str:
    """Counts from 1, or from the end when negative; what lies outside the text is left out."""
    first = int(start) - 1 if start > 0 else (len(text) + int(start) if start < 0 else 0)
    last = len(text) if length is None else first + int(length)
    return text[max(first, 0) : max(last, 0)]


def _first_known(arguments: Sequence[Node], zone: tzinfo, span: Span) -> Node:
    family = Family.NULL
    for argument in arguments:
        common = comparable(family, argument.family)
        if common is None:
            raise mismatch("COALESCE", family, argument.family, span)
        family = common
    nodes = [converted(argument, family, zone) for argument in arguments]

    def evaluate(row: Row) -> Value:
        values = (node.evaluate(row) for node in nodes)
        return next((value for value in values if value is not None), None)

    return Node(family, evaluate, span)
