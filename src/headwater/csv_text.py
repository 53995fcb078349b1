"""A result as CSV, line by line: quotes as in RFC 4180, lines end as on Unix.

Rows that Spark handed over are turned into text piece by piece, so that a large result needs no
more memory than it takes already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headwater.cell_text import cell
from headwater.result import Result, Row

_ROWS_AT_ONCE = 10_000
_NEEDS_QUOTES = frozenset(',"\r\n')


def csv_lines(result: Result) -> Iterator[str]:
    """The names of the columns, then the rows."""
    yield _csv_line(result.columns)
    for row in rows_in_pieces(result):
        yield _csv_line(row)


def rows_in_pieces(result: Result) -> Iterator[Row]:
    """The rows, of which only some are in Python at a time."""
    source = result.source
    if source is None or isinstance(source, list):
        yield from result.rows
        return
    for start in range(0, source.num_rows, _ROWS_AT_ONCE):
        piece = source.slice(start, _ROWS_AT_ONCE)
        yield from Result.from_arrow(result.schema, piece, time_zone=result.time_zone).rows


def _csv_line(values: Sequence[object]) -> str:
    # A line with nothing on it would not be a row.
    if len(values) == 1 and values[0] is None:
        return '""\n'
    return ",".join(map(_csv_field, values)) + "\n"


def _csv_field(value: object) -> str:
    """NULL is nothing at all, an empty text is a pair of quotes."""
    if value is None:
        return ""
    text = cell(value)
    if text and _NEEDS_QUOTES.isdisjoint(text):
        return text
    return '"' + text.replace('"', '""') + '"'
