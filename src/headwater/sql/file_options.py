"""The options of file formats, for reading (OPTIONS) and writing (FILE_FORMAT): one table of each.

Names ignore case. A format that is not in the table has no options.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from headwater.errors import UserError, ValueRejected
from headwater.sql.assignments import Assignment, unknown_option
from headwater.sql.file_formats import (
    CsvReadOptions,
    CsvWriteOptions,
    FileFormat,
    JsonReadOptions,
    JsonWriteOptions,
    NoOptions,
    ParquetWriteOptions,
    ReadOptions,
    TextReadOptions,
    TextWriteOptions,
    WriteOptions,
)
from headwater.sql.option_values import (
    Unfit,
    any_text,
    boolean,
    characters,
    compression,
    one_of,
    one_or_none,
    option_literal,
    time_zone,
)


@dataclass(frozen=True, slots=True)
class _Option:
    name: str
    field: str
    read: Callable[[str], object]


_CODECS = compression("gzip", "zstd", "zlib")
_COMPRESSION = _Option("compression", "compression", _CODECS)
_LINE_SEP = _Option("lineSep", "line_sep", characters(1, 2))
_CSV = (
    _Option("header", "header", boolean),
    _COMPRESSION,
    _LINE_SEP,
    _Option("quote", "quote", one_or_none),
    _Option("escape", "escape", one_or_none),
    _Option("nullValue", "null_value", any_text),
    _Option("timeZone", "time_zone", time_zone),
    _Option("multiLine", "multi_line", boolean),
)
_TEXT = (_COMPRESSION, _LINE_SEP)
_READ: dict[FileFormat, tuple[type[ReadOptions], tuple[_Option, ...]]] = {
    FileFormat.CSV: (CsvReadOptions, (_Option("sep", "sep", characters(1, 2)), *_CSV)),
    FileFormat.JSON: (
        JsonReadOptions,
        (_COMPRESSION, _Option("explodeArray", "explode_array", boolean)),
    ),
    FileFormat.TEXT: (TextReadOptions, _TEXT),
}
_WRITE: dict[FileFormat, tuple[type[WriteOptions], tuple[_Option, ...]]] = {
    FileFormat.CSV: (
        CsvWriteOptions,
        (
            _Option("sep", "sep", characters(1, 1)),
            *_CSV,
            _Option("headerQuotingStyle", "header_quoting_style", one_of("needed", "none")),
            _Option("dataQuotingStyle", "data_quoting_style", one_of("needed", "none-unsafe")),
            _Option("writebom", "write_bom", boolean),
        ),
    ),
    FileFormat.JSON: (JsonWriteOptions, (_COMPRESSION,)),
    FileFormat.TEXT: (TextWriteOptions, _TEXT),
    FileFormat.PARQUET: (
        ParquetWriteOptions,
        (_Option("compression", "compression", compression("gzip", "snappy", "zstd", "lz4")),),
    ),
}
_ALIASES = {"delimiter": "sep"}


def read_options(file_format: FileFormat, given: Sequence[Assignment]) -> ReadOptions:
    """What OPTIONS(..) says, over the defaults."""
    kind, options = _READ.get(file_format, (NoOptions, ()))
    found = kind(**_values(file_format, options, given))
    _require_sound(found, given)
    return found


def write_options(file_format: FileFormat, given: Sequence[Assignment]) -> WriteOptions:
    """What FILE_FORMAT = (..) says besides TYPE, over the defaults."""
    kind, options = _WRITE[file_format]
    found = kind(**_values(file_format, options, given))
    _require_sound(found, given)
    return found


def given_options(options: ReadOptions | WriteOptions) -> tuple[tuple[str, str], ...]:
    """The options that differ from the defaults: name and literal, to be written back."""
    default = type(options)()
    tables = [known for kind, known in (*_READ.values(), *_WRITE.values()) if kind is type(options)]
    names = {option.field: option.name for known in tables for option in known}
    changed = [
        (names[f.name], getattr(options, f.name))
        for f in fields(options)
        if getattr(options, f.name) != getattr(default, f.name)
    ]
    return tuple((name, _literal(name, value)) for name, value in changed)


def _literal(name: str, value: object) -> str:
    return "'none'" if name == "compression" and value is None else option_literal(name, value)


def _values(
    file_format: FileFormat, options: Sequence[_Option], given: Sequence[Assignment]
) -> dict[str, Any]:
    known = {option.name.lower(): option for option in options}
    values: dict[str, Any] = {}
    for assignment in given:
        name = assignment.name.lower()
        option = known.get(_ALIASES.get(name, name))
        if option is None:
            names = [option.name for option in options]
            raise unknown_option(assignment, owner=f"{file_format} files", known=names)
        if option.field in values:
            problem = f"{option.name} stands here twice"
            raise UserError("SYNTAX_ERROR", problem=problem, span=assignment.name_span)
        try:
            values[option.field] = option.read(assignment.value)
        except Unfit as error:
            raise assignment.rejected(str(error)) from None
    return values


def _require_sound(options: ReadOptions | WriteOptions, given: Sequence[Assignment]) -> None:
    """Refuse separators and quotes that cannot be told apart."""
    if not isinstance(options, CsvReadOptions | CsvWriteOptions) or not given:
        return
    if options.quote is not None and options.quote in options.sep:
        first, second = "sep", "quote"
    elif "\n" in options.sep or "\r" in options.sep or options.sep == options.line_sep:
        first, second = "sep", "lineSep"
    elif options.quote is not None and options.quote in (options.line_sep or "\n"):
        first, second = "quote", "lineSep"
    else:
        return
    span = given[0].name_span
    raise ValueRejected("CSV_OPTIONS_COLLIDE", first=first, second=second, span=span)
