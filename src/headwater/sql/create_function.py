"""CREATE FUNCTION .. LANGUAGE PYTHON; the body is compiled while it is read, and never run."""

from __future__ import annotations

import keyword
from dataclasses import dataclass, field, replace

from headwater.errors import NotSupported, Span, UserError
from headwater.names import ObjectName, quote_literal, show_identifier
from headwater.sql.cursor import Cursor
from headwater.sql.function_calls import NO_FUNCTIONS
from headwater.sql.python_body import BodyError, compile_body
from headwater.sql.string_literals import DOLLARS
from headwater.sql.tokens import Token
from headwater.sql.types import parse_type

_LIMITED_TEXTS = ("VARCHAR(", "CHAR(")


@dataclass(frozen=True, slots=True)
class FunctionParameter:
    """`name type [COMMENT '..']`; the name is a variable of the body, in the case it was typed."""

    name: str
    type: str
    comment: str | None = None

    def to_sql(self) -> str:
        """The parameter."""
        comment = "" if self.comment is None else f" COMMENT {quote_literal(self.comment)}"
        return f"{show_identifier(self.name)} {self.type}{comment}"


@dataclass(frozen=True, slots=True)
class CreateFunction:
    """CREATE [OR REPLACE] FUNCTION [IF NOT EXISTS] f(a T, ..) RETURNS T LANGUAGE PYTHON AS .."""

    name: ObjectName
    parameters: tuple[FunctionParameter, ...]
    returns: str
    body: str
    deterministic: bool = True
    comment: str | None = None
    or_replace: bool = False
    if_not_exists: bool = False
    name_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        head = "CREATE OR REPLACE FUNCTION " if self.or_replace else "CREATE FUNCTION "
        head += "IF NOT EXISTS " if self.if_not_exists else ""
        lines = [
            f"{head}{self.name}({', '.join(p.to_sql() for p in self.parameters)})",
            f"RETURNS {self.returns}",
            "LANGUAGE PYTHON",
        ]
        if not self.deterministic:
            lines.append("NOT DETERMINISTIC")
        if self.comment is not None:
            lines.append(f"COMMENT {quote_literal(self.comment)}")
        return "\n".join([*lines, f"AS {_quoted_body(self.body)}"])


def _quoted_body(body: str) -> str:
    plain = DOLLARS not in body and not body.endswith("$")
    return f"{DOLLARS}{body}{DOLLARS}" if plain else quote_literal(body)


def parse_create_function(cursor: Cursor) -> CreateFunction:
    """Read the statement; the cursor stands before CREATE. The body is compiled, not run."""
    cursor.expect("CREATE")
    or_replace = cursor.accept("OR", "REPLACE")
    cursor.expect("FUNCTION")
    clause = cursor.token
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    if or_replace and if_not_exists:
        span = Span(clause.start, cursor.peek(-1).end)
        raise UserError("CLAUSES_EXCLUDE", first="OR REPLACE", second="IF NOT EXISTS", span=span)
    name, span = _name(cursor)
    parameters = _parameters(cursor)
    function = CreateFunction(
        name,
        parameters,
        "",
        "",
        or_replace=or_replace,
        if_not_exists=if_not_exists,
        name_span=span,
    )
    return _clauses(cursor, function)


def _name(cursor: Cursor) -> tuple[ObjectName, Span]:
    start = cursor.token.start
    name = cursor.object_name("the function's name")
    span = Span(start, cursor.peek(-1).end)
    if name.name.upper() in NO_FUNCTIONS:
        raise UserError("NAME_RESERVED", name=name.name, span=span)
    return name, span


def _parameters(cursor: Cursor) -> tuple[FunctionParameter, ...]:
    if cursor.at("AS") or cursor.at("USING"):
        # Spark's CREATE FUNCTION f AS 'a.java.Class'
        raise NotSupported("FUNCTION_LANGUAGE", language="Java", span=cursor.token.span)
    cursor.expect_symbol("(")
    found: list[FunctionParameter] = []
    while not cursor.at_symbol(")"):
        found.append(_parameter(cursor, found))
        if not cursor.accept_symbol(","):
            break
    cursor.expect_symbol(")")
    return tuple(found)


