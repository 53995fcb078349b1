"""Pipes over Kafka, with a real broker and Spark: where they begin, go on, and what they report."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field

import pytest
from tests.kafka_fixture import KAFKA_USERS
from tests.pipes.topics import new_lake, new_name, pipe_named, read_kafka, sasl, shown
from tests.servers.kafka_broker import KafkaBroker

import headwater
from headwater.catalog.pipes import Pipe, PipeStatus
from headwater.kafka.client import KafkaClient

pytestmark = [pytest.mark.spark, pytest.mark.timeout(240)]

EARLIEST = {"kafka.auto.offset.reset": "earliest"}
IMPATIENT = {"kafka.default.api.timeout.ms": "2000", "kafka.request.timeout.ms": "1500"}
BODY = "COPY INTO {table} FROM (SELECT CAST(value AS STRING), partition, offset FROM TABLE({read}))"


@dataclass(slots=True)
class Feed:
    """A topic, a group, a table and room for a pipe, all of one name."""

    lake: headwater.Connection
    broker: KafkaBroker
    name: str = field(default_factory=new_name)

    def create(
        self,
        properties: str = "",
        *,
        body: str = BODY,
        servers: str | None = None,
        settings: dict[str, str] | None = None,
    ) -> None:
        read = read_kafka(
            servers or self.broker.bootstrap, self.name, group=self.name, settings=settings
        )
        text = body.format(table=self.name, read=read)
        self.lake.sql(f"CREATE PIPE {self.name} VIRTUAL_CLUSTER = 'default' {properties} AS {text}")

    def run(self) -> None:
        self.lake.run_until_idle()

    @property
    def pipe(self) -> Pipe:
        return pipe_named(self.lake, self.name)

    @property
    def offsets(self) -> dict[int, int] | None:
        """How far the pipe is, by partition."""
        stored = self.pipe.offsets
        return None if stored is None else {int(p): o for p, o in stored[self.name].items()}

    def rows(self) -> list[tuple[object, ...]]:
        return sorted(self.lake.sql(f"SELECT value, part, off FROM {self.name}").rows)

    def described(self) -> dict[str, str]:
        return dict(self.lake.sql(f"DESC PIPE EXTENDED {self.name}").rows)

    def group_offsets(self) -> dict[int, int]:
        with closing(KafkaClient(self.broker.bootstrap, group_id=self.name)) as client:
            return dict(client.group_offsets([self.name]).get(self.name, {}))

    def commit_group(self, offset: int) -> None:
        with closing(KafkaClient(self.broker.bootstrap, group_id=self.name)) as client:
            client.commit_group_offsets({self.name: {0: offset}})


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[headwater.Connection]:
    with new_lake(tmp_path_factory.mktemp("kafka") / "lake") as connection:
        yield connection


@pytest.fixture
def feed(lake: headwater.Connection, kafka_broker: KafkaBroker) -> Iterator[Feed]:
    made = Feed(lake, kafka_broker)
    lake.sql(f"CREATE TABLE {made.name} (value STRING, part INT, off BIGINT)")
    yield made
    lake.sql(f"DROP PIPE IF EXISTS {made.name}")


@pytest.fixture
def topic(feed: Feed) -> str:
    """The feed's topic, of one partition; old messages stay."""
    return feed.broker.create_topic(feed.name, retention_ms="-1")


def test_what_comes_after_the_pipe_was_made_is_loaded_and_nothing_else(
    feed: Feed, topic: str
) -> None:
    feed.broker.produce(topic, ["old", "older"])
    feed.create()
    feed.broker.produce(topic, ["a", "b"])
    assert feed.offsets == {0: 2}
    feed.run()
    assert feed.rows() == [("a", 0, 2), ("b", 0, 3)]
    assert feed.offsets == feed.group_offsets() == {0: 4}
    about = feed.described()
    assert (about["pipe_kind"], about["input_name"]) == ("KAFKA", f"kafka:{topic}")
    assert (about["rows_loaded"], about["batches"]) == ("2", "1")
    assert json.loads(about["offsets"]) == {topic: {"0": 4}}
    jobs = lake_jobs(feed)
    assert len(jobs) == 1
    assert jobs[0]["status"] == "SUCCEED"


