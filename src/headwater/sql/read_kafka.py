"""READ_KAFKA('<brokers>', '<topics>', ..): the messages of topics as a relation.

Twelve arguments by place, all of them literals. A password may be among its settings: the `repr`
leaves them out, and text that holds the relation is shown only through `masking.mask`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from headwater.errors import Span, UserError, ValueRejected
from headwater.names import quote_literal
from headwater.sql.arguments import split_arguments
from headwater.sql.cursor import Cursor
from headwater.sql.kafka_values import brokers, moment, offsets, require_setting, topics
from headwater.sql.option_values import Unfit
from headwater.sql.tokens import Token

T = TypeVar("T")

ARGUMENTS = (
    "brokers",
    "topics",
    "topic pattern",
    "group id",
    "starting offsets",
    "ending offsets",
    "starting timestamp",
    "ending timestamp",
    "key format",
    "value format",
    "max errors",
    "map of settings",
)
MOST_ERRORS = 100_000
_FORMAT = "raw"
_POSITIONS = slice(4, 8)


@dataclass(frozen=True, slots=True)
class ReadKafka:
    """The messages of some topics; '' stands for an offset, time or group that was not given.

    Offsets are 'earliest', 'latest' or a JSON object of topics, partitions and offsets; timestamps
    are milliseconds since 1970 or 'yyyy-MM-dd HH:mm:ss'. `spans` are the places of the arguments.
    """

    bootstrap: str
    topics: tuple[str, ...]
    group_id: str = ""
    starting_offsets: str = ""
    ending_offsets: str = ""
    starting_timestamp: str = ""
    ending_timestamp: str = ""
    key_format: str = _FORMAT
    value_format: str = _FORMAT
    max_errors: int = 0
    settings: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    spans: tuple[Span, ...] = field(default=(), compare=False, repr=False)

    def to_sql(self) -> str:
        """The relation in its canonical spelling, with its settings as they are."""
        texts = (
            self.bootstrap,
            ",".join(self.topics),
            "",
            self.group_id,
            *self.positions,
            self.key_format,
            self.value_format,
        )
        pairs = ", ".join(quote_literal(text) for pair in self.settings for text in pair)
        literals = (*map(quote_literal, texts), str(self.max_errors), f"map({pairs})")
        return f"READ_KAFKA({', '.join(literals)})"

    @property
    def alias(self) -> str:
        """What the text may call it when it gives no alias."""
        return "read_kafka"

    @property
    def positions(self) -> tuple[str, str, str, str]:
        """Arguments 5 to 8, which a pipe keeps by itself."""
        return (
            self.starting_offsets,
            self.ending_offsets,
            self.starting_timestamp,
            self.ending_timestamp,
        )

    @property
    def position_spans(self) -> tuple[Span, ...]:
        """Where arguments 5 to 8 stand."""
        return self.spans[_POSITIONS]


@dataclass(frozen=True, slots=True)
class _Argument:
    number: int
    tokens: tuple[Token, ...]

    @property
    def span(self) -> Span:
        return Span(self.tokens[0].start, self.tokens[-1].end)

    def rejected(self, expected: str) -> ValueRejected:
        name = ARGUMENTS[self.number - 1]
        return ValueRejected(
            "READ_KAFKA_ARGUMENT",
            number=self.number,
            name=name,
            expected=expected,
            span=self.span,
        )

    def text(self) -> str:
        if len(self.tokens) != 1 or self.tokens[0].kind != "string":
            raise self.rejected("a text in quotes, '' for none")
        return self.tokens[0].value

    def read(self, reader: Callable[[str], T]) -> T:
        text = self.text()
        try:
            return reader(text)
        except Unfit as error:
            expected = str(error)
        raise self.rejected(expected)


def parse_read_kafka(cursor: Cursor) -> ReadKafka:
    """Take the relation; the cursor stands before READ_KAFKA and its parenthesis."""
    arguments = _arguments(cursor)
    found_topics = arguments[1].read(topics)
    if arguments[2].text():
        raise arguments[2].rejected("'' alone: patterns of topics are not supported")

    def position(text: str) -> str:
        return offsets(text, found_topics) if text else ""

    return ReadKafka(
        arguments[0].read(brokers),
        found_topics,
        arguments[3].text(),
        arguments[4].read(position),
        arguments[5].read(position),
        arguments[6].read(_moment),
        arguments[7].read(_moment),
        arguments[8].read(_format),
        arguments[9].read(_format),
        _max_errors(arguments[10]),
        _settings(arguments[11]),
        tuple(argument.span for argument in arguments),
    )


def _arguments(cursor: Cursor) -> list[_Argument]:
    function = cursor.token.span
    cursor.advance()
    opening = cursor.position
    cursor.skip_parentheses()
    inside = cursor.tokens[opening + 1 : cursor.position - 1]
    pieces = split_arguments(inside)
    named = next((piece for piece in pieces if len(piece) > 1 and piece[1].text == "=>"), None)
    if named is not None or len(pieces) != len(ARGUMENTS) or not all(pieces):
        span = named[0].span if named is not None else function
        counted = "named ones" if named is not None else str(len(pieces))
        names = ", ".join(ARGUMENTS)
        raise UserError("READ_KAFKA_ARGUMENTS", found=counted, names=names, span=span)
    return [_Argument(number, tuple(piece)) for number, piece in enumerate(pieces, start=1)]


def _moment(text: str) -> str:
    return moment(text) if text else ""


def _format(text: str) -> str:
    if text.lower() != _FORMAT:
        raise Unfit(f"'{_FORMAT}' alone: cast the column instead, CAST(value AS STRING)")
    return _FORMAT


def _max_errors(argument: _Argument) -> int:
    first = argument.tokens[0]
    digits = first.value if first.kind in ("number", "string") else ""
    is_number = len(argument.tokens) == 1 and digits.isascii() and digits.isdigit()
    if not is_number or len(digits) > len(str(MOST_ERRORS)) or int(digits) > MOST_ERRORS:
        raise argument.rejected(f"a whole number from 0 to {MOST_ERRORS}")
    return int(digits)


def _settings(argument: _Argument) -> tuple[tuple[str, str], ...]:
    """`map('key', 'value', ..)`; the value at fault is pointed at, never repeated."""
    opening = argument.tokens[1:2]
    is_map = argument.tokens[0].upper == "MAP" and opening and opening[0].text == "("
    if not is_map:
        raise argument.rejected("map('kafka.<setting>', '<value>', ..), or map() for none")
    pieces = split_arguments(argument.tokens[2:-1])
    if len(pieces) % 2 or any(len(p) != 1 or p[0].kind != "string" for p in pieces):
        raise argument.rejected("pairs of texts in quotes: map('kafka.<setting>', '<value>', ..)")
    texts = [piece[0].value for piece in pieces]
    keys, values = texts[::2], texts[1::2]
    for place, (key, value) in enumerate(zip(keys, values, strict=True)):
        if key in keys[:place]:
            raise _Argument(argument.number, tuple(pieces[2 * place])).rejected("each setting once")
        try:
            require_setting(key, value)
        except Unfit as error:
            expected = str(error)
        else:
            continue
        raise _Argument(argument.number, tuple(pieces[2 * place])).rejected(expected)
    return tuple(zip(keys, values, strict=True))
