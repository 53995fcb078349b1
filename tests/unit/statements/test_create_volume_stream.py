"""CREATE STREAM .. ON VOLUME: what a volume must have, and what holds it afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.streams.watching import Watching

import headwater
from headwater.catalog.streams import StreamMode, StreamOffset, StreamSource
from headwater.errors import HeadwaterError, Span, UserError

DIRECTORY = "DIRECTORY = (ENABLE = TRUE) RECURSIVE = TRUE"
SQS = "NOTIFICATION = (QUEUE_TYPE = 'AWS_SQS', QUEUE_NAME = '{}')"
MNS = "NOTIFICATION = (QUEUE_TYPE = 'ALICLOUD_MNS', QUEUE_NAME = '{}')"
EVENT_PIPE = (
    "CREATE PIPE p VIRTUAL_CLUSTER = 'default' AWS_SQS_QUEUE = '{queue}'"
    " AS COPY INTO t FROM VOLUME {volume} (line STRING) USING CSV"
)


@pytest.fixture
def watching(lake: headwater.Connection, tmp_path: Path) -> Watching:
    """Volume w over the folder `in`, with all that a stream needs; no store is ever asked."""
    lake.sql(
        f"CREATE EXTERNAL VOLUME w LOCATION 'file://{tmp_path}/in/' USING CONNECTION c {DIRECTORY};"
        "CREATE STORAGE CONNECTION s3 TYPE S3 REGION = 'eu-west-1'"
        " ROLE_ARN = 'arn:aws:iam::123456789012:role/reader';"
        "CREATE STORAGE CONNECTION oss TYPE OSS REGION = 'cn-hangzhou'"
        " ENDPOINT = 'oss-cn-hangzhou.aliyuncs.com' ROLE_ARN = 'acs:ram::1234567890:role/reader';"
        "CREATE STORAGE CONNECTION cos TYPE COS REGION = 'ap-shanghai' APP_ID = '1310000503'"
        " ACCESS_KEY = 'a' SECRET_KEY = 'b'"
    )
    return Watching(lake)


def on_s3(watching: Watching, name: str, clauses: str) -> None:
    location = f"LOCATION 's3://bucket/{name}/' USING CONNECTION s3"
    watching.sql(f"CREATE EXTERNAL VOLUME {name} {location} {clauses}")


def refused(watching: Watching, **options: object) -> HeadwaterError:
    with pytest.raises(HeadwaterError) as caught:
        watching.create(**options)  # type: ignore[arg-type]
    assert watching.lake.store.streams.list("headwater") == []
    return caught.value


def made_without_a_look(watching: Watching, volume: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream over a store that cannot be reached from here."""
    with monkeypatch.context() as patch:
        patch.setattr("headwater.statements.create_volume_stream.refresh", lambda *_: None)
        watching.create(volume=volume)


def test_a_stream_begins_at_what_is_there(watching: Watching, tmp_path: Path) -> None:
    (tmp_path / "in/a.csv").write_text("1")
    assert watching.create(volume="w", comment="new files").message == (
        "stream public.s created on volume public.w"
    )
    stream = watching.stream()
    assert (stream.source, stream.source_id) == (StreamSource.VOLUME, watching.volume("w").id)
    assert (stream.mode, stream.offset) == (StreamMode.STANDARD, StreamOffset(1))
    assert (stream.creator, stream.comment) == ("tester", "new files")


def test_a_name_that_is_taken(watching: Watching) -> None:
    watching.create(volume="w")
    again = watching.create(volume="w", if_not_exists=True)
    assert again.message == "stream public.s exists already"
    with pytest.raises(UserError, match="TABLE_ALREADY_EXISTS") as caught:
        watching.create(volume="w", name_span=Span(14, 15))
    assert caught.value.span == Span(14, 15)
    for options in ({}, {"or_replace": True}, {"if_not_exists": True}):
        with pytest.raises(UserError, match="TABLE_ALREADY_EXISTS"):
            watching.create("t", "w", **options)


def test_a_replaced_stream_begins_anew(watching: Watching, tmp_path: Path) -> None:
    watching.create(volume="w")
    (tmp_path / "in/a.csv").write_text("1")
    assert watching.shown() == [("INSERT", "a.csv")]
    message = watching.create(volume="w", or_replace=True).message
    assert message == "stream public.s replaced on volume public.w"
    assert watching.shown() == []


