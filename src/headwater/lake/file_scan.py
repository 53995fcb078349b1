"""Which files Spark reads, in which format and with which of its own options; plain data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater.sql.file_formats import (
    CsvReadOptions,
    FileFormat,
    JsonReadOptions,
    ReadOptions,
    TextReadOptions,
)

Columns = tuple[tuple[str, str], ...]
"""Names, and types in Spark's words."""

LINE = "f0"
"""The column of formats that have only one."""


@dataclass(frozen=True, slots=True)
class FileScan:
    """Files of one format; without `columns` the files say what they hold."""

    format: FileFormat
    paths: tuple[str, ...]
    """As Spark spells them: `file:/..`, `s3a://..`; a file may be called `a*b.csv`."""
    columns: Columns = ()
    options: ReadOptions | None = None
    spans_lines: bool = False
    """JSON: a document may take several lines."""
    known_utf8: bool = False
    """Whether all bytes were found to be UTF-8, so that U+FFFD is a character like any other."""
    first_keys: tuple[str, ...] = ()
    """JSON: the keys of the first document, which say whether the files are the right ones."""
    columns_found: bool = False
    """Whether `columns` are what files were found to hold, and no names that were given."""
    avro_schemas: tuple[str, ...] = ()
    """Avro: the different schemas that the files hold, where no columns are given."""

    @property
    def is_text(self) -> bool:
        """Whether the files are read as characters, so that they must be UTF-8."""
        return self.format in (FileFormat.CSV, FileFormat.JSON, FileFormat.TEXT)

    @property
    def in_any_spelling(self) -> bool:
        """Whether names find keys of JSON in upper and lower case."""
        return self.format is FileFormat.JSON and bool(self.columns) and not self.columns_found

    @property
    def has_header(self) -> bool:
        """Whether the first line holds names."""
        return isinstance(self.options, CsvReadOptions) and self.options.header

    def spark_options(self) -> dict[str, str]:
        """What Spark's reader is told."""
        return {"mode": "FAILFAST", **self._own_options()}

    def _own_options(self) -> Mapping[str, str]:
        options = self.options
        if isinstance(options, CsvReadOptions):
            return csv_options(options) | {
                # Names of a header count where no columns are given: then they must agree.
                "enforceSchema": str(bool(self.columns) or not options.header).lower(),
            }
        if isinstance(options, JsonReadOptions):
            return {"multiLine": str(self.spans_lines).lower()}
        if isinstance(options, TextReadOptions):
            return _given(lineSep=options.line_sep)
        return {"mergeSchema": "true"}


_PATTERN = re.compile(r"([{}\[\]*?\\])")


def literal_path(path: str) -> str:
    """The path so that Spark does not take it for a pattern.

    To switch patterns off is no way: then each path that looks like one stands for all of them.
    """
    return _PATTERN.sub(r"\\\1", path)


_OFF = "\0"


def csv_options(options: CsvReadOptions) -> dict[str, str]:
    """The documents' options of CSV in Spark's words."""
    return {
        "sep": options.sep,
        "header": str(options.header).lower(),
        "quote": _OFF if options.quote is None else options.quote,
        "escape": _OFF if options.escape is None else options.escape,
        # An escape before the quote that ends a value is itself escaped.
        "charToEscapeQuoteEscaping": _OFF if options.escape is None else options.escape,
        "nullValue": options.null_value,
        "multiLine": str(options.multi_line).lower(),
        "maxColumns": "100000",
        **_given(lineSep=options.line_sep, timeZone=options.time_zone),
    }


def _given(**options: str | None) -> dict[str, str]:
    return {name: value for name, value in options.items() if value is not None}


@dataclass(frozen=True, slots=True)
class FileTarget:
    """Where Spark writes files, and how."""

    format: FileFormat
    path: str
    options: Mapping[str, str] = field(default_factory=dict)
    single: bool = False
