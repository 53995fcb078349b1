"""How rows become files: names, what Spark is told, and what is left to do to its files."""

from __future__ import annotations

import pytest

from headwater.catalog.objects import TableColumn
from headwater.errors import NotSupported, UserError
from headwater.files.copy_out import file_names, select_list, spark_options, told_apart, touches
from headwater.files.finishing import Touches
from headwater.sql.copy_into_volume import CopyIntoVolume, parse_copy
from headwater.sql.cursor import Cursor
from headwater.sql.file_formats import CsvWriteOptions, JsonWriteOptions, TextWriteOptions


def column(name: str, kind: str) -> TableColumn:
    return TableColumn(name=name, type=kind, nullable=True, comment=None)


def copy(end: str) -> CopyIntoVolume:
    statement = parse_copy(Cursor(f"COPY INTO VOLUME v SUBDIRECTORY 'd' FROM t {end}"))
    assert isinstance(statement, CopyIntoVolume)
    return statement


@pytest.mark.parametrize(
    ("end", "names"),
    [
        ("", ["d/part00001.csv", "d/part00002.csv"]),
        ("FILE_FORMAT = (TYPE = JSON compression = gzip)", ["d/part00001.json.gzip"]),
        ("FILE_FORMAT = (TYPE = TEXT compression = zlib)", ["d/part00001.text.zlib"]),
        ("FILE_FORMAT = (TYPE = PARQUET compression = gzip)", ["d/part00001.parquet"]),
        ("FILENAME_PREFIX = 'birds'", ["d/birds00001.csv"]),
        ("FILENAME_SUFFIX = '.data'", ["d/part00001.data"]),
        ("INCLUDE_JOB_ID = 'TRUE'", ["d/partjob00001.csv"]),
        ("FILENAME_PREFIX = '' FILENAME_SUFFIX = ''", ["d/00001"]),
    ],
)
def test_files_are_named_as_the_documents_say(end: str, names: list[str]) -> None:
    assert file_names(copy(end), "job", len(names)) == names


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (CsvWriteOptions(), None),
        (CsvWriteOptions(compression="gzip"), None),
        (JsonWriteOptions(compression="zlib"), None),
        (JsonWriteOptions(compression="zstd"), Touches(compression="zstd")),
        (CsvWriteOptions(write_bom=True), Touches(bom=True)),
        (CsvWriteOptions(quote=None), Touches(unquoted=True)),
        (CsvWriteOptions(data_quoting_style="none-unsafe"), Touches(unquoted=True)),
        (
            CsvWriteOptions(write_bom=True, compression="gzip"),
            Touches(bom=True, compression="gzip"),
        ),
    ],
)
def test_spark_compresses_only_what_is_not_touched_again(
    options: CsvWriteOptions | JsonWriteOptions, left: Touches | None
) -> None:
    assert touches(options) == left
    told = spark_options(options, [])["compression"]
    expected = {"gzip": "gzip", "zlib": "deflate", None: "none"}
    assert told == ("none" if left is not None else expected[options.compression])


def test_columns_are_written_as_csv_can_hold_them() -> None:
    columns = [column("a", "int"), column("b", "array<int>"), column("c d", "binary")]
    assert select_list(columns, CsvWriteOptions()) == (
        "`a` AS `a`, to_json(`b`) AS `b`, base64(`c d`) AS `c d`"
    )
    assert select_list(columns, JsonWriteOptions()) == "*"
    with pytest.raises(NotSupported, match="TEXT_HAS_ONE_COLUMN"):
        select_list(columns, TextWriteOptions())


def test_columns_of_one_name_are_told_apart_where_the_file_has_no_names() -> None:
    columns = [column("a", "int"), column("b", "int"), column("A", "int")]
    apart, alias = told_apart(columns, CsvWriteOptions())
    assert ([each.name for each in apart], alias) == (
        ["c0", "c1", "c2"],
        " AS written (c0, c1, c2)",
    )
    for options in (CsvWriteOptions(header=True), JsonWriteOptions()):
        assert told_apart(columns, options) == (columns, "")
    assert told_apart(columns[:2], CsvWriteOptions()) == (columns[:2], "")


def test_a_row_of_one_null_is_a_line_that_readers_see() -> None:
    (only,) = [column("a", "int")]
    assert select_list([only], CsvWriteOptions()) == "coalesce(cast(`a` AS STRING), '') AS `a`"
    assert select_list([only], CsvWriteOptions(null_value="x")) == "`a` AS `a`"


def test_a_header_without_quotes_refuses_names_that_need_them() -> None:
    options = CsvWriteOptions(header=True, header_quoting_style="none")
    assert spark_options(options, [column("a", "int")])["header"] == "true"
    with pytest.raises(UserError, match="HEADER_NEEDS_QUOTES"):
        spark_options(options, [column("a,b", "int")])
