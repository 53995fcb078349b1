"""Lakes with a pipe over a topic, and what must be true of them whatever was killed meanwhile."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import headwater
from headwater.kafka.client import KafkaClient
from headwater.pipes.messages import offsets_of
from tests.crash.file_worlds import check_batches, pipe_of
from tests.servers.kafka_broker import KafkaBroker

PARTITIONS = 2
_READ = "READ_KAFKA('{servers}', '{topic}', '', '{topic}', '', '', '', '', 'raw', 'raw', 0, {map})"
_MAP = "MAP('kafka.auto.offset.reset', 'earliest')"
BODIES = {
    # Every message as a row, with its place.
    "copy": "COPY INTO k FROM (SELECT CAST(CAST(value AS STRING) AS INT), partition, offset"
    " FROM TABLE({read}))",
    "insert": "INSERT INTO k SELECT CAST(CAST(value AS STRING) AS INT), partition, offset"
    " FROM {read}",
    # A message that counts twice is seen in the sum.
    "merge": "MERGE INTO counts t USING (SELECT CAST(key AS STRING) AS k, count(*) AS n"
    " FROM {read} GROUP BY 1) s ON t.k = s.k"
    " WHEN MATCHED THEN UPDATE SET n = t.n + s.n WHEN NOT MATCHED THEN INSERT (k, n)"
    " VALUES (s.k, s.n)",
    # A stream on the messages, which moves with the batches.
    "stream": "COPY INTO k FROM (SELECT CAST(CAST(value AS STRING) AS INT), partition, offset"
    " FROM watched)",
}
SELECTS = {
    "copy": "SELECT id, part, off FROM k",
    "insert": "SELECT id, part, off FROM k",
    "merge": "SELECT k, n FROM counts",
    "stream": "SELECT id, part, off FROM k",
}
_WATCHED = """
    CREATE STORAGE CONNECTION brokers TYPE KAFKA
      BOOTSTRAP_SERVERS = ['{servers}'] SECURITY_PROTOCOL = 'PLAINTEXT';
    CREATE EXTERNAL TABLE messages (value BINARY, partition INT, offset BIGINT) USING KAFKA
      OPTIONS ('topics' = '{topic}', 'group_id' = '{topic}') CONNECTION brokers;
    CREATE TABLE STREAM watched ON TABLE messages
      WITH PROPERTIES ('TABLE_STREAM_MODE' = 'APPEND_ONLY')
"""


@dataclass(slots=True)
class KafkaWorld:
    """A lake whose pipe `p` reads a topic; `sent` are the values of each partition, in order."""

    lake: Path
    broker: KafkaBroker
    topic: str
    body: str
    sent: dict[int, list[int]] = field(
        default_factory=lambda: {partition: [] for partition in range(PARTITIONS)}
    )

    @property
    def select(self) -> str:
        return SELECTS[self.body]

    def produce(self, count: int) -> None:
        """Send so many messages to each partition."""
        for partition, sent in self.sent.items():
            values = [1000 * partition + len(sent) + place for place in range(count)]
            messages = [(f"k{value % 3}", str(value)) for value in values]
            self.broker.produce(self.topic, messages, partition=partition)
            sent += values

    def rows(self) -> list[tuple[Any, ...]]:
        """What must be in the table."""
        if self.body == "merge":
            keys = Counter(f"k{value % 3}" for sent in self.sent.values() for value in sent)
            return sorted(keys.items())
        return sorted(
            (value, partition, offset)
            for partition, sent in self.sent.items()
            for offset, value in enumerate(sent)
        )


def make_kafka_world(
    template: Path, lake: Path, broker: KafkaBroker, topic: str, body: str, *, per_partition: int
) -> KafkaWorld:
    """A copy of a lake with tables, a topic, and a pipe over it."""
    shutil.copytree(template, lake)
    broker.create_topic(topic, PARTITIONS)
    read = _READ.format(servers=broker.bootstrap, topic=topic, map=_MAP)
    with headwater.connect(lake) as connection:
        if body == "stream":
            connection.sql(_WATCHED.format(servers=broker.bootstrap, topic=topic))
        connection.sql(
            "CREATE PIPE p VIRTUAL_CLUSTER = 'default'"
            f" BATCH_SIZE_PER_KAFKA_PARTITION = {per_partition} AS "
            + BODIES[body].format(read=read)
        )
    return KafkaWorld(lake, broker, topic, body)


def check_kafka_world(world: KafkaWorld, rows: Sequence[tuple[Any, ...]]) -> None:
    """Every message once; catalog, Delta log and consumer group agree how far the pipe is.

    So does the stream, if the pipe reads one.
    """
    assert sorted(rows) == world.rows()
    with headwater.connect(world.lake) as connection:
        lake = connection.session.lake
        pipe = pipe_of(lake)
        mark = check_batches(lake, pipe)
        assert pipe.offsets == mark.offsets
        # Each batch has moved the stream once.
        streams = lake.store.streams.list(pipe.workspace)
        moved = [(stream.offset.partitions, stream.number) for stream in streams]
        assert moved == ([(pipe.offsets, pipe.batch)] if world.body == "stream" else [])
    ends = {world.topic: {partition: len(sent) for partition, sent in world.sent.items()}}
    assert offsets_of(pipe.offsets) == ends
    client = KafkaClient(world.broker.bootstrap, group_id=world.topic)
    try:
        assert client.group_offsets([world.topic]) == ends
    finally:
        client.close()
