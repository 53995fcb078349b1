"""Streams on Kafka tables, with a real broker: each message once, by hand or by a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.pipes.topics import new_lake, new_name, pipe_named
from tests.servers.kafka_broker import KafkaBroker

import headwater
from headwater.catalog.pipes import PipeStatus
from headwater.errors import UserError

pytestmark = [pytest.mark.spark, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[headwater.Connection]:
    with new_lake(tmp_path_factory.mktemp("streams") / "lake") as connection:
        yield connection


@dataclass(slots=True)
class Feed:
    """A topic with a Kafka table, room for a stream and a table to load into, all named alike."""

    lake: headwater.Connection
    broker: KafkaBroker
    name: str

    def stream(self, *, initial: bool = False) -> None:
        self.lake.sql(
            f"CREATE TABLE STREAM {self.name}_s ON TABLE {self.name}_k WITH PROPERTIES "
            f"('TABLE_STREAM_MODE' = 'APPEND_ONLY', 'SHOW_INITIAL_ROWS' = '{initial}')"
        )

    def send(self, *texts: str) -> None:
        self.broker.produce(self.name, list(texts))

    def shown(self) -> list[str]:
        found = self.lake.sql(f"SELECT CAST(value AS STRING) FROM {self.name}_s")
        return sorted(row[0] for row in found)

    def loaded(self) -> list[str]:
        return sorted(row[0] for row in self.lake.sql(f"SELECT v FROM {self.name}_t"))

    def load(self) -> int:
        body = f"SELECT CAST(value AS STRING) FROM {self.name}_s"
        return self.lake.sql(f"INSERT INTO {self.name}_t {body}").rowcount


@pytest.fixture
def feed(lake: headwater.Connection, kafka_broker: KafkaBroker) -> Feed:
    name = new_name()
    kafka_broker.create_topic(name, partitions=2)
    lake.sql(
        f"CREATE STORAGE CONNECTION {name}_c TYPE KAFKA "
        f"BOOTSTRAP_SERVERS = ['{kafka_broker.bootstrap}'] SECURITY_PROTOCOL = 'PLAINTEXT'; "
        f"CREATE EXTERNAL TABLE {name}_k (value BINARY, partition INT) USING KAFKA "
        f"OPTIONS ('topics' = '{name}') CONNECTION {name}_c; "
        f"CREATE TABLE {name}_t (v STRING)"
    )
    return Feed(lake, kafka_broker, name)


def test_a_stream_shows_messages_from_its_making_on_until_they_are_consumed(feed: Feed) -> None:
    feed.send("before")
    feed.stream()
    assert feed.shown() == []
    feed.send("a", "b", "c")
    assert feed.shown() == ["a", "b", "c"]
    rows = feed.lake.sql(f"SELECT __change_type, __commit_version, * FROM {feed.name}_s").rows
    assert {row[0] for row in rows} == {"INSERT"}
    assert feed.load() == 3
    assert feed.shown() == []
    feed.send("d")
    assert feed.load() == 1
    assert feed.loaded() == ["a", "b", "c", "d"]


def test_with_initial_rows_a_stream_begins_where_its_table_does(feed: Feed) -> None:
    feed.send("a", "b")
    feed.stream(initial=True)
    assert feed.shown() == ["a", "b"]


def test_messages_are_only_ever_added(feed: Feed) -> None:
    with pytest.raises(UserError, match="KAFKA_STREAM_MODE"):
        feed.lake.sql(
            f"CREATE TABLE STREAM {feed.name}_s ON TABLE {feed.name}_k "
            "WITH PROPERTIES ('TABLE_STREAM_MODE' = 'STANDARD')"
        )


@pytest.mark.parametrize(
    "body",
    [
        "COPY INTO {0}_t FROM (SELECT CAST(value AS STRING) AS v FROM {0}_s)",
        "INSERT INTO {0}_t SELECT CAST(value AS STRING) FROM {0}_s",
    ],
    ids=["copy", "insert"],
)
def test_a_pipe_over_a_stream_moves_it_with_its_batches(feed: Feed, body: str) -> None:
    feed.send("before")
    feed.stream()
    feed.send("a", "b", "c")
    text = body.format(feed.name)
    feed.lake.sql(
        f"CREATE PIPE {feed.name} VIRTUAL_CLUSTER = 'default' "
        f"BATCH_SIZE_PER_KAFKA_PARTITION = '2' AS {text}"
    )
    feed.lake.run_until_idle()
    assert feed.loaded() == ["a", "b", "c"]
    assert feed.shown() == []
    # somebody else consumes it by hand: the pipe goes on behind that
    feed.send("by hand")
    assert feed.load() == 1
    feed.send("d")
    feed.lake.run_until_idle()
    assert feed.loaded() == ["a", "b", "by hand", "c", "d"]
    pipe = pipe_named(feed.lake, feed.name)
    assert pipe.status is PipeStatus.RUNNING
    assert pipe.input_name == f"kafka_table_stream:headwater.public.{feed.name}_s"


def test_a_stream_feeds_one_pipe(feed: Feed) -> None:
    feed.stream()
    body = f"INSERT INTO {feed.name}_t SELECT CAST(value AS STRING) FROM {feed.name}_s"
    feed.lake.sql(f"CREATE PIPE {feed.name} VIRTUAL_CLUSTER = 'default' AS {body}")
    with pytest.raises(UserError, match="KAFKA_GROUP_HAS_PIPE"):
        feed.lake.sql(f"CREATE PIPE {feed.name}_2 VIRTUAL_CLUSTER = 'default' AS {body}")
