"""File formats, and what their files are read and written with: the defaults of the documents."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class FileFormat(StrEnum):
    """The formats that a statement may name; BSON can be named but not read."""

    CSV = "CSV"
    PARQUET = "PARQUET"
    ORC = "ORC"
    JSON = "JSON"
    BSON = "BSON"
    AVRO = "AVRO"
    TEXT = "TEXT"


WRITABLE_FORMATS = (FileFormat.CSV, FileFormat.TEXT, FileFormat.PARQUET, FileFormat.JSON)


@dataclass(frozen=True, slots=True)
class NoOptions:
    """Of Parquet, ORC, BSON and Avro files, which describe themselves."""


@dataclass(frozen=True, slots=True)
class CsvReadOptions:
    r"""None means: no compression; lines end with `\n` or `\r\n`; no quotes; no escape; no zone."""

    sep: str = ","
    header: bool = False
    compression: str | None = None
    line_sep: str | None = None
    quote: str | None = '"'
    escape: str | None = "\\"
    null_value: str = ""
    time_zone: str | None = None
    multi_line: bool = False


@dataclass(frozen=True, slots=True)
class JsonReadOptions:
    """With `explode_array` each element of an array at the top is a row."""

    compression: str | None = None
    explode_array: bool = True


@dataclass(frozen=True, slots=True)
class TextReadOptions:
    """Each line is a row of one column."""

    compression: str | None = None
    line_sep: str | None = None


@dataclass(frozen=True, slots=True)
class CsvWriteOptions:
    """Like those for reading; the styles say when quotes are put around names and values."""

    sep: str = ","
    header: bool = False
    compression: str | None = None
    line_sep: str = "\n"
    quote: str | None = '"'
    escape: str | None = "\\"
    null_value: str = ""
    time_zone: str | None = None
    multi_line: bool = False
    header_quoting_style: str = "needed"
    data_quoting_style: str = "needed"
    write_bom: bool = False


@dataclass(frozen=True, slots=True)
class JsonWriteOptions:
    """JSON Lines."""

    compression: str | None = None


@dataclass(frozen=True, slots=True)
class TextWriteOptions:
    """Each row is a line."""

    compression: str | None = None
    line_sep: str = "\n"


@dataclass(frozen=True, slots=True)
class ParquetWriteOptions:
    """The codec inside the files; None is none."""

    compression: str | None = "snappy"


ReadOptions: TypeAlias = CsvReadOptions | JsonReadOptions | TextReadOptions | NoOptions
WriteOptions: TypeAlias = (
    CsvWriteOptions | JsonWriteOptions | TextWriteOptions | ParquetWriteOptions
)
