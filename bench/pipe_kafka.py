"""A pipe over JSON messages of Kafka against plain Spark, and against Structured Streaming.

All read the same topic of a broker on this machine from its beginning, take three fields out of
each message and append them to Delta, in the same process. Plain Spark is a batch read; Structured
Streaming runs with AvailableNow and a new checkpoint. The pipe is made anew for each round, with a
new group. The target is a rate, written as the time it allows. HEADWATER_BENCH_MESSAGES makes it
smaller for a quick look.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING, Any

import headwater
from bench.measure import Contender, Duel, interleave
from bench.outcome import Findings, times_rival
from bench.profiling import print_profile
from bench.scratch import Scratch

if TYPE_CHECKING:
    from tests.servers.kafka_broker import KafkaBroker

LEAST_RATE = 0.8
MESSAGES = int(os.environ.get("HEADWATER_BENCH_MESSAGES", 2_000_000))
_PARTITIONS = 4
_ROUNDS = 7
_WARM_UPS = 1
"""Of a round that does not count: the first of a process pays for what Spark compiles."""
_MOST_SECONDS = 600.0
_COLUMNS = "id BIGINT, name STRING, amount DOUBLE"
_PARSED = f"from_json(CAST(value AS STRING), '{_COLUMNS}') AS m"
_PIPE = (
    "CREATE PIPE p VIRTUAL_CLUSTER = 'DEFAULT' RESET_KAFKA_GROUP_OFFSETS = 'earliest' "
    # Partitions are filled by chance: some have more than the default of 500,000.
    "BATCH_SIZE_PER_KAFKA_PARTITION = 2000000 "
    "AS COPY INTO ours FROM (SELECT m.* FROM (SELECT {parsed} FROM READ_KAFKA("
    "'{broker}', 'orders', '', 'group-{number}', '', '', '', '', 'raw', 'raw', 0, map())))"
)


def run(scratch: Scratch) -> Findings:
    """Fill a topic, then load it in turn."""
    from tests.servers.kafka_broker import KafkaBroker

    with (
        KafkaBroker(scratch.folder / "kafka") as broker,
        closing(headwater.connect(scratch.folder / "kafka-lake")) as connection,
    ):
        broker.create_topic("orders", _PARTITIONS)
        scratch.say(f"sending {MESSAGES:,} messages")
        line = '{{"id": {0}, "name": "customer {0}", "amount": {1}.25}}'
        broker.produce("orders", (line.format(n, n % 1000) for n in range(MESSAGES)))
        connection.sql(f"CREATE TABLE ours ({_COLUMNS})")
        connection.session.lake.engine.reach_kafka()
        spark = connection.session.state.spark()._session
        return _compare(scratch, connection, spark, broker)


def _compare(
    scratch: Scratch, connection: headwater.Connection, spark: Any, broker: KafkaBroker
) -> Findings:
    pipe = _pipe(connection, broker.bootstrap)
    batch = f"file:{scratch.folder}/kafka-batch"
    stream = f"file:{scratch.folder}/kafka-stream"
    scratch.say(f"{_ROUNDS} rounds")
    ours, plain, streaming = interleave(
        [
            Contender("pipe", connection.run_until_idle, settle=pipe),
            Contender("Spark batch", _batch(spark, broker.bootstrap, batch)),
            Contender("AvailableNow", _stream(spark, broker.bootstrap, stream)),
        ],
        rounds=_ROUNDS,
        warm_ups=_WARM_UPS,
        most_seconds=_MOST_SECONDS,
    )
    wanted = MESSAGES * (_WARM_UPS + len(ours.seconds))
    found = [
        connection.sql("SELECT count(m.id) FROM ours AS m").rows[0][0],
        *(spark.read.format("delta").load(place).count() for place in (batch, stream)),
    ]
    assert found == [wanted] * 3, f"{found}, and not {wanted} each"
    if scratch.profile:
        print_profile("pipe", connection.run_until_idle, times=1)
    most, case = 1 / LEAST_RATE, f"pipe over {MESSAGES:,} messages"
    return Findings(
        (
            times_rival(f"{case}, against a Spark batch", Duel(ours, plain), most=most),
            times_rival(f"{case}, against AvailableNow", Duel(ours, streaming), most=most),
        ),
        (f"{MESSAGES / ours.median:,.0f} messages a second",),
    )


def _pipe(connection: headwater.Connection, broker: str) -> Callable[[], None]:
    """Makes a pipe that has read nothing, now and after each round."""
    numbers = count()

    def make() -> None:
        connection.sql("DROP PIPE IF EXISTS p")
        text = _PIPE.format(parsed=_PARSED, broker=broker, number=next(numbers))
        connection.sql(text)

    make()
    return make


def _batch(spark: Any, broker: str, place: str) -> Callable[[], None]:
    def load() -> None:
        frame = _options(spark.read, broker).option("endingOffsets", "latest").load()
        rows = frame.selectExpr(_PARSED).select("m.*")
        rows.write.format("delta").mode("append").save(place)

    return load


def _stream(spark: Any, broker: str, place: str) -> Callable[[], None]:
    numbers = count()

    def load() -> None:
        frame = _options(spark.readStream, broker).load()
        rows = frame.selectExpr(_PARSED).select("m.*")
        writer = rows.writeStream.format("delta").outputMode("append").trigger(availableNow=True)
        checkpoint = f"{place}-checkpoint-{next(numbers)}"
        writer.option("checkpointLocation", checkpoint).start(place).awaitTermination()

    return load


def _options(reader: Any, broker: str) -> Any:
    options = {
        "kafka.bootstrap.servers": broker,
        "subscribe": "orders",
        "startingOffsets": "earliest",
    }
    return reader.format("kafka").options(**options)