def lake_jobs(feed: Feed) -> list[dict[str, object]]:
    tag = f"pipe.headwater.public.{feed.name}"
    return [job for job in feed.lake.sql("SHOW JOBS").to_dicts() if job["query_tag"] == tag]


def test_latency_has_the_documented_shape_and_no_messages_left_after_catching_up(
    feed: Feed, topic: str
) -> None:
    """The time is that since the last look which found everything read, as the documents say."""
    feed.create(settings=EARLIEST)
    feed.broker.produce(topic, ["a", "b"])
    before = time.time()
    feed.run()
    latency = json.loads(feed.described()["pipe_latency"])
    assert list(latency) == ["kafka"]
    consumed = latency["kafka"].pop("lastConsumeTimestamp")
    since = latency["kafka"].pop("timeLag")
    assert latency["kafka"] == {"lags": {"0": 0}, "offsetLag": 0}
    assert before <= consumed / 1000 <= time.time()
    assert 0 <= since <= time.time() * 1000 - consumed + 1


def test_a_new_group_begins_where_auto_offset_reset_says(feed: Feed, topic: str) -> None:
    feed.broker.produce(topic, ["a", "b"])
    feed.create(settings=EARLIEST)
    feed.run()
    assert feed.rows() == [("a", 0, 0), ("b", 0, 1)]


def test_a_message_is_never_code(feed: Feed, topic: str) -> None:
    messages = [f"'); DROP TABLE {feed.name}; --", "${env:HOME} {{ 1 }} $(id)", "../../etc\\u0027"]
    feed.broker.produce(topic, messages)
    feed.create(settings=EARLIEST)
    feed.run()
    assert {value for value, _, _ in feed.rows()} == set(messages)


@pytest.mark.parametrize(
    ("reset", "expected"),
    [
        ("", 3),
        ("RESET_KAFKA_GROUP_OFFSETS = 'none'", 3),
        ("RESET_KAFKA_GROUP_OFFSETS = 'valid'", 3),
        ("RESET_KAFKA_GROUP_OFFSETS = 'earliest'", 1),
        ("RESET_KAFKA_GROUP_OFFSETS = 'latest'", 5),
        ("RESET_KAFKA_GROUP_OFFSETS = '4000'", 4),
        ("RESET_KAFKA_GROUP_OFFSETS = '9999999'", 5),
    ],
)
def test_where_a_pipe_of_a_known_group_begins(
    feed: Feed, topic: str, reset: str, expected: int
) -> None:
    """Of the messages 0 to 4, a second apart, the first is gone; the group has read three."""
    for second in range(5):
        feed.broker.produce(topic, [str(second)], timestamp=second * 1000)
    feed.broker.delete_records(topic, 0, before=1)
    feed.commit_group(3)
    feed.create(reset)
    assert feed.offsets == {0: expected}


def test_valid_begins_at_the_first_message_when_the_groups_offset_is_gone(
    feed: Feed, topic: str
) -> None:
    feed.broker.produce(topic, ["a", "b", "c"])
    feed.commit_group(1)
    feed.broker.delete_records(topic, 0, before=2)
    feed.create("RESET_KAFKA_GROUP_OFFSETS = 'valid'")
    assert feed.offsets == {0: 2}


def test_a_pipe_made_anew_goes_on_where_its_group_was(feed: Feed, topic: str) -> None:
    feed.create(settings=EARLIEST)
    feed.broker.produce(topic, ["a", "b"])
    feed.run()
    feed.lake.sql(f"DROP PIPE {feed.name}")
    feed.broker.produce(topic, ["c"])
    feed.create(settings=EARLIEST)
    feed.run()
    assert feed.rows() == [("a", 0, 0), ("b", 0, 1), ("c", 0, 2)]


