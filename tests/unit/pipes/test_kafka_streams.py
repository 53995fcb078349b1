"""Where a stream on a Kafka table begins, asked of a real broker; Spark never starts."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.servers.kafka_broker import KafkaBroker

import headwater
from headwater.catalog.streams import Stream, StreamMode, StreamSource
from headwater.errors import HeadwaterError, SchemaError
from headwater.kafka.offsets import OffsetRange
from headwater.pipes.kafka_streams import plan_kafka_read
from headwater.streams.reads import StreamRead, StreamReads


@pytest.fixture
def lake(
    new_lake: Path, tmp_path: Path, kafka_broker: KafkaBroker
) -> Iterator[headwater.Connection]:
    folder = shutil.copytree(new_lake, tmp_path / "lake")
    servers = kafka_broker.bootstrap
    with headwater.connect(folder, user="tester", time_zone="UTC") as connection:
        connection.sql(f"CREATE STORAGE CONNECTION c TYPE KAFKA BOOTSTRAP_SERVERS = ['{servers}']")
        yield connection
        assert not connection.session.lake.engine.started


@pytest.fixture
def topic(kafka_broker: KafkaBroker) -> str:
    """Two partitions, with three messages and none."""
    name = kafka_broker.create_topic("t" + uuid.uuid4().hex[:12], 2)
    kafka_broker.produce(name, ["a", "b", "c"], partition=0)
    return name


def stream_on(
    lake: headwater.Connection, topic: str, *, starting: str = "", initial: bool = False
) -> Stream:
    """A new stream on a new table over `topic`."""
    offset = f", 'starting_offset' = '{starting}'" if starting else ""
    lake.sql(
        "CREATE EXTERNAL TABLE k (value BINARY, `offset` BIGINT) USING KAFKA"
        f" OPTIONS('topics' = '{topic}'{offset}) CONNECTION c"
    )
    lake.sql(
        "CREATE TABLE STREAM s ON TABLE k WITH PROPERTIES"
        f" ('TABLE_STREAM_MODE' = 'APPEND_ONLY', 'SHOW_INITIAL_ROWS' = '{initial}')"
    )
    found = lake.session.lake.store.streams.get("headwater", "public", "s")
    assert found is not None
    return found


def test_it_begins_at_the_end_of_the_topics(lake: headwater.Connection, topic: str) -> None:
    stream = stream_on(lake, topic, starting="earliest")
    assert stream.offset.partitions == {topic: {"0": 3, "1": 0}}
    assert (stream.source, stream.mode) == (StreamSource.KAFKA, StreamMode.APPEND_ONLY)
    assert not stream.offset.initial


@pytest.mark.parametrize(
    ("starting", "first"),
    [("earliest", 0), ("latest", 3), ('{"%s": {"0": 2}}', 2), ('{"%s": {"0": -1}}', 3)],
)
def test_with_initial_rows_it_begins_where_its_table_does(
    lake: headwater.Connection, topic: str, starting: str, first: int
) -> None:
    text = starting.replace("%s", topic)
    stream = stream_on(lake, topic, starting=text, initial=True)
    assert stream.offset.partitions == {topic: {"0": first, "1": 0}}


def test_desc_shows_the_offsets_and_columns(lake: headwater.Connection, topic: str) -> None:
    stream_on(lake, topic)
    shown = dict(lake.sql("DESC TABLE STREAM EXTENDED s").rows)
    assert json.loads(shown["offset"]) == {topic: {"0": 3, "1": 0}}
    assert (shown["stale"], shown["current_offset_version"]) == ("false", None)
    assert [row[0] for row in lake.sql("DESC s")][3:] == ["value", "offset"]
    lake.sql("DROP TABLE k")
    assert dict(lake.sql("DESC TABLE STREAM s").rows)["stale"] == "true"


def test_a_topic_that_does_not_exist_is_an_error_and_leaves_no_stream(
    lake: headwater.Connection,
) -> None:
    with pytest.raises(HeadwaterError) as caught:
        stream_on(lake, "nowhere-at-all")
    assert "nowhere-at-all" in caught.value.message
    assert lake.sql("SHOW STREAMS").rows == []


def read_of(lake: headwater.Connection, stream: Stream) -> StreamRead:
    """What a statement would read of a stream now."""
    open_lake = lake.session.lake
    table = open_lake.store.tables.get_by_id(stream.source_id)
    assert table is not None
    return plan_kafka_read(open_lake, stream, table, None)


def test_messages_that_were_deleted_before_they_were_shown_are_an_error(
    lake: headwater.Connection, topic: str, kafka_broker: KafkaBroker
) -> None:
    stream = stream_on(lake, topic, initial=True)
    kafka_broker.delete_records(topic, 0, 2)
    with pytest.raises(SchemaError) as caught:
        read_of(lake, stream)
    assert caught.value.condition == "STREAM_MESSAGES_GONE"
    assert caught.value.message == (
        f"stream 'public.s' has not shown the messages 0 to 1 of {topic} partition 0, and the"
        " brokers have deleted them"
    )


def test_who_reads_a_topic_that_was_made_anew_is_told(
    lake: headwater.Connection, topic: str, kafka_broker: KafkaBroker
) -> None:
    stream = stream_on(lake, topic)
    assert read_of(lake, stream).warning is None
    kafka_broker.delete_topic(topic)
    kafka_broker.create_topic(topic, 1)
    kafka_broker.produce(topic, ["d"], partition=0)
    reads = StreamReads()
    read = reads.once(stream, lambda found: read_of(lake, found))
    assert read.messages == (OffsetRange(topic, 0, 0, 1),)
    (warning,) = reads.warnings
    assert warning == (
        f"stream public.s: partition 1 of topic '{topic}' does not exist any more; partition 0 of"
        f" topic '{topic}' ends at offset 1, before the offset 3 to read next: the topic was made"
        " anew, and is read from offset 0"
    )
