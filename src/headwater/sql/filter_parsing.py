"""Text of a condition to sqlglot's tree, with places and problems in the words of the user."""

from __future__ import annotations

from sqlglot import exp, parse_one
from sqlglot.errors import ParseError, TokenError

from headwater.errors import Span, UserError
from headwater.sql.dialect import Headwater
from headwater.sql.string_literals import decode_string

_SYMBOLS: dict[type[exp.Expr], str] = {
    exp.Mul: "*",
    exp.Div: "/",
    exp.IntDiv: "DIV",
    exp.Mod: "%",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
    exp.Bracket: "[..]",
    exp.Case: "CASE",
    exp.If: "IF",
    exp.Star: "*",
    exp.Any: "ANY",
    exp.All: "ALL",
    exp.Lambda: "a lambda",
    exp.Parameter: "a parameter",
    exp.Placeholder: "a parameter",
    exp.Exists: "a subquery",
}

# Parts of nodes that change their meaning and that no filter knows of.
_UNKNOWN_PARTS = (
    "symmetric",
    "flag",
    "full_match",
    "format",
    "action",
    "default",
    "collation",
    "zero_start",
    "binary",
    "encoding",
    "join_mark",
    "field",
    "unnest",
)


def parse_condition(text: str, offset: int) -> exp.Expr:
    """The tree of the expression after WHERE."""
    try:
        return parse_one(text, into=exp.Condition, dialect=Headwater)
    except ParseError as error:
        raise _syntax_error(text, error, offset) from None
    except TokenError:
        span = Span(offset, offset + len(text))
        raise UserError("FILTER_SYNTAX", problem="a quote is not closed", span=span) from None


def _syntax_error(text: str, error: ParseError, offset: int) -> UserError:
    if not error.errors:
        return UserError("FILTER_SYNTAX", problem="it is empty", span=Span(offset, offset))
    first = error.errors[0]
    word = str(first["highlight"] or "")
    before = text.split("\n")[: int(first["line"] or 1) - 1]
    end = sum(len(line) + 1 for line in before) + int(first["col"] or 0)
    description = str(first["description"])
    if "Unexpected token" in description:
        problem = f"'{word}' is not expected here"
    elif description.startswith("Required"):
        problem = f"something is missing after '{word}'"
    else:
        problem = f"{description.lower()} after '{word}'"
    return UserError(
        "FILTER_SYNTAX", problem=problem, span=Span(offset + end - len(word), offset + end)
    )


def place_of(e: exp.Expr, text: str, offset: int) -> Span:
    """The place of an expression, as far as sqlglot kept the places of its words."""
    places = [node.meta for node in e.walk() if "start" in node.meta]
    if not places:
        return Span(offset, offset + len(text))
    start = min(int(place["start"]) for place in places)
    end = max(int(place["end"]) for place in places)
    return Span(offset + start, offset + end + 1)


def string_value(e: exp.Literal, text: str) -> str:
    """The text of a string literal by Spark's rules, which are not quite sqlglot's."""
    if "start" not in e.meta:
        return e.name
    typed = text[int(e.meta["start"]) : int(e.meta["end"]) + 1]
    return decode_string(typed) if typed.endswith(("'", '"')) else e.name


def unknown_part(e: exp.Expr) -> str | None:
    """A part of this expression that would be ignored, such as the flags of regexp_like."""
    return next((part for part in _UNKNOWN_PARTS if e.args.get(part)), None)


def construct_name(e: exp.Expr) -> str:
    """What to call an expression in an error."""
    if isinstance(e, exp.Query | exp.Subquery):
        return "a subquery"
    if type(e) in _SYMBOLS:
        return _SYMBOLS[type(e)]
    if isinstance(e, exp.Anonymous):
        return f"the function {e.name.lower()}"
    if isinstance(e, exp.Func):
        return f"the function {e.sql_name().lower()}"
    return e.key.upper()
