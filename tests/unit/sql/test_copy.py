"""COPY into tables and volumes."""

from __future__ import annotations

import pytest

from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.sql.copy_into_table import CopyIntoTable, OnError
from headwater.sql.copy_into_volume import CopyIntoVolume
from headwater.sql.file_formats import (
    CsvReadOptions,
    CsvWriteOptions,
    FileFormat,
    JsonWriteOptions,
    NoOptions,
    ParquetWriteOptions,
    TextWriteOptions,
)
from headwater.sql.file_selection import FileSelection
from headwater.sql.parse import parse
from headwater.sql.targets import written_table
from headwater.sql.volume_refs import USER_VOLUME, VolumeKind, VolumeRef
from headwater.sql.volume_relation import VolumeRelation

T = ObjectName("t")
V = VolumeRef(VolumeKind.NAMED, ObjectName("v"))
SOURCE = VolumeRelation(V, FileFormat.CSV, options=CsvReadOptions())


def refused(text: str) -> tuple[UserError, str]:
    with pytest.raises(UserError) as raised:
        parse(text)
    span = raised.value.span
    assert span is not None
    return raised.value, text[span.start : span.end]


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("COPY INTO t FROM VOLUME v USING CSV", CopyIntoTable(T, SOURCE)),
        ("COPY INTO TABLE t FROM VOLUME v USING CSV", CopyIntoTable(T, SOURCE)),
        ("COPY OVERWRITE t FROM VOLUME v USING CSV", CopyIntoTable(T, SOURCE, overwrite=True)),
        ("COPY OVERWRITE INTO t FROM VOLUME v USING CSV", CopyIntoTable(T, SOURCE, overwrite=True)),
        (
            "COPY INTO t FROM VOLUME v USING CSV PURGE = TRUE ON_ERROR = CONTINUE",
            CopyIntoTable(T, SOURCE, purge=True, on_error=OnError.CONTINUE),
        ),
        (
            "COPY INTO t FROM VOLUME v USING CSV ON_ERROR='abort' PURGE=false",
            CopyIntoTable(T, SOURCE, on_error=OnError.ABORT),
        ),
        (
            "COPY INTO s.t (a, `b c`) PARTITION (dt = '2024-01-01', n = -1) FROM USER VOLUME"
            " (a INT) USING PARQUET REGEXP '.*'",
            CopyIntoTable(
                ObjectName("t", "s"),
                VolumeRelation(
                    USER_VOLUME,
                    FileFormat.PARQUET,
                    (("a", "INT"),),
                    NoOptions(),
                    FileSelection(regexp=".*"),
                ),
                columns=("a", "b c"),
                partition=(("dt", "'2024-01-01'"), ("n", "-1")),
            ),
        ),
        ("COPY INTO volume FROM VOLUME v USING CSV", CopyIntoTable(ObjectName("volume"), SOURCE)),
        (
            "COPY INTO TABLE volume FROM VOLUME v USING CSV",
            CopyIntoTable(ObjectName("volume"), SOURCE),
        ),
        ("COPY INTO t FROM VOLUME v USING CSV x", CopyIntoTable(T, SOURCE, alias="x")),
    ],
)
def test_copy_into_a_table(text: str, statement: CopyIntoTable) -> None:
    assert parse(text) == statement
    assert written_table(statement) == statement.target


@pytest.mark.parametrize(
    ("tail", "alias"), [("", None), (" x", "x"), (" AS x", "x"), (" AS purge", "purge")]
)
def test_a_transforming_query_is_kept_as_typed_with_its_place(tail: str, alias: str) -> None:
    query = "SELECT a + 1, 'it''s )' FROM VOLUME v(a INT) USING CSV /* ) */ JOIN u ON (true)"
    text = f"COPY INTO t FROM ( {query} ){tail} PURGE = TRUE"
    statement = parse(text)
    assert statement == CopyIntoTable(T, query=query, alias=alias, purge=True)
    assert isinstance(statement, CopyIntoTable)
    assert statement.query_span is not None
    assert text[statement.query_span.start : statement.query_span.end] == query