def test_batches_are_bounded_per_partition_and_keep_the_order(feed: Feed) -> None:
    topic = feed.broker.create_topic(feed.name, 2)
    feed.create("BATCH_SIZE_PER_KAFKA_PARTITION = 2", settings=EARLIEST)
    feed.broker.produce(topic, [f"a{n}" for n in range(5)], partition=0)
    feed.broker.produce(topic, ["b0"], partition=1)
    feed.run()
    assert feed.rows() == [(f"a{n}", 0, n) for n in range(5)] + [("b0", 1, 0)]
    assert feed.pipe.batch == 3
    payloads = [b.payload for b in feed.lake.session.lake.store.pipe_batches.of(feed.pipe.id)]
    ranges = [payload["ranges"] for payload in reversed(payloads)]
    assert ranges == [
        [[topic, 0, 0, 2], [topic, 1, 0, 1]],
        [[topic, 0, 2, 4]],
        [[topic, 0, 4, 5]],
    ]


def test_partitions_that_are_added_are_read_from_their_start(feed: Feed, topic: str) -> None:
    feed.create()
    feed.broker.produce(topic, ["a"])
    feed.run()
    feed.broker.add_partitions(topic, 3)
    feed.broker.produce(topic, ["b"], partition=2)
    feed.run()
    assert feed.rows() == [("a", 0, 0), ("b", 2, 0)]
    assert feed.offsets == {0: 1, 1: 0, 2: 1}


def test_messages_that_expired_are_reported_and_the_rest_is_loaded(feed: Feed, topic: str) -> None:
    feed.create()
    feed.broker.produce(topic, ["a", "b", "c", "d"])
    feed.broker.delete_records(topic, 0, before=3)
    feed.run()
    assert feed.rows() == [("d", 0, 3)]
    assert feed.described()["warnings"] == (
        f"offsets 0 to 2 of {topic} partition 0 were deleted by the brokers before they were read"
    )


def test_insert_as_body(feed: Feed, topic: str) -> None:
    body = "INSERT INTO {table} SELECT upper(CAST(value AS STRING)), partition, offset FROM {read}"
    feed.create(body=body)
    feed.broker.produce(topic, ["a", "b"])
    feed.run()
    feed.broker.produce(topic, ["c"])
    feed.run()
    assert feed.rows() == [("A", 0, 0), ("B", 0, 1), ("C", 0, 2)]


def test_merge_as_body_keeps_the_newest_message_of_each_value(feed: Feed, topic: str) -> None:
    body = (
        "MERGE INTO {table} t USING (SELECT CAST(value AS STRING) AS value, max(partition) AS part,"
        " max(offset) AS off FROM {read} GROUP BY 1) s ON t.value = s.value"
        " WHEN MATCHED THEN UPDATE SET off = s.off"
        " WHEN NOT MATCHED THEN INSERT (value, part, off) VALUES (s.value, s.part, s.off)"
    )
    feed.create(body=body)
    feed.broker.produce(topic, ["a", "b"])
    feed.run()
    feed.broker.produce(topic, ["a", "c"])
    feed.run()
    assert feed.rows() == [("a", 0, 2), ("b", 0, 1), ("c", 0, 3)]
    assert feed.pipe.batch == 2


@pytest.mark.parametrize("user", KAFKA_USERS)
def test_a_pipe_with_a_password_loads_and_shows_it_nowhere(
    feed: Feed, topic: str, user: str
) -> None:
    settings = EARLIEST | sasl(user, KAFKA_USERS[user])
    feed.create(servers=feed.broker.sasl_bootstrap, settings=settings)
    feed.broker.produce(topic, ["a"])
    feed.run()
    assert feed.rows() == [("a", 0, 0)]
    assert KAFKA_USERS[user] not in shown(feed.lake)


def test_a_wrong_password_makes_the_pipe_invalid(feed: Feed, topic: str) -> None:
    settings = sasl("reader", "not-the-s3cret")
    feed.create(servers=feed.broker.sasl_bootstrap, settings=settings)
    feed.run()
    about = feed.described()
    assert about["pipe_status"] == "INVALID"
    assert about["invalid_reason"].startswith("KAFKA_REFUSED")
    assert json.loads(about["pipe_latency"])["kafka"]["timeLag"] == -1
    assert "not-the-s3cret" not in shown(feed.lake)


