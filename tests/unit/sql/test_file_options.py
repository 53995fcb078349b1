"""Options of file formats: names in any case, values checked, and the same again when written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import UserError
from headwater.sql.assignments import parse_assignments
from headwater.sql.cursor import Cursor
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
from headwater.sql.file_options import given_options, read_options, write_options


def read(file_format: str, text: str = "") -> ReadOptions:
    return read_options(FileFormat(file_format), parse_assignments(Cursor(f"({text})")))


def write(file_format: str, text: str = "") -> WriteOptions:
    return write_options(FileFormat(file_format), parse_assignments(Cursor(f"({text})")))


def test_defaults_are_those_of_the_documents() -> None:
    assert read("CSV") == CsvReadOptions(",", False, None, None, '"', "\\", "", None, False)
    assert read("JSON") == JsonReadOptions(None, True)
    assert read("TEXT") == TextReadOptions(None, None)
    for name in ("PARQUET", "ORC", "BSON", "AVRO"):
        assert read(name) == NoOptions()
    assert write("CSV") == CsvWriteOptions(line_sep="\n")
    assert write("JSON") == JsonWriteOptions(None)
    assert write("TEXT") == TextWriteOptions(None, "\n")
    assert write("PARQUET") == ParquetWriteOptions("snappy")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("'sep' = '|'", CsvReadOptions(sep="|")),
        ("'DELIMITER' = '||'", CsvReadOptions(sep="||")),
        (r"'sep' = '\t'", CsvReadOptions(sep="\t")),
        (r"'sep' = r'\t'", CsvReadOptions(sep="\t")),
        (r"'sep' = '\\t'", CsvReadOptions(sep="\t")),
        (r"'sep' = r'\u0001'", CsvReadOptions(sep="\x01")),
        (r"'sep' = '\u0001'", CsvReadOptions(sep="\x01")),
        ("'HEADER' = 'TRUE'", CsvReadOptions(header=True)),
        ("header = true", CsvReadOptions(header=True)),
        ("'compression' = 'GZIP'", CsvReadOptions(compression="gzip")),
        ("'compression' = 'zstd'", CsvReadOptions(compression="zstd")),
        ("'compression' = 'zlib'", CsvReadOptions(compression="zlib")),
        ("'compression' = 'none'", CsvReadOptions()),
        (r"'lineSep' = '\r\n'", CsvReadOptions(line_sep="\r\n")),
        (r"'lineSep' = r'\r\n'", CsvReadOptions(line_sep="\r\n")),
        ("'linesep' = ';'", CsvReadOptions(line_sep=";")),
        (r"'quote' = r'\0'", CsvReadOptions(quote=None)),
        (r"'quote' = '\0'", CsvReadOptions(quote=None)),
        ("'quote' = ''", CsvReadOptions(quote=None)),
        (r"'quote' = '\''", CsvReadOptions(quote="'")),
        (r"'escape' = '\\'", CsvReadOptions()),
        (r"'escape' = r'\'", CsvReadOptions()),
        ("""'escape' = '"'""", CsvReadOptions(escape='"')),
        (r"'nullValue' = r'\N'", CsvReadOptions(null_value="\\N")),
        (r"'nullValue' = '\\N'", CsvReadOptions(null_value="\\N")),
        ("'nullValue' = 'NULL'", CsvReadOptions(null_value="NULL")),
        ("'timeZone' = 'Asia/Shanghai'", CsvReadOptions(time_zone="Asia/Shanghai")),
        ("'multiline' = 'true'", CsvReadOptions(multi_line=True)),
    ],
)
def test_csv_read_options(text: str, options: CsvReadOptions) -> None:
    assert read("CSV", text) == options


def test_other_read_options() -> None:
    assert read("JSON", "'explodearray'='false' 'compression'='gzip'") == JsonReadOptions(
        "gzip", False
    )
    assert read("TEXT", "'lineSep'=';'") == TextReadOptions(line_sep=";")


def test_csv_write_options_need_no_commas() -> None:
    text = (
        "sep='|' compression='gzip' header=true lineSep='\\r\\n' quote=r'\\0' nullValue='NULL'"
        " timeZone='UTC' multiLine=true headerQuotingStyle='none' dataQuotingStyle=none-unsafe"
        " writebom=true escape='~'"
    )
    assert write("CSV", text) == CsvWriteOptions(
        "|", True, "gzip", "\r\n", None, "~", "NULL", "UTC", True, "none", "none-unsafe", True
    )


def test_other_write_options() -> None:
    assert write("PARQUET", "COMPRESSION='GZIP'") == ParquetWriteOptions("gzip")
    assert write("PARQUET", "COMPRESSION=NONE") == ParquetWriteOptions(None)
    assert write("JSON", "compression=zstd") == JsonWriteOptions("zstd")


@pytest.mark.parametrize(
    ("file_format", "text", "condition", "expected"),
    [
        ("CSV", "'seperator'=','", "OPTION_UNKNOWN", "sep"),
        ("CSV", "'encoding'='utf-8'", "OPTION_UNKNOWN", "it has sep, header"),
        ("CSV", "'linsep'=';'", "OPTION_UNKNOWN", "did you mean lineSep?"),
        ("JSON", "'header'='true'", "OPTION_UNKNOWN", "it has compression, explodeArray"),
        ("ORC", "'compression'='gzip'", "OPTION_UNKNOWN", "it has none"),
        ("CSV", "'sep'='abc'", "OPTION_VALUE", "1 to 2 characters"),
        ("CSV", "'lineSep'='abc'", "OPTION_VALUE", "1 to 2 characters"),
        ("CSV", "'quote'='ab'", "OPTION_VALUE", "one character"),
        ("CSV", "'escape'='é'", "OPTION_VALUE", "one character"),
        ("CSV", "'header'='yes'", "OPTION_VALUE", "true or false"),
        ("CSV", "'compression'='rar'", "OPTION_VALUE", "gzip, zstd, zlib or none"),
        ("CSV", "'timeZone'='a b'", "OPTION_VALUE", "a time zone"),
        ("CSV", "'timeZone'='Mars'", "OPTION_VALUE", "a time zone"),
        ("CSV", "'sep'=',', 'delimiter'=';'", "SYNTAX_ERROR", "sep stands here twice"),
        ("CSV", "'sep'=',', 'SEP'=';'", "SYNTAX_ERROR", "twice"),
        ("CSV", "'sep'='|', 'quote'='|'", "CSV_OPTIONS_COLLIDE", "sep and quote"),
        ("CSV", "'sep'='\\n'", "CSV_OPTIONS_COLLIDE", "sep and lineSep"),
    ],
)
def test_what_cannot_be_is_refused(
    file_format: str, text: str, condition: str, expected: str
) -> None:
    with pytest.raises(UserError) as raised:
        read(file_format, text)
    assert raised.value.condition == condition
    assert expected in f"{raised.value.message} {raised.value.hint}"
    assert raised.value.span is not None


def test_a_separator_of_two_characters_can_be_read_but_not_written() -> None:
    assert read("CSV", "sep='||'") == CsvReadOptions(sep="||")
    with pytest.raises(UserError) as raised:
        write("CSV", "sep='||'")
    assert "one character" in raised.value.message


letters = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=2)
one = st.none() | st.sampled_from("\"'~^\\#\t")
csv_read = st.builds(
    CsvReadOptions,
    sep=letters.filter(lambda s: not set(s) & set("\n\r\"'~^\\#\t;")) | st.just("\\"),
    header=st.booleans(),
    compression=st.sampled_from([None, "gzip", "zstd", "zlib"]),
    line_sep=st.none() | st.sampled_from(["\n", "\r\n", ";"]),
    quote=one.filter(lambda c: c != "\\"),
    escape=one,
    null_value=st.text(st.characters(exclude_categories=["Cs"])),
    time_zone=st.none() | st.just("+08:00"),
    multi_line=st.booleans(),
)


@given(csv_read)
def test_any_csv_options_survive_being_written_back(options: CsvReadOptions) -> None:
    pairs = ", ".join(f"'{name}' = {value}" for name, value in given_options(options))
    assert read("CSV", pairs) == options


def test_options_that_are_the_default_are_not_written_back() -> None:
    assert given_options(CsvReadOptions()) == ()
    assert given_options(ParquetWriteOptions(None)) == (("compression", "'none'"),)
