"""READ_KAFKA in queries: columns, positions, headers, passwords, brokers that are not there."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from tests.kafka_fixture import KAFKA_USERS
from tests.pipes.topics import new_lake, new_name, read_kafka, sasl, shown
from tests.servers.kafka_broker import KafkaBroker

import headwater
from headwater.errors import HeadwaterError, TransientError
from headwater.kafka.offsets import OffsetRange, spark_assign, spark_offsets
from headwater.kafka.settings import for_spark, spark_patience
from headwater.lake.kafka_frames import messages
from headwater.lake.spark_errors import reshape

pytestmark = [pytest.mark.spark, pytest.mark.timeout(240)]

SECOND = 1000
FIRST_MS = 1_700_000_000 * SECOND


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[headwater.Connection]:
    with new_lake(tmp_path_factory.mktemp("kafka") / "lake") as connection:
        yield connection


@pytest.fixture(scope="module")
def topic(kafka_broker: KafkaBroker) -> str:
    """Two partitions of five messages, a second apart; 10 to 14 in the second one."""
    name = kafka_broker.create_topic(new_name(), 2, retention_ms="-1")
    for partition in range(2):
        for place in range(5):
            kafka_broker.produce(
                name,
                [(f"k{place}", str(10 * partition + place))],
                partition=partition,
                timestamp=FIRST_MS + place * SECOND,
            )
    return name


def values(lake: headwater.Connection, relation: str) -> list[int]:
    found = lake.sql(f"SELECT CAST(CAST(value AS STRING) AS INT) FROM {relation}").rows
    return sorted(row[0] for row in found)


def test_columns_are_the_documented_ones_bare_and_in_table(
    lake: headwater.Connection,
    kafka_broker: KafkaBroker,
    topic: str,
) -> None:
    bare = read_kafka(kafka_broker.bootstrap, topic)
    results = [lake.sql(f"SELECT * FROM {r}") for r in (bare, f"TABLE({bare})")]
    for result in results:
        assert [(column.name, column.type) for column in result.schema] == [
            ("topic", "string"),
            ("partition", "int"),
            ("offset", "bigint"),
            ("timestamp", "timestamp"),
            ("timestamp_type", "string"),
            ("headers", "map<string,binary>"),
            ("key", "binary"),
            ("value", "binary"),
        ]
        first = min(result.to_dicts(), key=lambda row: (row["partition"], row["offset"]))
        assert (first["topic"], first["timestamp_type"]) == (topic, "CreateTime")
        assert (bytes(first["key"]), bytes(first["value"])) == (b"k0", b"0")
        assert first["timestamp"] == datetime.fromtimestamp(FIRST_MS / SECOND, UTC).replace(
            tzinfo=None
        )
        assert not first["headers"]


def test_without_positions_everything_is_read_in_the_order_of_offsets(
    lake: headwater.Connection,
    kafka_broker: KafkaBroker,
    topic: str,
) -> None:
    relation = read_kafka(kafka_broker.bootstrap, topic)
    rows = lake.sql(f"SELECT partition, offset, CAST(value AS STRING) FROM {relation}").rows
    assert sorted(rows) == [(p, o, str(10 * p + o)) for p in range(2) for o in range(5)]


def test_headers_of_one_key_and_nulls(
    lake: headwater.Connection,
    kafka_broker: KafkaBroker,
) -> None:
    name = kafka_broker.create_topic(new_name())
    twice = [("a", b"first"), ("b", b"\x00\xff"), ("a", b"last")]
    kafka_broker.produce(name, [(None, None)], headers=twice)
    kafka_broker.produce(name, [("", "")])
    relation = read_kafka(kafka_broker.bootstrap, name)
    rows = lake.sql(f"SELECT headers, key, value FROM {relation} ORDER BY offset").rows
    headers = {key: bytes(value) for key, value in dict(rows[0][0]).items()}
    assert headers == {"a": b"last", "b": b"\x00\xff"}
    assert rows[0][1:] == (None, None)
    assert [bytes(value) for value in rows[1][1:]] == [b"", b""]


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        (("latest", "latest", "", ""), []),
        (("earliest", "latest", "", ""), [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]),
        (('{"%s": {"0": 3, "1": -2}}', '{"%s": {"0": 4, "1": 1}}', "", ""), [3, 10]),
        (('{"%s": {"1": 3}}', "", "", ""), [0, 1, 2, 3, 4, 13, 14]),
        (('{"%s": {"0": 4, "1": -1}}', '{"%s": {"0": 99}}', "", ""), [4]),
        (("", "earliest", "", ""), []),
        (("", "", str(FIRST_MS + 3 * SECOND), ""), [3, 4, 13, 14]),
        (("", "", str(FIRST_MS), str(FIRST_MS + SECOND)), [0, 10]),
        (("", "", "2023-11-14 22:13:23", "2023-11-14 22:13:24"), [3, 13]),
        (("", "", str(FIRST_MS + 3600 * SECOND), ""), []),
        (("", "", "", str(FIRST_MS + 3600 * SECOND)), [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]),
    ],
)
def test_positions(
    lake: headwater.Connection,
    kafka_broker: KafkaBroker,
    topic: str,
    positions: tuple[str, str, str, str],
    expected: list[int],
) -> None:
    given = tuple(text % topic if "%s" in text else text for text in positions)
    relation = read_kafka(kafka_broker.bootstrap, topic, positions=given)  # type: ignore[arg-type]
    assert values(lake, relation) == expected


def test_a_partition_that_is_not_there(
    lake: headwater.Connection,
    kafka_broker: KafkaBroker,
    topic: str,
) -> None:
    offsets = f'{{"{topic}": {{"7": 0}}}}'
    relation = read_kafka(kafka_broker.bootstrap, topic, positions=(offsets, "", "", ""))
    with pytest.raises(HeadwaterError, match="has no partition 7"):
        values(lake, relation)


def test_joined_with_a_table_and_another_topic(
    lake: headwater.Connection,
    kafka_broker: KafkaBroker,
    topic: str,
) -> None:
    other = kafka_broker.create_topic(new_name())
    kafka_broker.produce(other, [("k1", "x"), ("k9", "y")])
    lake.sql("CREATE TABLE names (k STRING, name STRING); INSERT INTO names VALUES ('k1', 'one')")
    left = read_kafka(kafka_broker.bootstrap, topic)
    right = read_kafka(kafka_broker.bootstrap, other)
    rows = lake.sql(
        f"SELECT n.name, l.partition, CAST(r.value AS STRING) FROM {left} l"
        f" JOIN TABLE({right}) AS r ON l.key = r.key JOIN names n ON n.k = CAST(l.key AS STRING)"
    ).rows
    assert sorted(rows) == [("one", 0, "x"), ("one", 1, "x")]


def test_a_table_over_topics_has_its_columns_and_is_read_from_offset_to_offset(
    lake: headwater.Connection,
    kafka_broker: KafkaBroker,
) -> None:
    name = kafka_broker.create_topic(new_name())
    kafka_broker.produce(name, [("k0", "before")])
    twice = [("a", b"first"), ("b", b""), ("a", "letzte \u2602".encode())]
    kafka_broker.produce(name, [("k1", "one")], headers=twice)
    kafka_broker.produce(name, [(None, "two"), ("k3", "behind")])
    starting, ending = (f'{{"{name}": {{"0": {offset}}}}}' for offset in (1, 3))
    lake.sql(
        f"CREATE STORAGE CONNECTION {name}_c TYPE KAFKA"
        f" BOOTSTRAP_SERVERS = ['{kafka_broker.bootstrap}'];"
        f"CREATE EXTERNAL TABLE {name} (value BINARY NOT NULL, headers MAP<STRING, STRING>,"
        " `offset` BIGINT, key BINARY) USING KAFKA"
        f" OPTIONS('topics' = '{name}', 'starting_offset' = '{starting}',"
        f" 'ending_offset' = '{ending}') CONNECTION {name}_c"
    )
    result = lake.sql(f"SELECT * FROM {name} ORDER BY offset")
    assert [(column.name, column.type) for column in result.schema] == [
        ("value", "binary"),
        ("headers", "map<string,string>"),
        ("offset", "bigint"),
        ("key", "binary"),
    ]
    first, second = result.rows
    assert (bytes(first[0]), first[2], bytes(first[3])) == (b"one", 1, b"k1")
    assert dict(first[1]) == {"a": "letzte \u2602", "b": ""}
    assert (bytes(second[0]), second[2], second[3]) == (b"two", 2, None)
    assert not second[1]
    joined = f"SELECT count(*) FROM {name} AS l JOIN {name} r ON l.value = r.value"
    assert lake.sql(joined).rows == [(2,)]


def test_several_topics(
    lake: headwater.Connection,
    kafka_broker: KafkaBroker,
) -> None:
    names = [kafka_broker.create_topic(new_name()) for _ in range(2)]
    for number, name in enumerate(names):
        kafka_broker.produce(name, [str(number)])
    relation = read_kafka(kafka_broker.bootstrap, ",".join(names))
    rows = lake.sql(f"SELECT topic, CAST(value AS STRING) FROM {relation}").rows
    assert sorted(rows) == sorted((name, str(n)) for n, name in enumerate(names))


@pytest.mark.parametrize("user", KAFKA_USERS)
def test_a_password_lets_in_and_is_shown_nowhere(
    lake: headwater.Connection,
    kafka_broker: KafkaBroker,
    topic: str,
    user: str,
) -> None:
    password = KAFKA_USERS[user]
    relation = read_kafka(kafka_broker.sasl_bootstrap, topic, settings=sasl(user, password))
    assert len(values(lake, relation)) == 10
    assert password not in shown(lake)


def test_a_wrong_password_is_told_at_once_and_not_repeated(
    lake: headwater.Connection,
    kafka_broker: KafkaBroker,
    topic: str,
) -> None:
    relation = read_kafka(
        kafka_broker.sasl_bootstrap, topic, settings=sasl("reader", "not-the-s3cret")
    )
    started = time.monotonic()
    with pytest.raises(HeadwaterError) as caught:
        values(lake, relation)
    assert time.monotonic() - started < 15
    assert caught.value.condition == "KAFKA_REFUSED"
    assert "not-the-s3cret" not in f"{caught.value!r} {caught.value.statement} {shown(lake)}"


def test_a_topic_that_is_not_there(
    lake: headwater.Connection,
    kafka_broker: KafkaBroker,
) -> None:
    with pytest.raises(HeadwaterError) as caught:
        values(lake, read_kafka(kafka_broker.bootstrap, "nobody-made-it"))
    assert caught.value.condition == "KAFKA_TOPIC_NOT_FOUND"


def test_a_broker_that_is_not_there(lake: headwater.Connection) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(HeadwaterError) as caught:
            values(lake, read_kafka(address, "t"))
    assert caught.value.condition == "KAFKA_UNREACHABLE"


def test_a_broker_that_stops_answering_while_messages_are_read(
    lake: headwater.Connection, kafka_broker: KafkaBroker, topic: str
) -> None:
    """Spark has its plan, and its tasks wait for messages that do not come."""
    impatient = {"default.api.timeout.ms": "1500", "request.timeout.ms": "1000"}
    starting, ending = spark_offsets([OffsetRange(topic, 0, 0, 5)])
    options = {
        "kafka.bootstrap.servers": kafka_broker.bootstrap,
        "assign": spark_assign([OffsetRange(topic, 0, 0, 5)]),
        "startingOffsets": starting,
        "endingOffsets": ending,
        "includeHeaders": "False",
        **for_spark(impatient),
        **spark_patience(impatient),
    }
    lake.session.lake.engine.reach_kafka()
    frame = messages(lake.session.lake.engine.new_session(), options)
    frame._jdf.queryExecution().executedPlan()
    kafka_broker.pause()
    try:
        with pytest.raises(Exception, match="TimeoutException") as caught:
            frame.collect()
    finally:
        kafka_broker.resume()
    found = reshape(caught.value)
    assert isinstance(found, TransientError)
    assert found.condition == "KAFKA_NO_ANSWER"
    assert found.hint
