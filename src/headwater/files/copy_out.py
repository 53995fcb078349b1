"""How rows become files in a volume: columns as the format holds them, options, names; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headwater.catalog.objects import TableColumn
from headwater.errors import NotSupported, UserError
from headwater.files.finishing import OFF, Touches
from headwater.names import quote_identifier, quote_literal
from headwater.sql.copy_into_volume import CopyIntoVolume
from headwater.sql.file_formats import (
    CsvWriteOptions,
    JsonWriteOptions,
    ParquetWriteOptions,
    TextWriteOptions,
    WriteOptions,
)

LINE_END_INSIDE = "HEADWATER_LINE_END_INSIDE"
"""What Spark says when a text cannot be written; never seen by users."""

_LINE_END = "\n"
_NESTED = ("array<", "map<", "struct<", "variant")
_CODECS = {"gzip": "gzip", "zlib": "deflate", None: "none"}
# Every digit of a timestamp is kept; Spark's own format ends at milliseconds.
_JSON_TIMES = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}


def told_apart(
    columns: Sequence[TableColumn], options: WriteOptions
) -> tuple[Sequence[TableColumn], str]:
    """The columns with names that differ, and what gives a query these names.

    Files without names may hold what a join of two tables gives.
    """
    names = {column.name.lower() for column in columns}
    if len(names) == len(columns) or not isinstance(options, CsvWriteOptions) or options.header:
        return columns, ""
    apart = [replace(column, name=f"c{place}") for place, column in enumerate(columns)]
    return apart, f" AS written ({', '.join(column.name for column in apart)})"


def select_list(columns: Sequence[TableColumn], options: WriteOptions) -> str:
    """The columns as the format can hold them."""
    if isinstance(options, TextWriteOptions) and len(columns) != 1:
        raise NotSupported("TEXT_HAS_ONE_COLUMN", columns=len(columns))
    if not isinstance(options, CsvWriteOptions):
        return "*"
    values = [_csv_value(column, options) for column in columns]
    if len(columns) == 1 and not options.null_value:
        # NULL and an empty text look the same, but a line with nothing in it is no row to readers.
        values = [f"coalesce(cast({values[0]} AS STRING), '')"]
    names = (quote_identifier(column.name) for column in columns)
    return ", ".join(f"{value} AS {name}" for value, name in zip(values, names, strict=True))


def _csv_value(column: TableColumn, options: CsvWriteOptions) -> str:
    name, zone = quote_identifier(column.name), options.time_zone
    if column.type.startswith(_NESTED):
        return f"to_json({name})"
    if column.type == "binary":
        return f"base64({name})"
    if column.type == "timestamp":
        moment = f"cast({name} AS TIMESTAMP_NTZ)"
        if zone is not None:
            there = quote_literal(zone)
            moment = f"convert_timezone(current_timezone(), {there}, {moment})"
        return f"cast({moment} AS STRING)"
    if column.type == "timestamp_ntz":
        return f"cast({name} AS STRING)"
    if column.type == "string" and options.line_sep != _LINE_END:
        # Spark would write lineSep in its place.
        failure = f"raise_error({quote_literal(LINE_END_INSIDE)})"
        return f"if(contains({name}, {quote_literal(_LINE_END)}), {failure}, {name})"
    return name


def spark_options(options: WriteOptions, columns: Sequence[TableColumn]) -> dict[str, str]:
    """What Spark's writer is told."""
    match options:
        case CsvWriteOptions():
            _require_names(options, columns)
            return _csv(options)
        case JsonWriteOptions():
            return {"compression": _codec(options), **_JSON_TIMES}
        case TextWriteOptions():
            return {"compression": _codec(options), "lineSep": options.line_sep}
        case ParquetWriteOptions():
            return {"compression": (options.compression or "none").lower()}


def touches(options: WriteOptions) -> Touches | None:
    """What is left to do to a file that Spark wrote; None if it is as it should be."""
    compression = compression_of(options)
    bom = isinstance(options, CsvWriteOptions) and options.write_bom
    unquoted = isinstance(options, CsvWriteOptions) and _quote(options) is None
    if not bom and not unquoted and compression in _CODECS:
        return None
    return Touches(bom=bom, unquoted=unquoted, compression=compression)


def _codec(options: WriteOptions) -> str:
    """How Spark compresses; not at all where the file is to be touched once more."""
    return _CODECS[options.compression] if touches(options) is None else "none"


def _quote(options: CsvWriteOptions) -> str | None:
    return options.quote if options.data_quoting_style == "needed" else None


def _csv(options: CsvWriteOptions) -> dict[str, str]:
    quote = _quote(options)
    escape = options.escape if quote is not None else None
    return {
        "sep": options.sep,
        "header": str(options.header).lower(),
        "compression": _codec(options),
        "lineSep": options.line_sep,
        "quote": quote or OFF,
        "escape": escape or OFF,
        "charToEscapeQuoteEscaping": escape or OFF,
        "nullValue": options.null_value,
        # Without quotes an empty text cannot be told from nothing.
        "emptyValue": "" if quote is None else quote * 2,
        "ignoreLeadingWhiteSpace": "false",
        "ignoreTrailingWhiteSpace": "false",
    }


def _require_names(options: CsvWriteOptions, columns: Sequence[TableColumn]) -> None:
    """Spark quotes names that need it; without quotes they would not be read back."""
    if not options.header or options.header_quoting_style == "needed":
        return
    signs = [sign for sign in (options.sep, options.quote, "\n") if sign]
    for column in columns:
        if any(sign in column.name for sign in signs):
            raise UserError("HEADER_NEEDS_QUOTES", column=column.name)


def compression_of(options: WriteOptions) -> str | None:
    """What the name of a file says behind its format; inside Parquet it is nobody's business."""
    return None if isinstance(options, ParquetWriteOptions) else options.compression


def file_names(statement: CopyIntoVolume, job_id: str, count: int) -> list[str]:
    """The paths of `count` files, counted from 1.

    `part00001.csv`, `part00001.csv.gzip`, with FILENAME_PREFIX, FILENAME_SUFFIX, INCLUDE_JOB_ID.
    """
    prefix = "part" if statement.filename_prefix is None else statement.filename_prefix
    job = job_id if statement.include_job_id else ""
    compression = compression_of(statement.options)
    ending = f".{statement.format.lower()}" + (f".{compression}" if compression else "")
    if statement.filename_suffix is not None:
        ending = statement.filename_suffix
    folder = statement.subdirectory
    return [f"{folder}{prefix}{job}{number:05d}{ending}" for number in range(1, count + 1)]
