"""What Spark is told about files, without Spark."""

from __future__ import annotations

import pytest

from headwater.files.staging import told_by
from headwater.lake.file_scan import FileScan, literal_path
from headwater.sql.file_formats import CsvReadOptions, FileFormat


@pytest.mark.parametrize(
    ("path", "literal"),
    [
        ("file:/a/b c%20#+.csv", "file:/a/b c%20#+.csv"),
        ("file:/a/[x]*?.csv", r"file:/a/\[x\]\*\?.csv"),
        ("s3a://b/{a,b}.csv", r"s3a://b/\{a,b\}.csv"),
        ("file:/a\\b", "file:/a\\\\b"),
    ],
)
def test_a_path_is_no_pattern(path: str, literal: str) -> None:
    assert literal_path(path) == literal


def test_names_that_are_given_find_keys_of_json_in_any_spelling() -> None:
    columns = (("id", "int"),)
    assert FileScan(FileFormat.JSON, (), columns).in_any_spelling
    assert not FileScan(FileFormat.JSON, ()).in_any_spelling
    assert not FileScan(FileFormat.JSON, (), columns, columns_found=True).in_any_spelling
    assert not FileScan(FileFormat.AVRO, (), columns).in_any_spelling


def test_options_of_csv_in_sparks_words() -> None:
    options = CsvReadOptions(sep="||", quote=None, escape=None, null_value="NA", time_zone="UTC")
    told = FileScan(FileFormat.CSV, (), options=options).spark_options()
    assert told["mode"] == "FAILFAST"
    assert (told["sep"], told["quote"], told["escape"]) == ("||", "\0", "\0")
    assert (told["nullValue"], told["timeZone"]) == ("NA", "UTC")
    assert "lineSep" not in told


@pytest.mark.parametrize(
    ("path", "compression"),
    [
        ("a/part00001.csv.zstd", "zstd"),
        ("A.CSV.ZST", "zstd"),
        ("a.csv.zlib", "zlib"),
        # these Spark sees by itself
        ("a.csv.gz", None),
        ("a.csv", None),
        ("zstd", None),
    ],
)
def test_a_compression_is_told_by_the_end_of_a_name(path: str, compression: str | None) -> None:
    assert told_by(path) == compression