def test_a_topic_that_is_made_after_its_pipe(feed: Feed) -> None:
    feed.create(settings=EARLIEST)
    assert feed.offsets is None
    feed.run()
    assert feed.pipe.status is PipeStatus.INVALID
    feed.broker.create_topic(feed.name)
    feed.broker.produce(feed.name, ["a"])
    feed.lake.sql(f"ALTER PIPE {feed.name} SET PIPE_EXECUTION_PAUSED = FALSE")
    feed.run()
    assert feed.rows() == [("a", 0, 0)]


def test_a_pipe_is_made_while_nobody_answers(feed: Feed) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        started = time.monotonic()
        feed.create(servers=f"127.0.0.1:{unused.getsockname()[1]}")
        assert time.monotonic() - started < 3
    assert feed.offsets is None


def at_the_first_intent(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]) -> None:
    """Something happens once, when the pipe has said what it is going to read."""
    left = [happens]

    def reach(place: str) -> None:
        if place == "pipe.intent" and left:
            left.pop()()

    monkeypatch.setattr("headwater.pipes.settling.reach", reach)


def test_messages_that_expire_between_plan_and_read_are_reported_and_the_rest_is_loaded(
    feed: Feed, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed.create()
    feed.broker.produce(topic, ["a", "b", "c"])
    at_the_first_intent(monkeypatch, lambda: feed.broker.delete_records(topic, 0, before=2))
    feed.run()
    assert feed.rows() == [("c", 0, 2)]
    assert (feed.pipe.status, feed.pipe.failures) == (PipeStatus.RUNNING, 0)
    assert "offsets 0 to 1" in feed.described()["warnings"]
    failed = [str(job["job_id"]) for job in lake_jobs(feed) if job["status"] == "FAILED"]
    assert len(failed) == 1
    job = feed.lake.session.lake.store.jobs.get(failed[0])
    assert job is not None
    assert (job.error or "").startswith("KAFKA_MESSAGES_GONE")


def test_a_broker_that_goes_away_while_spark_reads_and_comes_back(
    feed: Feed, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of the last: it stops the broker that all tests share."""
    feed.create(settings=EARLIEST | IMPATIENT)
    feed.broker.produce(topic, ["a", "b"])
    at_the_first_intent(monkeypatch, feed.broker.stop)
    loop = threading.Thread(target=feed.run)
    try:
        loop.start()
        wait_for_a_failure(feed)
        assert feed.pipe.status is PipeStatus.RUNNING
        assert (feed.pipe.last_error or "").startswith("KAFKA_NO_ANSWER")
    finally:
        feed.broker.start()
        loop.join(timeout=120)
    assert not loop.is_alive()
    assert feed.rows() == [("a", 0, 0), ("b", 0, 1)]
    assert (feed.pipe.status, feed.pipe.failures) == (PipeStatus.RUNNING, 0)
    assert feed.group_offsets() == {0: 2}


def wait_for_a_failure(feed: Feed) -> None:
    deadline = time.monotonic() + 60
    while not feed.pipe.failures:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_broker_that_goes_away_and_comes_back(feed: Feed, topic: str) -> None:
    """One of the last: it stops the broker that all tests share."""
    feed.create()
    feed.broker.produce(topic, ["a"])
    feed.run()
    feed.broker.produce(topic, ["b"])
    feed.broker.stop()
    loop = threading.Thread(target=feed.run)
    try:
        loop.start()
        wait_for_a_failure(feed)
        assert feed.pipe.status is PipeStatus.RUNNING
        assert json.loads(feed.described()["pipe_latency"])["kafka"]["timeLag"] == -1
    finally:
        feed.broker.start()
        loop.join(timeout=120)
    assert not loop.is_alive()
    assert feed.rows() == [("a", 0, 0), ("b", 0, 1)]
    assert (feed.pipe.failures, feed.group_offsets()) == (0, {0: 2})