def test_the_places_of_target_and_source_are_known() -> None:
    text = "COPY INTO TABLE s . t PARTITION(a=1) FROM VOLUME v USING CSV FILES('a') PURGE=TRUE"
    statement = parse(text)
    assert isinstance(statement, CopyIntoTable)
    spans = (statement.target_span, statement.source_span, statement.partition_span)
    shown = [text[span.start : span.end] for span in spans if span]
    assert shown == ["s . t", "VOLUME v USING CSV FILES('a')", "PARTITION"]


@pytest.mark.parametrize(
    ("text", "condition", "place", "hint"),
    [
        (
            "COPY INTO t FROM VOLUME v USING CSV PURGE=TRUE OPTIONS('sep'=',')",
            "CLAUSE_ORDER",
            "OPTIONS",
            "USING <format> OPTIONS(..) FILES(..)",
        ),
        (
            "COPY INTO t FROM VOLUME v USING CSV ON_ERROR=ABORT FILES('a')",
            "CLAUSE_ORDER",
            "FILES",
            "",
        ),
        ("COPY INTO t FROM VOLUME v PURGE=TRUE", "SYNTAX_ERROR", "PURGE", "the order is"),
        ("COPY INTO t FROM VOLUME v", "SYNTAX_ERROR", "", "the order is"),
        ("COPY INTO t FROM VOLUME v USING CSV PURG=TRUE", "OPTION_UNKNOWN", "PURG", "PURGE"),
        ("COPY INTO t FROM VOLUME v USING CSV PURGE=1", "OPTION_VALUE", "1", ""),
        ("COPY INTO t FROM VOLUME v USING CSV ON_ERROR=SKIP", "OPTION_VALUE", "SKIP", ""),
        ("COPY INTO t FROM VOLUME v USING CSV PURGE", "SYNTAX_ERROR", "", ""),
        ("COPY INTO t FROM VOLUME v USING CSV WHERE a > 1", "SYNTAX_ERROR", "WHERE", "(SELECT"),
        ("COPY INTO t FROM u", "COPY_SOURCE", "u", "INSERT INTO"),
        ("COPY INTO t FROM 's3://b/p/'", "COPY_SOURCE", "'s3://b/p/'", "FROM VOLUME"),
        ("COPY INTO t FROM", "SYNTAX_ERROR", "", ""),
        ("COPY INTO t FROM ()", "SYNTAX_ERROR", ")", ""),
        ("COPY INTO t FROM (SELECT 1", "SYNTAX_ERROR", "", ""),
        ("COPY INTO t PARTITION(dt) FROM VOLUME v USING CSV", "SYNTAX_ERROR", ")", ""),
        ("COPY t FROM VOLUME v USING CSV", "SYNTAX_ERROR", "t", ""),
        ("COPY INTO 's3://b/p/' FROM t", "COPY_TARGET", "'s3://b/p/'", "CREATE EXTERNAL VOLUME"),
        ("COPY OVERWRITE VOLUME v FROM t", "SYNTAX_ERROR", "VOLUME", "OVERWRITE = TRUE"),
        ("COPY INTO VOLUME v FROM TABLE t", "SUBDIRECTORY_MISSING", "FROM", "SUBDIRECTORY '/'"),
        ("COPY INTO USER VOLUME", "SUBDIRECTORY_MISSING", "", "SUBDIRECTORY '/'"),
        ("COPY INTO VOLUME v SUBDIRECTORY '..' FROM t", "PATH_NOT_ALLOWED", "'..'", ""),
        (
            "COPY INTO VOLUME v SUBDIRECTORY '/' FROM t FILE_FORMAT = CSV",
            "SYNTAX_ERROR",
            "CSV",
            "(TYPE = CSV)",
        ),
        (
            "COPY INTO VOLUME v SUBDIRECTORY '/' FROM t FILE_FORMAT = (header = true)",
            "FILE_FORMAT_TYPE_MISSING",
            "FILE_FORMAT",
            "TYPE = CSV",
        ),
        (
            "COPY INTO VOLUME v SUBDIRECTORY '/' FROM t FILE_FORMAT = (TYPE = ORC)",
            "FILE_FORMAT_NOT_WRITABLE",
            "ORC",
            "CSV, TEXT, PARQUET, JSON",
        ),
        (
            "COPY INTO VOLUME v SUBDIRECTORY '/' FROM t FILE_FORMAT = (TYPE = JASON)",
            "FILE_FORMAT_UNKNOWN",
            "JASON",
            "JSON",
        ),
        (
            "COPY INTO VOLUME v SUBDIRECTORY '/' FROM t USING CSV",
            "SYNTAX_ERROR",
            "USING",
            "FILE_FORMAT = (TYPE = CSV)",
        ),
        (
            "COPY INTO VOLUME v SUBDIRECTORY '/' FROM t SINGEL = TRUE",
            "OPTION_UNKNOWN",
            "SINGEL",
            "SINGLE",
        ),
        (
            "COPY INTO VOLUME v SUBDIRECTORY '/' FROM t FILENAME_PREFIX = '../x'",
            "OPTION_VALUE",
            "'../x'",
            "",
        ),
        (
            "COPY INTO VOLUME v SUBDIRECTORY '/' FROM t SINGLE = TRUE SINGLE = TRUE",
            "SYNTAX_ERROR",
            "SINGLE",
            "",
        ),
    ],
)
def test_mistakes_have_a_place_and_a_hint(text: str, condition: str, place: str, hint: str) -> None:
    error, shown = refused(text)
    assert error.condition == condition
    assert shown == place
    assert hint in (error.hint or "")


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        (
            "COPY INTO VOLUME v SUBDIRECTORY 'export/' FROM TABLE t FILE_FORMAT = (TYPE = CSV)",
            CopyIntoVolume(V, "export/", T),
        ),
        ("COPY INTO VOLUME v SUBDIRECTORY '/' FROM t", CopyIntoVolume(V, "", T)),
        (
            "COPY INTO VOLUME v SUBDIRECTORY '/' FROM (SELECT * FROM t WHERE dt = '2026-06-01')"
            " FILE_FORMAT = (TYPE = parquet COMPRESSION = 'GZIP')",
            CopyIntoVolume(
                V,
                "",
                query="SELECT * FROM t WHERE dt = '2026-06-01'",
                format=FileFormat.PARQUET,
                options=ParquetWriteOptions("gzip"),
            ),
        ),
        (
            "COPY INTO TABLE VOLUME s.t SUBDIRECTORY 'd' FROM s.t FILE_FORMAT=(TYPE=JSON)"
            " OVERWRITE=TRUE FILENAME_PREFIX='birds' FILENAME_SUFFIX='.data' INCLUDE_JOB_ID='TRUE'"
            " SINGLE=FALSE",
            CopyIntoVolume(
                VolumeRef(VolumeKind.TABLE, ObjectName("t", "s")),
                "d/",
                ObjectName("t", "s"),
                format=FileFormat.JSON,
                options=JsonWriteOptions(),
                overwrite=True,
                filename_prefix="birds",
                filename_suffix=".data",
                include_job_id=True,
            ),
        ),
        (
            "COPY INTO USER VOLUME SUBDIRECTORY 'd' FROM TABLE t SINGLE = TRUE"
            " FILE_FORMAT = (TYPE = TEXT, compression = gzip)",
            CopyIntoVolume(
                USER_VOLUME,
                "d/",
                T,
                format=FileFormat.TEXT,
                options=TextWriteOptions("gzip"),
                single=True,
            ),
        ),
        (
            "COPY INTO VOLUME v SUBDIRECTORY 'd' FROM t"
            " FILE_FORMAT = (header=true TYPE = CSV sep='|')",
            CopyIntoVolume(V, "d/", T, options=CsvWriteOptions(sep="|", header=True)),
        ),
    ],
)
def test_copy_into_a_volume(text: str, statement: CopyIntoVolume) -> None:
    assert parse(text) == statement
    assert written_table(statement) is None