def _parameter(cursor: Cursor, before: list[FunctionParameter]) -> FunctionParameter:
    token = cursor.token
    name = cursor.name("a parameter")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise UserError("FUNCTION_PARAMETER_NAME", parameter=name, span=token.span)
    if name.lower() in (parameter.name.lower() for parameter in before):
        raise UserError("FUNCTION_PARAMETER_TWICE", parameter=name, span=token.span)
    parameter = FunctionParameter(name, parse_type(cursor))
    if cursor.at("DEFAULT") or cursor.at_symbol("="):
        raise NotSupported("FUNCTION_DEFAULT", parameter=name, span=cursor.token.span)
    if cursor.accept("COMMENT"):
        parameter = replace(parameter, comment=cursor.string())
    return parameter


def _clauses(cursor: Cursor, function: CreateFunction) -> CreateFunction:
    """The clauses in any order; AS comes last."""
    language = False
    while not cursor.at("AS"):
        if cursor.at_end or cursor.at("RETURN"):
            break
        if cursor.accept("RETURNS"):
            function = replace(function, returns=_returns(cursor))
        elif cursor.accept("LANGUAGE"):
            _language(cursor)
            language = True
        elif cursor.accept("COMMENT"):
            cursor.accept_symbol("=")
            function = replace(function, comment=cursor.string())
        elif cursor.accept("NOT", "DETERMINISTIC"):
            function = replace(function, deterministic=False)
        elif cursor.accept("DETERMINISTIC"):
            function = replace(function, deterministic=True)
        else:
            cursor.one_of(("RETURNS", "LANGUAGE", "COMMENT", "DETERMINISTIC", "AS"))
    if cursor.at("RETURN"):
        raise NotSupported("FUNCTION_LANGUAGE", language="SQL", span=cursor.token.span)
    for clause, there in (
        ("RETURNS", function.returns),
        ("LANGUAGE", language),
        ("AS", cursor.accept("AS")),
    ):
        if not there:
            raise UserError("FUNCTION_CLAUSE_MISSING", clause=clause, span=cursor.token.span)
    token = cursor.token
    body = cursor.string("the body between $$ and $$")
    cursor.expect_end()
    _require_python(function, body, token)
    return replace(function, body=body)


def _language(cursor: Cursor) -> None:
    token = cursor.token
    if cursor.name("PYTHON").upper() != "PYTHON":
        raise NotSupported("FUNCTION_LANGUAGE", language=token.value, span=token.span)


def _returns(cursor: Cursor) -> str:
    start = cursor.token.start
    if cursor.at("TABLE"):
        instead = "return an array, and take it apart with explode(..)"
        span = cursor.token.span
        raise NotSupported("FUNCTION_RETURN_TYPE", type="TABLE", instead=instead, span=span)
    returns = parse_type(cursor)
    if any(limited in returns for limited in _LIMITED_TEXTS):
        span = Span(start, cursor.peek(-1).end)
        instead = "write RETURNS STRING"
        raise NotSupported("FUNCTION_RETURN_TYPE", type=returns, instead=instead, span=span)
    return returns


def _require_python(function: CreateFunction, body: str, token: Token) -> None:
    try:
        compile_body(function.name.name, [p.name for p in function.parameters], body)
    except BodyError as error:
        span = _place(body, token, error)
        line = "" if "\n" not in body.strip() else f" (line {error.line} of the body)"
        raise UserError("FUNCTION_BODY", problem=f"{error.problem}{line}", span=span) from None


def _place(body: str, token: Token, error: BodyError) -> Span:
    """The place of an error in the statement; the whole literal where escapes make it unsure."""
    if not token.text.startswith(DOLLARS):
        return token.span
    lines = body.split("\n")
    line = min(error.line, len(lines))
    line_start = sum(len(text) + 1 for text in lines[: line - 1])
    text = lines[line - 1].rstrip()
    first, last = error.column, max(error.end_column or 0, error.column + 1)
    if first >= len(text):
        # Python points behind the line: show the line.
        first, last = len(text) - len(text.lstrip()), max(len(text), 1)
    start = token.start + len(DOLLARS) + line_start
    return Span(start + first, start + last)
