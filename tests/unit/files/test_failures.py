"""What Spark says of a file becomes a reason that its owner understands, or that the store is away.

The texts are as Spark, Hadoop and Amazon's library write them; lines of Java are left out.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from headwater.errors import HeadwaterError, InternalError, TransientError, UserError
from headwater.files.failures import unreadable_file
from headwater.files.reading import VolumeScan
from headwater.files.unreadable import UnreadableFile
from headwater.files.volumes import OpenVolume
from headwater.lake.file_scan import Columns, FileScan
from headwater.lake.spark_session import SparkConnection
from headwater.sql.file_formats import FileFormat
from headwater.storage.addresses import parse_location
from headwater.storage.store import FileInfo, Page

NO_SPARK = cast(SparkConnection, None)
FILE = FileInfo("in/0.csv", 7, datetime(2026, 1, 1, tzinfo=UTC), "etag")
SPARK_SAYS = (
    "An error occurred while calling o91.sql.\n"
    ": org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows.\n"
    "Caused by: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error"
    " while reading file {path}.  SQLSTATE: KD001\n"
    "\t... 1 more\n"
)


class DeniedStore:
    """A store that lets nobody in."""

    def list(self) -> list[Page]:
        raise UserError("STORAGE_DENIED", store="s3://bucket/data/", reason="no such key")


class OpenStore:
    """A store that answers."""

    def list(self) -> list[Page]:
        return [[FILE]]


def told(
    causes: str,
    *,
    condition: str = "FAILED_READ_FILE.NO_HINT",
    location: str = "s3://bucket/data/",
    store: object = None,
    columns: Columns = (),
) -> HeadwaterError | None:
    """The error for a read of the file that failed for these causes."""
    address = parse_location(location)
    path = f"s3a://bucket/data/{FILE.path}" if "s3" in location else f"{location}{FILE.path}"
    path = path.replace("file:///", "file:/")
    volume = OpenVolume("volume public.v", address, cast(Any, store))
    scan = FileScan(FileFormat.CSV, (path,), columns)
    detail = SPARK_SAYS.format(path=path) + causes.replace("{path}", path)
    error = UserError(condition, text="it failed", detail=detail)
    return unreadable_file(error, [VolumeScan(volume, (FILE,), scan, {path: FILE.path})], NO_SPARK)


AWAY = {
    "cut": (
        "Caused by: org.apache.hadoop.fs.s3a.HttpChannelEOFException: getFileStatus on {path}:"
        " software.amazon.awssdk.core.exception.SdkClientException: Unable to execute HTTP"
        " request\nCaused by: org.apache.http.NoHttpResponseException: The target server failed"
        " to respond\n",
        "The target server failed to respond",
    ),
    "silent": ("Caused by: java.net.SocketTimeoutException: Read timed out\n", "Read timed out"),
    "nobody listens": (
        "Caused by: java.net.ConnectException: Connection refused\n",
        "Connection refused",
    ),
    "too slow": (
        "Caused by: org.apache.hadoop.fs.s3a.AWSClientIOException: open {path}\nCaused by:"
        " software.amazon.awssdk.core.exception.ApiCallTimeoutException: Client execution did not"
        " complete before the specified timeout configuration: 60000 millis\n",
        "Client execution did not complete",
    ),
    "in trouble": (
        "Caused by: org.apache.hadoop.fs.s3a.AWSStatus500Exception: open {path}: We encountered"
        " an internal error\n",
        "internal error",
    ),
    "keys of a role that ended": (
        "Caused by: org.apache.hadoop.fs.s3a.AWSBadRequestException: open {path}:"
        " software.amazon.awssdk.services.s3.model.S3Exception: The provided token has expired."
        " (Service: S3, Status Code: 400):ExpiredToken\n",
        "The provided token has expired",
    ),
    "a client that was closed for new keys": (
        "Caused by: java.io.IOException: s3a://bucket: FileSystem is closed!\n",
        "FileSystem is closed!",
    ),
    "a file that was being read when it was closed": (
        "Caused by: java.io.IOException: {path}: Stream is closed!\n",
        "Stream is closed!",
    ),
    "connections that were closed with it": (
        "Caused by: java.lang.IllegalStateException: Connection pool shut down\n",
        "Connection pool shut down",
    ),
    "Alibaba": (
        "Caused by: com.aliyun.oss.OSSException: The security token you provided has expired.\n"
        "[ErrorCode]: SecurityTokenExpired\n",
        "token you provided has expired",
    ),
}


@pytest.mark.parametrize("what", AWAY)
def test_a_store_that_is_away_makes_no_file_unreadable(what: str) -> None:
    causes, reason = AWAY[what]
    error = told(causes)
    assert isinstance(error, TransientError)
    assert error.condition == "STORE_UNREACHABLE"
    assert error.message.startswith("the store at s3://bucket cannot be reached: ")
    assert reason in error.message


def test_keys_that_no_longer_let_in_make_no_file_unreadable() -> None:
    denied = "Caused by: java.nio.file.AccessDeniedException: open {path}: Status Code: 403\n"
    error = told(denied, store=DeniedStore())
    assert error is not None
    assert error.condition == "STORAGE_DENIED"


@pytest.mark.parametrize(
    "denied",
    [
        "Caused by: java.nio.file.AccessDeniedException: open {path}: Status Code: 403\n",
        "Caused by: com.aliyun.oss.OSSException: no right\n[ErrorCode]: AccessDenied\n",
    ],
)
def test_a_file_that_alone_is_denied_is_unreadable(denied: str) -> None:
    assert isinstance(told(denied, store=OpenStore()), UnreadableFile)


def test_what_a_file_holds_does_not_pass_for_a_store_that_is_away() -> None:
    says = (
        'Caused by: java.lang.NumberFormatException: For input string: "java.net.ConnectException"'
    )
    assert isinstance(told(f"{says}\n"), UnreadableFile)


def test_a_function_that_fails_on_what_a_file_holds_makes_no_file_unreadable() -> None:
    assert told("Caused by: ValueError: no\n", condition="FUNCTION_FAILED") is None


def test_a_file_that_is_gone_is_told_apart_from_a_store_that_is_away() -> None:
    gone = (
        "Caused by: java.io.FileNotFoundException: No such file or directory: {path}\nCaused by:"
        " software.amazon.awssdk.services.s3.model.NoSuchKeyException: null (Status Code: 404)\n"
    )
    assert isinstance(told(gone), UnreadableFile)


def test_a_file_of_this_machine_has_no_store_that_could_be_away() -> None:
    refused = "Caused by: java.net.ConnectException: Connection refused\n"
    assert isinstance(told(refused, location="file:///data/"), UnreadableFile)


REASONS = {
    'java.lang.NumberFormatException: For input string: "x"': '"x" is not a number',
    "java.lang.NumberFormatException: Character a is neither a decimal digit number, decimal point,"
    ' nor "e" notation exponential mark.': 'a value with the character "a" is not a number',
    "java.lang.RuntimeException: {path} is not a Parquet file. Expected magic number at tail, but"
    " found [45, 48]": "it is not a Parquet file",
    "org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException: column:"
    " [id], physicalType: INT64, logicalType: int": (
        "its column id holds INT64, which cannot be read as int"
    ),
    "java.io.EOFException: Unexpected end of input stream": "Unexpected end of input stream",
}


@pytest.mark.parametrize("cause", REASONS)
def test_reasons_speak_of_the_file(cause: str) -> None:
    error = told(f"Caused by: {cause}\n")
    assert isinstance(error, UnreadableFile)
    assert error.reason == REASONS[cause]


def test_a_row_that_is_too_long_says_how_long_it_should_be() -> None:
    cause = "Caused by: org.apache.spark.sql.catalyst.csv.Malformed: Malformed CSV record: 1,a,b\n"
    two = told(cause, columns=(("a", "int"), ("b", "string")))
    assert isinstance(two, UnreadableFile)
    assert two.reason == "a row has not 2 values: 1,a,b"
    unknown = told(cause)
    assert isinstance(unknown, UnreadableFile)
    assert unknown.reason == "a row has another number of values: 1,a,b"


ORC_SAYS = (
    "An error occurred while calling o207.load.\n"
    ": org.apache.spark.SparkException: Exception thrown in awaitResult: \n"
    "Caused by: org.apache.orc.protobuf.InvalidProtocolBufferException: Protocol message contained"
    " an invalid tag (zero).\n"
)


class ReadingSpark:
    """Stands for a Spark that names the file once it need not look for columns."""

    def rows_by_file(self, scan: FileScan) -> dict[str, int]:
        assert scan.columns
        detail = SPARK_SAYS.format(path=scan.paths[1]) + ORC_SAYS
        raise UserError("FAILED_READ_FILE.NO_HINT", text="it failed", detail=detail)


def orc_scan() -> VolumeScan:
    files = tuple(FileInfo(f"in/{number}.orc", 7, FILE.modified_at, "etag") for number in range(2))
    paths = {f"s3a://bucket/data/{file.path}": file.path for file in files}
    volume = OpenVolume("volume public.v", parse_location("s3://bucket/data/"), cast(Any, None))
    return VolumeScan(volume, files, FileScan(FileFormat.ORC, tuple(paths)), paths)


def test_the_broken_one_of_orc_files_is_found_where_spark_does_not_name_it() -> None:
    error = InternalError("ENGINE_FAILED", problem="Job aborted", detail=ORC_SAYS)
    found = unreadable_file(error, [orc_scan()], cast(SparkConnection, ReadingSpark()))
    assert isinstance(found, UnreadableFile)
    assert (found.source.path, found.reason) == (
        "s3://bucket/data/in/1.orc",
        "it is cut off or damaged",
    )


def test_orc_files_of_which_none_has_columns_are_all_unreadable() -> None:
    error = UserError("UNABLE_TO_INFER_SCHEMA", text="Unable to infer schema for ORC")
    found = unreadable_file(error, [orc_scan()], NO_SPARK)
    assert isinstance(found, UnreadableFile)
    assert found.reason == "it has no columns"
    assert [source.path for source in found.also] == ["s3://bucket/data/in/1.orc"]
