"""Pipes that a queue tells about new files: S3, SQS and STS are moto's, Spark reads from it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.pipes.intake import CSV, Intake, intake_at
from tests.servers.amazon_server import ACCOUNT, REGION, AmazonServer, running_amazon
from tests.spark.places import Place

import headwater
from headwater.storage.addresses import parse_location
from headwater.storage.open_store import open_store

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

COPY = f"COPY INTO t FROM VOLUME v {CSV}"
PATIENCE = 60.0


@pytest.fixture(scope="module")
def amazon() -> Iterator[AmazonServer]:
    """S3, SQS and STS; whoever runs Headwater has keys that may assume the role."""
    with running_amazon() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "own-key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "own-s3cret")
        patch.setenv("AWS_ENDPOINT_URL_STS", server.endpoint)
        yield server


@pytest.fixture
def queue(amazon: AmazonServer) -> str:
    """A queue from which a message comes again after a second if it is not deleted."""
    return amazon.create_queue(visibility_seconds=1)


@pytest.fixture
def place(amazon: AmazonServer, queue: str) -> Place:
    """A bucket that tells the queue about its objects."""
    location = f"s3://{amazon.create_bucket(queue=queue)}/data/"
    role = f"ROLE_ARN = 'arn:aws:iam::{ACCOUNT}:role/reader'"
    sql = f"TYPE S3 REGION = '{REGION}' {role} ENDPOINT = '{amazon.endpoint}'"
    store = open_store(parse_location(location), amazon.connection)
    return Place("s3", location, sql, store)


@pytest.fixture(scope="module")
def shared_lake(
    amazon: AmazonServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[headwater.Connection]:
    folder = tmp_path_factory.mktemp("events") / "lake"
    with headwater.connect(folder, pipe_failures=2) as connection:
        yield connection


@pytest.fixture
def intake(
    shared_lake: headwater.Connection, amazon: AmazonServer, place: Place
) -> Iterator[Intake]:
    shared_lake.sql(f"CREATE STORAGE CONNECTION IF NOT EXISTS c {place.connection_sql}")
    with intake_at(shared_lake, place, recursive=False) as made:
        yield made


def event_pipe(intake: Intake, queue: str, body: str = COPY) -> None:
    intake.pipe(body, mode=f"INGEST_MODE = 'EVENT_NOTIFICATION' AWS_SQS_QUEUE = '{queue}'")


def waiting(amazon: AmazonServer, queue: str) -> int:
    """How many messages the queue has, seen and not."""
    url = f"{amazon.endpoint}/{ACCOUNT}/{queue}"
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    answer = amazon.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=names)
    return sum(int(answer["Attributes"][name]) for name in names)


def lose_messages(amazon: AmazonServer, queue: str) -> None:
    """Take everything out of the queue."""
    client, url = amazon.client("sqs"), f"{amazon.endpoint}/{ACCOUNT}/{queue}"
    while found := client.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        for message in found:
            client.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])


def created(intake: Intake, path: str) -> str:
    """A message that tells of a file of the folder."""
    bucket = parse_location(intake.place.location).bucket
    thing = {"key": f"data/{intake.folder}/{path}", "size": 1, "eTag": "0"}
    record = {
        "eventName": "ObjectCreated:Put",
        "s3": {"bucket": {"name": bucket}, "object": thing},
    }
    return json.dumps({"Records": [record]})


def run_until(intake: Intake, ids: list[int]) -> None:
    """Run until the table has these rows: a message that was received comes again only later."""
    deadline = time.monotonic() + PATIENCE
    while intake.ids != ids and time.monotonic() < deadline:
        intake.run()
    assert intake.ids == ids


def test_files_that_the_queue_tells_of_are_loaded_and_kept(
    intake: Intake, amazon: AmazonServer, queue: str
) -> None:
    event_pipe(intake, queue)
    intake.write("a.csv", "1,lamp\n")
    intake.write("1+1=2 ü%.csv", "2,desk\n")
    intake.run()
    assert intake.rows() == [(1, "lamp"), (2, "desk")]
    assert intake.files == ["1+1=2 ü%.csv", "a.csv"]
    assert waiting(amazon, queue) == 0
    intake.write("c.csv", "3,sofa\n")
    intake.run()
    assert intake.ids == [1, 2, 3]
    assert dict(intake.history) == dict.fromkeys(intake.files, "LOADED")
    names = ("files_loaded", "rows_loaded", "malformed_messages", "failures_total")
    assert intake.numbers(*names) == [3, 3, 0, 0]


def test_messages_that_come_twice_or_in_another_order(
    intake: Intake, amazon: AmazonServer, queue: str
) -> None:
    event_pipe(intake, queue)
    for path in ("c.csv", "a.csv", "b.csv", "a.csv", "never-written.csv"):
        amazon.send(queue, created(intake, path))
    for number, path in enumerate(["a.csv", "b.csv", "c.csv"]):
        intake.write(path, f"{number},x\n")
    intake.run()
    assert intake.ids == [0, 1, 2]
    batches = intake.numbers("batches")
    for path in ("b.csv", "a.csv"):
        amazon.send(queue, created(intake, path))
    intake.run()
    assert intake.ids == [0, 1, 2]
    assert intake.numbers("batches") == batches
    assert waiting(amazon, queue) == 0


def test_messages_that_make_no_sense_are_counted_and_laid_aside(
    intake: Intake, amazon: AmazonServer, queue: str
) -> None:
    event_pipe(intake, queue)
    bodies = ["not JSON", "{}", '{"Records": [{"eventName": 1}]}']
    for body in bodies:
        amazon.send(queue, body)
    intake.write("a.csv", "1,lamp\n")
    intake.run()
    assert intake.ids == [1]
    assert intake.told("pipe_status") == "RUNNING"
    assert intake.numbers("malformed_messages", "failures_total") == [3, 0]
    store = intake.lake.session.lake.store
    pipe = store.pipes.get("headwater", intake.folder, "p")
    assert pipe is not None
    aside = store.pipe_batches.aside(pipe.id)
    assert sorted(message.body for message in aside) == sorted(bodies)
    assert all(message.reason for message in aside)
    assert waiting(amazon, queue) == 0


def test_a_file_that_is_gone_before_it_is_loaded(
    intake: Intake, amazon: AmazonServer, queue: str
) -> None:
    event_pipe(intake, queue)
    intake.write("a.csv", "1,lamp\n")
    intake.write("b.csv", "2,desk\n")
    intake.place.store.delete_many([f"{intake.folder}/a.csv"])
    intake.run()
    assert intake.ids == [2]
    assert intake.told("pipe_status") == "RUNNING"
    assert waiting(amazon, queue) == 0


def test_files_that_are_not_the_pipes_are_left_alone(
    intake: Intake, amazon: AmazonServer, queue: str
) -> None:
    event_pipe(intake, queue)
    for path in (".a.csv", "_temporary_1.csv", "below/b.csv"):
        intake.write(path, "1,lamp\n")
    intake.place.write("elsewhere/c.csv", b"2,desk\n")
    intake.run()
    assert intake.ids == []
    assert intake.numbers("batches", "malformed_messages") == [0, 0]
    assert waiting(amazon, queue) == 0


def test_a_message_stays_until_its_files_are_in_the_table(
    intake: Intake, amazon: AmazonServer, queue: str
) -> None:
    event_pipe(intake, queue)
    intake.write("a.csv", "1,lamp\n")
    intake.write("b.csv", "x,broken\n")
    intake.run()
    assert intake.told("pipe_status") == "INVALID"
    assert "b.csv" in intake.told("invalid_reason")
    assert intake.ids == []
    assert waiting(amazon, queue) >= 2
    intake.write("b.csv", "2,mended\n")
    intake.resume()
    run_until(intake, [1, 2])
    deadline = time.monotonic() + PATIENCE
    while waiting(amazon, queue) and time.monotonic() < deadline:
        intake.run()
    assert waiting(amazon, queue) == 0
    assert intake.ids == [1, 2]


def test_a_broken_file_is_reported_once_and_the_others_are_loaded(
    intake: Intake, amazon: AmazonServer, queue: str
) -> None:
    event_pipe(intake, queue, f"{COPY} ON_ERROR = CONTINUE")
    intake.write("a.csv", "1,lamp\n")
    intake.write("b.csv", "x,broken\n")
    intake.run()
    assert intake.ids == [1]
    assert dict(intake.history) == {"a.csv": "LOADED", "b.csv": "LOAD_FAILED"}
    assert waiting(amazon, queue) == 0
    amazon.send(queue, created(intake, "b.csv"))
    intake.run()
    assert intake.numbers("files_failed") == [1]


@pytest.mark.parametrize(
    "body",
    [
        f"INSERT INTO t SELECT id, name FROM VOLUME v {CSV}",
        f"MERGE INTO t USING (SELECT id, name FROM VOLUME v {CSV}) s ON t.id = s.id AND t.id < 0"
        " WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)",
    ],
    ids=["insert", "merge"],
)
def test_other_statements_load_each_file_once_too(
    intake: Intake, amazon: AmazonServer, queue: str, body: str
) -> None:
    event_pipe(intake, queue, body)
    intake.write("a.csv", "1,lamp\n")
    intake.run()
    assert intake.ids == [1]
    intake.write("b.csv", "2,desk\n")
    amazon.send(queue, created(intake, "a.csv"))
    intake.run()
    assert intake.ids == [1, 2]
    assert dict(intake.history) == {"a.csv": "LOADED", "b.csv": "LOADED"}
    assert waiting(amazon, queue) == 0


def test_a_queue_that_is_not_there_stops_the_pipe(intake: Intake) -> None:
    event_pipe(intake, "nowhere")
    intake.run()
    assert intake.told("pipe_status") == "INVALID"
    assert "nowhere" in intake.told("invalid_reason")


def test_lost_events_are_healed_by_a_listing_if_it_is_wanted(
    intake: Intake, amazon: AmazonServer, queue: str, place: Place, tmp_path: Path
) -> None:
    event_pipe(intake, queue)
    intake.write("a.csv", "1,lamp\n")
    lose_messages(amazon, queue)
    intake.run()
    assert intake.ids == []
    healing = headwater.connect(tmp_path / "lake", pipe_heal_minutes=1)
    with healing as lake:
        lake.sql(f"CREATE STORAGE CONNECTION c {place.connection_sql}")
        with intake_at(lake, place, recursive=False) as healed:
            event_pipe(healed, queue)
            healed.write("b.csv", "2,desk\n")
            lose_messages(amazon, queue)
            healed.write("c.csv", "3,sofa\n")
            healed.run()
            assert healed.ids == [2, 3]
            assert healed.files == ["b.csv", "c.csv"]
            assert waiting(amazon, queue) == 0
