"""CREATE PIPE p <property> = <value> .. AS <statement>: what loads by itself from then on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from headwater.errors import NotSupported, Span
from headwater.names import ObjectName, quote_literal
from headwater.sql.assignments import Assignment, parse_assignment
from headwater.sql.cursor import Cursor
from headwater.sql.pipe_body import PipeSource, PipeStatement, pipe_body
from headwater.sql.pipe_fitting import require_fitting
from headwater.sql.pipe_properties import PipeProperties, assigned_properties

_STARTS_BODY = ("COPY", "INSERT", "MERGE", "SELECT")


@dataclass(frozen=True, slots=True)
class CreatePipe:
    """CREATE PIPE [IF NOT EXISTS] p .. AS ..; `body` is the text behind AS as typed.

    Places inside `statement` and `source` are places in `body`. The body may hold a password of
    Kafka's: neither it nor `to_sql()` is shown but through `masking.mask`.
    """

    name: ObjectName
    properties: PipeProperties
    body: str = field(repr=False)
    statement: PipeStatement = field(repr=False)
    source: PipeSource
    comment: str | None = None
    if_not_exists: bool = False
    name_span: Span | None = field(default=None, compare=False)
    body_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling, the properties and the body as given."""
        guard = "IF NOT EXISTS " if self.if_not_exists else ""
        lines = [f"CREATE PIPE {guard}{self.name}", self.properties.to_sql()]
        if self.comment is not None:
            lines.append(f"COMMENT {quote_literal(self.comment)}")
        return "\n".join([*lines, f"AS {self.body}"])


def parse_create_pipe(cursor: Cursor) -> CreatePipe:
    """Read the statement; the cursor stands before CREATE. Properties come in any order."""
    cursor.expect("CREATE", "PIPE")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    start = cursor.token.start
    name = cursor.object_name("the pipe's name")
    name_span = Span(start, cursor.tokens[cursor.position - 1].end)
    given, comment = _clauses(cursor)
    as_span = cursor.token.span
    cursor.expect("AS")
    if cursor.at_end:
        cursor.fail_expected("COPY INTO, INSERT INTO or MERGE INTO")
    properties = assigned_properties(given, span=as_span)
    text, body_span = _body(cursor)
    body = pipe_body(text, start=body_span.start)
    require_fitting(properties, body, span=as_span)
    return CreatePipe(
        name,
        properties,
        text,
        body.statement,
        body.source,
        comment,
        if_not_exists,
        name_span,
        body_span,
    )


def parse_replace_pipe(cursor: Cursor) -> NoReturn:
    """CREATE OR REPLACE PIPE: there is none; say what to do instead."""
    raise NotSupported("PIPE_REPLACED", span=cursor.peek(1).span)


def _clauses(cursor: Cursor) -> tuple[list[Assignment], str | None]:
    given: list[Assignment] = []
    comment: str | None = None
    while not cursor.at_end and not cursor.at("AS"):
        cursor.accept_symbol(",")
        if cursor.token.upper in ("COMMENT", "COMMENTS"):
            if comment is not None:
                cursor.fail("COMMENT stands here twice")
            cursor.advance()
            cursor.accept_symbol("=")
            comment = cursor.string()
        elif cursor.token.upper in _STARTS_BODY:
            cursor.fail_expected("AS")
        else:
            given.append(parse_assignment(cursor))
    return given, comment


def _body(cursor: Cursor) -> tuple[str, Span]:
    text, span = cursor.rest()
    last = cursor.tokens[-2]
    if last.kind == "symbol" and last.text == ";":
        text = cursor.text[span.start : last.start].rstrip()
    return text, Span(span.start, span.start + len(text))
