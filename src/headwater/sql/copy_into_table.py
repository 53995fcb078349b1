"""COPY INTO <table> and COPY OVERWRITE <table>: from a volume, or from a query over volumes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from headwater.errors import Span, UserError
from headwater.names import ObjectName, quote_identifier
from headwater.sql.assignments import Assignment, parse_assignment, require_once, unknown_option
from headwater.sql.cursor import Cursor
from headwater.sql.volume_refs import at_volume_ref
from headwater.sql.volume_relation import (
    VolumeRelation,
    at_clause,
    parse_volume_relation,
    too_late,
)

_OPTIONS = ("PURGE", "ON_ERROR")
_CLAUSES_OF_QUERIES = frozenset(
    "WHERE JOIN INNER LEFT RIGHT FULL CROSS NATURAL GROUP HAVING ORDER LIMIT UNION LATERAL".split()
)
_STARTS_QUERY = ("SELECT", "WITH", "FROM", "VALUES", "TABLE")


class OnError(StrEnum):
    """What a file that cannot be read does to the others."""

    CONTINUE = "CONTINUE"
    ABORT = "ABORT"


@dataclass(frozen=True, slots=True)
class CopyIntoTable:
    """COPY {INTO | OVERWRITE} t [(cols)] [PARTITION (..)] FROM .. [PURGE = ..] [ON_ERROR = ..].

    Either `source` or `query` is there. `query` is the text inside the parentheses and `query_span`
    its place; `partition` has the values as typed. Without ON_ERROR there is no result per file.
    """

    target: ObjectName
    source: VolumeRelation | None = None
    query: str | None = None
    query_span: Span | None = field(default=None, compare=False)
    overwrite: bool = False
    columns: tuple[str, ...] = ()
    partition: tuple[tuple[str, str], ...] = ()
    alias: str | None = None
    purge: bool = False
    on_error: OnError | None = None
    target_span: Span | None = field(default=None, compare=False)
    source_span: Span | None = field(default=None, compare=False)
    partition_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        parts = [f"COPY {'OVERWRITE' if self.overwrite else 'INTO'} TABLE {self.target}"]
        if self.columns:
            parts.append(f"({', '.join(quote_identifier(name) for name in self.columns)})")
        if self.partition:
            pairs = (f"{quote_identifier(name)} = {value}" for name, value in self.partition)
            parts.append(f"PARTITION ({', '.join(pairs)})")
        # A comment at the end of the query must not swallow the parenthesis.
        source = self.source.to_sql() if self.source is not None else f"({self.query}\n)"
        parts.append(f"FROM {source}")
        if self.alias is not None:
            parts.append(f"AS {quote_identifier(self.alias)}")
        if self.purge:
            parts.append("PURGE = TRUE")
        if self.on_error is not None:
            parts.append(f"ON_ERROR = {self.on_error}")
        return " ".join(parts)


def parse_copy_into_table(cursor: Cursor, *, overwrite: bool) -> CopyIntoTable:
    """Read the statement; the cursor stands behind COPY INTO or COPY OVERWRITE."""
    if cursor.at("TABLE") and cursor.peek(1).is_name and cursor.peek(1).upper != "FROM":
        cursor.advance()
    start = cursor.token.start
    target = cursor.object_name("the table's name")
    target_span = Span(start, cursor.tokens[cursor.position - 1].end)
    columns = cursor.comma_list(_column) if cursor.at_symbol("(") else ()
    partition_span = cursor.token.span
    partition = cursor.comma_list(_partition) if cursor.accept("PARTITION") else ()
    cursor.expect("FROM")
    source_start = cursor.token.start
    source, query, query_span, alias = _source(cursor)
    source_span = Span(source_start, cursor.tokens[cursor.position - 1].end)
    purge, on_error = _options(cursor)
    return CopyIntoTable(
        target,
        source,
        query,
        query_span,
        overwrite,
        columns,
        partition,
        alias,
        purge,
        on_error,
        target_span,
        source_span,
        partition_span if partition else None,
    )


def _column(cursor: Cursor) -> str:
    return cursor.name("a column name")


def _partition(cursor: Cursor) -> tuple[str, str]:
    name = cursor.name("a partition column")
    cursor.expect_symbol("=")
    start = cursor.token.start
    depth = 0
    while not cursor.at_end:
        if depth == 0 and (cursor.at_symbol(",") or cursor.at_symbol(")")):
            break
        depth += cursor.at_symbol("(") - cursor.at_symbol(")")
        cursor.advance()
    value = cursor.text[start : cursor.tokens[cursor.position - 1].end]
    if cursor.at_end or not value:
        cursor.fail_expected("a value")
    return name, value


_Source = tuple[VolumeRelation | None, str | None, Span | None, str | None]


def _source(cursor: Cursor) -> _Source:
    if at_volume_ref(cursor):
        relation = parse_volume_relation(cursor)
        return relation, None, None, _alias(cursor)
    if cursor.at_symbol("("):
        query, span = parse_query_in_parentheses(cursor)
        return None, query, span, _alias(cursor)
    if cursor.at_end:
        cursor.fail_expected("a volume or a query in parentheses")
    token = cursor.token
    hint = None
    if token.is_name:
        hint = "a table is read by INSERT INTO <table> SELECT .. FROM <table>"
    raise UserError("COPY_SOURCE", source=token.text, span=token.span, hint=hint)


def parse_query_in_parentheses(cursor: Cursor) -> tuple[str, Span]:
    """Take `( <query> )`; what comes back is the query as typed, and its place."""
    opening = cursor.position
    inner = cursor.peek(1)
    starts = inner.upper in _STARTS_QUERY or (inner.kind == "symbol" and inner.text == "(")
    if not starts:
        cursor.advance()
        cursor.fail_expected("a query")
    cursor.skip_parentheses()
    last = cursor.tokens[cursor.position - 2] if cursor.position - opening > 2 else inner
    span = Span(inner.start, last.end)
    return cursor.text[span.start : span.end], span


def _alias(cursor: Cursor) -> str | None:
    if cursor.accept("AS"):
        return cursor.name("an alias")
    word, after = cursor.token.upper, cursor.peek(1)
    if word in _CLAUSES_OF_QUERIES:
        cursor.fail(
            f"{word} belongs to a query, and COPY takes one only in parentheses",
            hint="write FROM (SELECT .. FROM VOLUME .. )",
        )
    # `PURGE` without its `= TRUE` must not pass as an alias.
    is_option = word in _OPTIONS or (after.kind == "symbol" and after.text in ("=", "("))
    if cursor.token.is_name and not is_option and not at_clause(cursor):
        return cursor.name("an alias")
    return None


def _options(cursor: Cursor) -> tuple[bool, OnError | None]:
    given: list[Assignment] = []
    while not cursor.at_end:
        if at_clause(cursor):
            raise too_late(cursor, before=", ".join(a.name.upper() for a in given) or "the alias")
        cursor.accept_symbol(",")
        given.append(parse_assignment(cursor))
    require_once(given)
    purge = False
    on_error: OnError | None = None
    for assignment in given:
        if assignment.name.upper() == "PURGE":
            purge = assignment.boolean()
        elif assignment.name.upper() == "ON_ERROR":
            if assignment.value.upper() not in [*OnError]:
                raise assignment.rejected(" or ".join(OnError))
            on_error = OnError(assignment.value.upper())
        else:
            raise unknown_option(assignment, owner="COPY INTO a table", known=_OPTIONS)
    return purge, on_error
