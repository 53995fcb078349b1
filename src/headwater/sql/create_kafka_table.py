"""CREATE EXTERNAL TABLE t (..) USING KAFKA OPTIONS(..) CONNECTION c: topics of Kafka as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from headwater.errors import NotSupported, Span, UserError
from headwater.names import ObjectName, did_you_mean, quote_literal
from headwater.sql.assignments import Assignment, parse_assignments, unknown_option
from headwater.sql.connections import parse_connection_name
from headwater.sql.create_table import ColumnDefinition, parse_column
from headwater.sql.cursor import Cursor
from headwater.sql.kafka_values import offsets, topics
from headwater.sql.option_values import Unfit, any_text

KAFKA_COLUMNS = {
    "topic": ("STRING",),
    "partition": ("INT",),
    "offset": ("BIGINT",),
    "timestamp": ("TIMESTAMP",),
    "timestamp_type": ("STRING",),
    "headers": ("MAP<STRING, BINARY>", "MAP<STRING, STRING>"),
    "key": ("BINARY",),
    "value": ("BINARY",),
}
_ALL_COLUMNS = ", ".join(f"{name} {' or '.join(types)}" for name, types in KAFKA_COLUMNS.items())
_CLAUSES = ("USING", "OPTIONS", "CONNECTION", "COMMENT")


@dataclass(frozen=True, slots=True)
class KafkaTableOptions:
    """OPTIONS(..) over the defaults; offsets are 'earliest', 'latest' or JSON, as in READ_KAFKA."""

    topics: tuple[str, ...]
    group_id: str = ""
    starting_offset: str = "earliest"
    ending_offset: str = "latest"
    seek_timeout_ms: int = 2000
    request_retry_times: int = 1
    request_retry_interval_ms: int = 2000

    def to_sql(self) -> str:
        """The clause, with all options."""
        values = {key: getattr(self, option.field) for key, option in _OPTIONS.items()}
        values["topics"] = ",".join(self.topics)
        pairs = (f"{quote_literal(k)} = {quote_literal(str(v))}" for k, v in values.items())
        return f"OPTIONS({', '.join(pairs)})"


@dataclass(frozen=True, slots=True)
class CreateKafkaTable:
    """CREATE EXTERNAL TABLE [IF NOT EXISTS] t (..) USING KAFKA OPTIONS(..) CONNECTION c .."""

    name: ObjectName
    columns: tuple[ColumnDefinition, ...]
    options: KafkaTableOptions
    connection: ObjectName
    comment: str | None = None
    if_not_exists: bool = False
    name_span: Span | None = field(default=None, compare=False)
    connection_span: Span | None = field(default=None, compare=False)

    def to_sql(self) -> str:
        """The statement in its canonical spelling."""
        guard = "IF NOT EXISTS " if self.if_not_exists else ""
        columns = ",\n  ".join(column.to_sql() for column in self.columns)
        lines = [
            f"CREATE EXTERNAL TABLE {guard}{self.name} (\n  {columns}\n)",
            "USING KAFKA",
            self.options.to_sql(),
            f"CONNECTION {self.connection}",
        ]
        if self.comment is not None:
            lines.append(f"COMMENT {quote_literal(self.comment)}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Option:
    field: str
    read: Callable[[str], object]


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise Unfit("a whole number from 0 to 999999999")
    return int(text)


def _group_id(text: str) -> str:
    return any_text(text).strip()


_OPTIONS = {
    "group_id": _Option("group_id", _group_id),
    "topics": _Option("topics", topics),
    "starting_offset": _Option("starting_offset", any_text),
    "ending_offset": _Option("ending_offset", any_text),
    "cz.kafka.seek.timeout.ms": _Option("seek_timeout_ms", _number),
    "cz.kafka.request.retry.times": _Option("request_retry_times", _number),
    "cz.kafka.request.retry.intervalMs": _Option("request_retry_interval_ms", _number),
}
_OPTION_NAMES = {name.lower(): name for name in _OPTIONS}


@dataclass(slots=True)
class _Read:
    """What was read so far; None is not yet."""

    using: str | None = None
    options: KafkaTableOptions | None = None
    connection: ObjectName | None = None
    connection_span: Span | None = None
    comment: str | None = None


def parse_create_kafka_table(cursor: Cursor) -> CreateKafkaTable:
    """Read the statement; the cursor stands before CREATE. The clauses come in any order."""
    cursor.expect("CREATE")
    if cursor.at("OR", "REPLACE"):
        raise NotSupported("EXTERNAL_TABLE_REPLACED", span=cursor.token.span)
    cursor.expect("EXTERNAL", "TABLE")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    start = cursor.token.start
    name = cursor.object_name("the table's name")
    name_span = Span(start, cursor.tokens[cursor.position - 1].end)
    columns_at = cursor.position
    if cursor.at_symbol("("):
        cursor.skip_parentheses()
    behind_columns = cursor.token.span
    read = _Read()
    while not cursor.at_end:
        _clause(cursor, read)
    if read.using is None:
        raise NotSupported("EXTERNAL_TABLE_FORMAT", format="other tables", span=behind_columns)
    columns = _columns(cursor, columns_at)
    end = cursor.tokens[-1].span
    if read.options is None:
        raise UserError("KAFKA_TABLE_CLAUSE_MISSING", clause="OPTIONS with its topics", span=end)
    if read.connection is None:
        raise UserError("KAFKA_TABLE_CLAUSE_MISSING", clause="CONNECTION", span=end)
    return CreateKafkaTable(
        name,
        columns,
        read.options,
        read.connection,
        read.comment,
        if_not_exists,
        name_span,
        read.connection_span,
    )


def _clause(cursor: Cursor, read: _Read) -> None:
    token = cursor.token
    if token.upper not in _CLAUSES and read.using is None:
        raise NotSupported("EXTERNAL_TABLE_FORMAT", format="other tables", span=token.span)
    word = cursor.one_of(_CLAUSES)
    if getattr(read, word.lower()) is not None:
        problem = f"{word} stands here twice"
        raise UserError("SYNTAX_ERROR", problem=problem, span=token.span)
    span = cursor.token.span
    match word:
        case "USING":
            read.using = cursor.name("KAFKA").upper()
            if read.using != "KAFKA":
                raise NotSupported("EXTERNAL_TABLE_FORMAT", format=read.using, span=span)
        case "OPTIONS":
            read.options = _options(parse_assignments(cursor), span)
        case "CONNECTION":
            cursor.accept_symbol("=")
            read.connection = parse_connection_name(cursor)
            read.connection_span = Span(span.start, cursor.tokens[cursor.position - 1].end)
        case _:
            cursor.accept_symbol("=")
            read.comment = cursor.string()


def _options(given: tuple[Assignment, ...], span: Span) -> KafkaTableOptions:
    found: dict[str, Any] = {}
    by_name: dict[str, Assignment] = {}
    for assignment in given:
        name = _OPTION_NAMES.get(assignment.name.lower())
        if name is None:
            raise unknown_option(assignment, owner="a Kafka table", known=_OPTIONS)
        option = _OPTIONS[name]
        by_name[name] = assignment
        found[option.field] = _value(assignment, option.read)
    if "topics" not in found:
        raise UserError("KAFKA_TABLE_CLAUSE_MISSING", clause="the option 'topics'", span=span)
    for name in ("starting_offset", "ending_offset"):
        if name in found:
            found[name] = _value(by_name[name], lambda text: offsets(text, found["topics"]))
    return KafkaTableOptions(**found)


def _value(assignment: Assignment, read: Callable[[str], object]) -> object:
    try:
        return read(assignment.value)
    except Unfit as error:
        expected = str(error)
    raise assignment.rejected(expected)


def _columns(cursor: Cursor, place: int) -> tuple[ColumnDefinition, ...]:
    """Read the columns once it is known that the table is one of Kafka's."""
    behind = cursor.position
    cursor.position = place
    if not cursor.at_symbol("("):
        raise UserError(
            "KAFKA_COLUMNS_MISSING", columns="(key BINARY, value BINARY)", span=cursor.token.span
        )
    columns = cursor.comma_list(_column)
    cursor.position = behind
    names = [column.name.lower() for column in columns]
    for name in names:
        if names.count(name) > 1:
            problem = f"column '{name}' stands here twice"
            raise UserError("SYNTAX_ERROR", problem=problem, span=cursor.tokens[place].span)
    return columns


def _column(cursor: Cursor) -> ColumnDefinition:
    token = cursor.token
    column = parse_column(cursor)
    span = Span(token.start, cursor.tokens[cursor.position - 1].end)
    types = KAFKA_COLUMNS.get(column.name.lower())
    if types is None:
        hint = did_you_mean(column.name, KAFKA_COLUMNS)
        raise UserError(
            "KAFKA_COLUMN", column=token.text, columns=_ALL_COLUMNS, span=token.span, hint=hint
        )
    if column.type not in types or column.constraint:
        shown = cursor.text[span.start : span.end]
        raise UserError("KAFKA_COLUMN", column=shown, columns=_ALL_COLUMNS, span=span)
    return column