@pytest.mark.parametrize(
    ("volume", "clauses", "condition", "words"),
    [
        ("VOLUME x", DIRECTORY, "VOLUME_STREAM_NOT_EXTERNAL", "CREATE EXTERNAL VOLUME"),
        ("file", "RECURSIVE = TRUE", "VOLUME_STREAM_NO_DIRECTORY", "DIRECTORY = (ENABLE"),
        ("file", "DIRECTORY = (ENABLE = TRUE)", "VOLUME_STREAM_NOT_RECURSIVE", "RECURSIVE = TRUE"),
        ("file", f"{SQS.format('q')} {DIRECTORY}", "VOLUME_STREAM_QUEUE_OF_FILES", "without NOTIF"),
        ("cos", f"{SQS.format('q')} {DIRECTORY}", "VOLUME_STREAM_STORE", "S3 and OSS"),
        ("s3", DIRECTORY, "VOLUME_STREAM_NO_QUEUE", "'AWS_SQS'"),
        ("oss", DIRECTORY, "VOLUME_STREAM_NO_QUEUE", "'ALICLOUD_MNS'"),
        ("s3", f"{MNS.format('q')} {DIRECTORY}", "VOLUME_STREAM_QUEUE_TYPE", "'AWS_SQS'"),
        ("oss", f"{SQS.format('q')} {DIRECTORY}", "VOLUME_STREAM_QUEUE_TYPE", "'ALICLOUD_MNS'"),
        ("s3", f"{SQS.format('no queue')} {DIRECTORY}", "QUEUE_NAME_REFUSED", "arn:aws"),
    ],
)
def test_what_a_volume_must_have(
    watching: Watching, tmp_path: Path, volume: str, clauses: str, condition: str, words: str
) -> None:
    if volume == "VOLUME x":
        watching.sql(f"CREATE VOLUME x {clauses}")
    elif volume == "file":
        location = f"'file://{tmp_path}/in/' USING CONNECTION c"
        watching.sql(f"CREATE EXTERNAL VOLUME x LOCATION {location} {clauses}")
    else:
        location = f"'{volume}://bucket/in/' USING CONNECTION {volume}"
        watching.sql(f"CREATE EXTERNAL VOLUME x LOCATION {location} {clauses}")
    error = refused(watching, volume="x", volume_span=Span(26, 27))
    assert error.condition == condition
    assert words in str(error.hint)
    if condition.startswith("VOLUME_STREAM"):
        assert error.span == Span(26, 27)
        assert "public.x" in error.message


def test_a_volume_that_is_not_there(watching: Watching) -> None:
    error = refused(watching, volume="ww", volume_span=Span(26, 28))
    assert (error.condition, error.hint) == ("VOLUME_NOT_FOUND", "did you mean w?")
    assert error.span == Span(26, 28)


@pytest.mark.parametrize(
    "queue",
    ["q", "arn:aws:sqs:eu-west-1:123456789012:q", "https://sqs.eu-west-1.amazonaws.com/1/q"],
)
def test_a_queue_that_a_pipe_reads(watching: Watching, queue: str) -> None:
    on_s3(watching, "a", "")
    watching.sql(EVENT_PIPE.format(queue=queue, volume="a"))
    on_s3(watching, "b", f"{SQS.format('q')} {DIRECTORY}")
    error = refused(watching, volume="b")
    assert error.condition == "VOLUME_STREAM_QUEUE_HAS_PIPE"
    assert error.message.startswith("pipe 'public.p' reads queue 'q' of volume public.b")


def test_a_queue_of_that_name_in_another_region_is_another(
    watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_s3(watching, "a", "")
    there, here = (f"arn:aws:sqs:{r}:123456789012:q" for r in ("eu-west-1", "eu-west-2"))
    watching.sql(EVENT_PIPE.format(queue=there, volume="a"))
    on_s3(watching, "b", f"{SQS.format(here)} {DIRECTORY}")
    made_without_a_look(watching, "b", monkeypatch)


def test_a_queue_that_drives_a_stream(watching: Watching, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        on_s3(watching, name, f"{SQS.format('q')} {DIRECTORY}")
    made_without_a_look(watching, "a", monkeypatch)
    with pytest.raises(UserError, match="VOLUME_STREAM_QUEUE_SHARED") as caught:
        watching.create("t2", "b")
    assert "volume public.a has queue 'q' of volume public.b" in caught.value.message
    for volume in ("a", "b"):
        with pytest.raises(UserError, match="PIPE_QUEUE_HAS_STREAM"):
            watching.sql(EVENT_PIPE.format(queue="q", volume=volume))
    watching.sql(EVENT_PIPE.format(queue="another", volume="a"))


def test_a_watched_volume_is_neither_dropped_nor_replaced(
    watching: Watching, tmp_path: Path
) -> None:
    watching.create(volume="w")
    location = f"LOCATION 'file://{tmp_path}/in/' USING CONNECTION c"
    for text in (
        "DROP VOLUME w",
        "DROP VOLUME IF EXISTS w",
        f"CREATE OR REPLACE EXTERNAL VOLUME w {location}",
        "CREATE OR REPLACE VOLUME w",
    ):
        with pytest.raises(UserError, match="VOLUME_IN_USE_BY_STREAM") as caught:
            watching.sql(text)
        assert caught.value.hint == "first DROP TABLE STREAM public.s"
    watching.lake.store.streams.drop(watching.stream())
    watching.sql("DROP VOLUME w")


def test_the_volume_tells_of_its_directory_and_its_queue(watching: Watching) -> None:
    on_s3(watching, "a", f"{SQS.format('q')} {DIRECTORY}")
    told = dict(watching.sql("DESC VOLUME EXTENDED a").rows)
    assert (told["directory_version"], told["malformed_messages"]) == ("0", "0")
