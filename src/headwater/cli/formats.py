"""Results in the formats people and programs read: table, json, csv.

Rows that Spark handed over are turned into text piece by piece, so that json and csv of a large
result need no more memory than the result itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TextIO

from headwater.cell_text import json_value
from headwater.csv_text import csv_lines, rows_in_pieces
from headwater.result import Result
from headwater.tables_as_text import as_text

FORMATS = ("table", "json", "csv")

Write = Callable[[Result], None]


def writer(format_name: str, stream: TextIO, *, most_rows: int | None = None) -> Write:
    """What writes a result with rows to `stream`; a table shows at most `most_rows`."""
    if format_name == "json":
        return lambda result: _write_json(result, stream)
    if format_name == "csv":
        return _CsvWriter(stream).write
    return lambda result: _write_table(result, stream, most_rows)


def timing_text(result: Result, seconds: float) -> str:
    """`5 rows in 0.213 s`."""
    if not result.returns_rows:
        return f"done in {seconds:.3f} s"
    return f"{len(result)} {'row' if len(result) == 1 else 'rows'} in {seconds:.3f} s"


def _write_table(result: Result, stream: TextIO, most_rows: int | None) -> None:
    stream.write(as_text(result, limit=most_rows) + "\n")


def _write_json(result: Result, stream: TextIO) -> None:
    """One array of objects on one line."""
    names = distinct_names(result.columns)
    stream.write("[")
    for number, row in enumerate(rows_in_pieces(result)):
        values = {name: json_value(value) for name, value in zip(names, row, strict=True)}
        stream.write((", " if number else "") + json.dumps(values, ensure_ascii=False))
    stream.write("]\n")


def distinct_names(names: Sequence[str]) -> list[str]:
    """The names with a number behind those that came before, so that an object keeps them all.

    >>> distinct_names(["id", "id", "id_1"])
    ['id', 'id_2', 'id_1']
    """
    taken = set(names)
    seen: set[str] = set()
    distinct: list[str] = []
    for name in names:
        free = name
        number = 0
        while free in seen or (number and free in taken):
            number += 1
            free = f"{name}_{number}"
        seen.add(free)
        distinct.append(free)
    return distinct


class _CsvWriter:
    """Quotes as in RFC 4180, lines end as on Unix; a blank line stands between two results."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._first = True

    def write(self, result: Result) -> None:
        if not self._first:
            self._stream.write("\n")
        self._first = False
        self._stream.writelines(csv_lines(result))
