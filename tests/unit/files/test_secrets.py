"""A connection's secret is in no result, no error, no job, and not in the files of the lake."""

from __future__ import annotations

from pathlib import Path

import pytest

import headwater
from headwater.errors import Span
from headwater.names import ObjectName
from headwater.statements.context import Context
from headwater.statements.information_schema import information_schema_rows

SECRET = "hunter2-S3CR3T/+=value"
ID = "hunter2-1D3NT1TY"


@pytest.fixture
def connected(lake: headwater.Connection) -> headwater.Connection:
    lake.sql(
        f"CREATE STORAGE CONNECTION c TYPE S3 ACCESS_KEY = '{ID}' SECRET_KEY = '{SECRET}'"
        " REGION = 'us-east-1' COMMENT 'keys'"
    )
    return lake


def view(lake: headwater.Connection, name: str) -> headwater.Result:
    """The rows of a view of information_schema, without Spark."""
    context = Context(lake.session.state, "job", "", [], lambda c, text: headwater.Result())
    return information_schema_rows(context, ObjectName(name, "information_schema"), Span(0, 0))


def test_no_statement_shows_it(connected: headwater.Connection) -> None:
    shown = [
        connected.sql(text).rows
        for text in ("DESC CONNECTION EXTENDED c", "SHOW CONNECTIONS", "SHOW JOBS", "SHOW VOLUMES")
    ]
    jobs = connected.sql("SHOW JOBS").rows
    shown += [connected.sql(f"DESC JOB '{job[0]}'").rows for job in jobs]
    shown += [view(connected, name).rows for name in ("connections", "volumes", "job_history")]
    assert "hunter2" not in repr(shown)
    assert "****" in repr(shown)


def test_no_error_shows_it(connected: headwater.Connection) -> None:
    keys = f"ACCESS_KEY = '{ID}' SECRET_KEY = '{SECRET}'"
    for text in (
        f"CREATE STORAGE CONNECTION c TYPE S3 {keys} REGION = 'us-east-1'",
        f"CREATE STORAGE CONNECTION d TYPE S3 {keys}",
        f"CREATE STORAGE CONNECTION d TYPE S3 {keys} REGION = 'a b'",
        f"CREATE STORAGE CONNECTION d TYPE S3 {keys} ROLE_ARN = 'arn:aws:iam::1:role/x'",
        f"CREATE STORAGE CONNECTION d TYPE FILE {keys}",
        f"CREATE STORAGE CONNECTION nowhere.d TYPE S3 {keys} REGION = 'us-east-1'",
    ):
        with pytest.raises(headwater.Error) as caught:
            connected.sql(text)
        assert "hunter2" not in f"{caught.value}{caught.value.detail}"  # type: ignore[attr-defined]


def test_no_file_of_the_lake_holds_it(connected: headwater.Connection) -> None:
    folder: Path = connected.session.lake.folder.path
    for path in folder.rglob("*"):
        if path.is_file():
            assert b"hunter2" not in path.read_bytes(), path


def test_what_is_covered_is_no_secret(lake: headwater.Connection) -> None:
    made = "CREATE STORAGE CONNECTION c TYPE OSS ACCESS_ID = 'abcdef' ACCESS_KEY = 'ghijkl'"
    lake.sql(f"{made} ENDPOINT = 'oss-cn-shanghai.aliyuncs.com'; DROP CONNECTION c")
    jobs = lake.sql("SHOW JOBS WHERE job_text LIKE 'CREATE%'").to_dicts()
    with pytest.raises(headwater.ProgrammingError, match=r"SECRET_IS_MASKED.*ACCESS_ID"):
        lake.sql(jobs[0]["job_text"])
    assert lake.sql("SHOW CONNECTIONS").rows == []


def test_the_views_have_the_columns_of_the_documents(connected: headwater.Connection) -> None:
    connected.sql(
        "CREATE EXTERNAL VOLUME v LOCATION 's3://bucket/x/' USING CONNECTION c COMMENT 'in';"
        "CREATE VOLUME n"
    )
    volumes = view(connected, "volumes").to_dicts()
    assert [(row["volume_name"], row["volume_type"], row["volume_region"]) for row in volumes] == [
        ("n", "INTERNAL", None),
        ("v", "EXTERNAL", "us-east-1"),
    ]
    assert volumes[1]["volume_url"] == "s3://bucket/x/"
    connection = view(connected, "connections").to_dicts()[0]
    expected = ("headwater", "c", "STORAGE", "FILE_SYSTEM", "S3", "us-east-1", "tester")
    assert tuple(connection.values())[:7] == expected
    assert connection["properties"] == "((region,us-east-1))"
