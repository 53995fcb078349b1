"""Questions to a real broker: offsets of every kind, and brokers that refuse or are not there."""

from __future__ import annotations

import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager

import pytest
from confluent_kafka import Consumer, Producer
from tests.kafka_fixture import KAFKA_USERS
from tests.servers.kafka_broker import KafkaBroker

from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.kafka.client import KafkaClient

SECONDS = 2.0


@pytest.fixture
def client(kafka_broker: KafkaBroker) -> Iterator[KafkaClient]:
    with closing(KafkaClient(kafka_broker.bootstrap, group_id=new_name())) as client:
        yield client


def new_name() -> str:
    return "t" + uuid.uuid4().hex[:12]


def numbers(count: int) -> list[str]:
    return [str(number) for number in range(count)]


def sasl(user: str, password: str, **settings: str) -> dict[str, str]:
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": user,
        "sasl.password": password,
        **settings,
    }


@contextmanager
def takes_at_most(seconds: float) -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds


def test_offsets_of_two_topics(kafka_broker: KafkaBroker, client: KafkaClient) -> None:
    one = kafka_broker.create_topic(new_name(), 1)
    two = kafka_broker.create_topic(new_name(), 2)
    kafka_broker.produce(one, numbers(5))
    kafka_broker.produce(two, numbers(3), partition=1)
    assert client.partitions([two, one]) == {one: [0], two: [0, 1]}
    assert client.earliest([one, two]) == {one: {0: 0}, two: {0: 0, 1: 0}}
    assert client.latest([one, two]) == {one: {0: 5}, two: {0: 0, 1: 3}}


def test_deleted_messages_move_the_start(kafka_broker: KafkaBroker, client: KafkaClient) -> None:
    topic = kafka_broker.create_topic(new_name())
    kafka_broker.produce(topic, numbers(10))
    kafka_broker.delete_records(topic, 0, 4)
    assert client.earliest([topic]) == {topic: {0: 4}}
    assert client.latest([topic]) == {topic: {0: 10}}


def test_new_partitions_are_seen(kafka_broker: KafkaBroker, client: KafkaClient) -> None:
    topic = kafka_broker.create_topic(new_name())
    assert client.latest([topic]) == {topic: {0: 0}}
    kafka_broker.add_partitions(topic, 3)
    kafka_broker.produce(topic, numbers(2), partition=2)
    assert client.latest([topic]) == {topic: {0: 0, 1: 0, 2: 2}}


def test_a_topic_made_anew_starts_anew(kafka_broker: KafkaBroker, client: KafkaClient) -> None:
    topic = kafka_broker.create_topic(new_name(), 2)
    kafka_broker.produce(topic, numbers(7), partition=0)
    assert client.latest([topic]) == {topic: {0: 7, 1: 0}}
    kafka_broker.delete_topic(topic)
    with pytest.raises(UserError, match="KAFKA_TOPIC_NOT_FOUND"):
        client.latest([topic])
    kafka_broker.create_topic(topic, 1)
    assert client.latest([topic]) == {topic: {0: 0}}


def test_offsets_at_a_moment(kafka_broker: KafkaBroker, client: KafkaClient) -> None:
    topic = kafka_broker.create_topic(new_name(), 3)
    now = int(time.time() * 1000)
    for age in (3000, 2000, 1000):
        kafka_broker.produce(topic, ["a", "b"], partition=0, timestamp=now - age)
    kafka_broker.produce(topic, ["a"], partition=1, timestamp=now - 5000)
    ends = {0: 6, 1: 1, 2: 0}
    assert client.offsets_at([topic], now - 2000) == {topic: {**ends, 0: 2}}
    assert client.offsets_at([topic], now - 1999) == {topic: {**ends, 0: 4}}
    assert client.offsets_at([topic], now) == {topic: ends}
    assert client.offsets_at([topic], -1) == {topic: {0: 0, 1: 0, 2: 0}}
    assert client.newest_times([topic]) == {topic: {0: now - 1000, 1: now - 5000}}


def test_offsets_of_the_group_are_read_back_and_seen_by_its_consumers(
    kafka_broker: KafkaBroker,
) -> None:
    topic, group = kafka_broker.create_topic(new_name(), 2), new_name()
    kafka_broker.produce(topic, numbers(5), partition=0)
    with closing(KafkaClient(kafka_broker.bootstrap, group_id=group)) as client:
        assert client.group_offsets([topic]) == {}
        client.commit_group_offsets({topic: {0: 3}})
        assert client.group_offsets([topic]) == {topic: {0: 3}}
        client.commit_group_offsets({topic: {0: 2, 1: 0}})
        client.commit_group_offsets({})
        assert client.group_offsets([topic]) == {topic: {0: 2, 1: 0}}
    consumer = Consumer({"bootstrap.servers": kafka_broker.bootstrap, "group.id": group})
    with closing(consumer):
        consumer.subscribe([topic])
        message = consumer.poll(30)
        assert message is not None
        assert message.offset() == 2


def test_a_group_with_members_keeps_its_offsets(kafka_broker: KafkaBroker) -> None:
    topic, group = kafka_broker.create_topic(new_name()), new_name()
    kafka_broker.produce(topic, numbers(1))
    settings = {"bootstrap.servers": kafka_broker.bootstrap, "group.id": group}
    consumer = Consumer({**settings, "auto.offset.reset": "earliest"})
    with closing(consumer), closing(KafkaClient(kafka_broker.bootstrap, group_id=group)) as client:
        consumer.subscribe([topic])
        assert consumer.poll(30) is not None
        with pytest.raises(UserError, match="KAFKA_GROUP_IN_USE") as caught:
            client.commit_group_offsets({topic: {0: 0}})
    assert group in caught.value.message


def test_an_open_transaction_ends_what_is_committed(kafka_broker: KafkaBroker) -> None:
    topic = kafka_broker.create_topic(new_name())
    kafka_broker.produce(topic, numbers(2))
    settings = {"bootstrap.servers": kafka_broker.bootstrap, "log_level": 0}
    producer = Producer({**settings, "transactional.id": new_name()})
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce(topic, "open")
    assert producer.flush(30) == 0
    with (
        closing(KafkaClient(kafka_broker.bootstrap)) as plain,
        closing(KafkaClient(kafka_broker.bootstrap, {"isolation.level": "read_committed"})) as wary,
    ):
        assert plain.latest([topic]) == {topic: {0: 3}}
        assert wary.latest([topic]) == {topic: {0: 2}}
        producer.commit_transaction()
        # The end of a transaction takes an offset too, and is written a little later.
        deadline = time.monotonic() + 30
        while wary.latest([topic]) != {topic: {0: 4}}:
            assert time.monotonic() < deadline
        assert plain.latest([topic]) == {topic: {0: 4}}


@pytest.mark.parametrize("name", ["no-such-topic", "a,b", "", "a b", "é", "x" * 250])
def test_topics_that_are_not_there(client: KafkaClient, name: str) -> None:
    with takes_at_most(SECONDS), pytest.raises(UserError, match="KAFKA_TOPIC") as caught:
        client.latest([name])
    assert caught.value.parameters["topic"] == name


def test_asking_for_a_topic_does_not_make_it(client: KafkaClient) -> None:
    name = new_name()
    for _ in range(2):
        with pytest.raises(UserError, match="KAFKA_TOPIC_NOT_FOUND"):
            client.partitions([name])


@pytest.mark.parametrize("user", KAFKA_USERS)
def test_the_right_password(kafka_broker: KafkaBroker, user: str) -> None:
    topic = kafka_broker.create_topic(new_name())
    settings = sasl(user, KAFKA_USERS[user])
    with closing(KafkaClient(kafka_broker.sasl_bootstrap, settings, new_name())) as client:
        assert client.latest([topic]) == {topic: {0: 0}}
        client.commit_group_offsets({topic: {0: 0}})
        assert client.group_offsets([topic]) == {topic: {0: 0}}


@pytest.mark.parametrize(
    ("user", "password"), [("reader", "wr0ng-secret"), ("nobody", "wr0ng-secret")]
)
def test_the_wrong_password(kafka_broker: KafkaBroker, user: str, password: str) -> None:
    settings = sasl(user, password)
    with closing(KafkaClient(kafka_broker.sasl_bootstrap, settings, "g")) as client:
        for ask in (client.latest, client.group_offsets):
            with takes_at_most(SECONDS), pytest.raises(UserError) as caught:
                ask(["topic"])
            assert caught.value.condition == "KAFKA_REFUSED"
            assert kafka_broker.sasl_bootstrap in caught.value.message
            assert_no_secret(caught.value, password, client)


def test_no_password_where_one_is_needed(kafka_broker: KafkaBroker) -> None:
    with closing(KafkaClient(kafka_broker.sasl_bootstrap, timeout_seconds=2)) as client:
        with takes_at_most(5), pytest.raises(TransientError) as caught:
            client.latest(["topic"])
        assert caught.value.condition == "KAFKA_UNREACHABLE"


@pytest.mark.parametrize(
    "settings",
    [
        {"security.protocol": "s3cret"},
        {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"},
        sasl("reader", "s3cret", **{"sasl.mechanism": "NOPE"}),
        {"ssl.keystore.key": "s3cret", "security.protocol": "SSL"},
    ],
)
def test_settings_that_cannot_be(kafka_broker: KafkaBroker, settings: dict[str, str]) -> None:
    client = KafkaClient(kafka_broker.bootstrap, settings)
    with takes_at_most(SECONDS), pytest.raises(UserError) as caught:
        client.latest(["topic"])
    assert caught.value.condition == "KAFKA_SETTING_REFUSED"
    secret = settings.get("sasl.password") or settings.get("ssl.keystore.key")
    assert secret is None or secret not in str(caught.value)


def test_settings_of_java_do_not_disturb(kafka_broker: KafkaBroker) -> None:
    topic = kafka_broker.create_topic(new_name())
    settings = {"max.poll.records": "10", "auto.offset.reset": "earliest", "nonsense": "x"}
    with closing(KafkaClient(kafka_broker.bootstrap, settings)) as client:
        assert client.latest([topic]) == {topic: {0: 0}}


@pytest.fixture(scope="module")
def own_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """One that these tests may stop."""
    with KafkaBroker(tmp_path_factory.mktemp("own-kafka")) as broker:
        yield broker


@pytest.mark.servers
def test_a_broker_that_ends_and_comes_back(own_broker: KafkaBroker) -> None:
    broker = own_broker
    topic = broker.create_topic(new_name())
    broker.produce(topic, numbers(3))
    with closing(KafkaClient(broker.bootstrap, group_id="g")) as client:
        client.commit_group_offsets({topic: {0: 2}})
    with closing(KafkaClient(broker.bootstrap, group_id="g", timeout_seconds=1.5)) as client:
        assert client.latest([topic]) == {topic: {0: 3}}
        broker.stop()
        assert "refused" in unreachable(lambda: client.latest([topic])).message
        unreachable(lambda: client.group_offsets([topic]))
        broker.start()
        with takes_at_most(SECONDS):
            assert client.latest([topic]) == {topic: {0: 3}}
        assert client.group_offsets([topic]) == {topic: {0: 2}}


@pytest.mark.servers
def test_a_broker_that_falls_silent_after_the_first_question(
    own_broker: KafkaBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = own_broker
    topic = broker.create_topic(new_name())
    client = KafkaClient(broker.bootstrap, group_id="g", timeout_seconds=1.5)
    ask_for_partitions = client.partitions

    def partitions_and_no_more(topics: Iterable[str]) -> dict[str, list[int]]:
        found = ask_for_partitions(topics)
        broker.pause()
        return found

    def silent(ask: Callable[[], object]) -> None:
        monkeypatch.setattr(client, "partitions", partitions_and_no_more)
        assert unreachable(ask).parameters["reason"] == "it did not answer in time"
        monkeypatch.undo()
        broker.resume()
        # An answer that comes too late does no harm, nor does it answer another question.
        time.sleep(0.2)
        assert client.latest([topic]) == {topic: {0: 0}}

    with closing(KafkaClient(broker.bootstrap, group_id="g")) as patient:
        patient.commit_group_offsets({topic: {0: 0}})
    silent(lambda: client.latest([topic]))
    silent(lambda: client.offsets_at([topic], 0))
    silent(lambda: client.newest_times([topic]))
    silent(lambda: client.group_offsets([topic]))
    silent(lambda: client.commit_group_offsets({topic: {0: 0}}))
    client.commit_group_offsets({topic: {0: 0}})
    monkeypatch.setattr(client, "partitions", partitions_and_no_more)
    unreachable(lambda: client.commit_group_offsets({topic: {0: 0}}))
    with takes_at_most(1):
        client.close()
    broker.resume()


def unreachable(ask: Callable[[], object]) -> HeadwaterError:
    with takes_at_most(5), pytest.raises(TransientError) as caught:
        ask()
    assert caught.value.condition == "KAFKA_UNREACHABLE"
    assert "127.0.0.1" in caught.value.message
    return caught.value


def assert_no_secret(error: HeadwaterError, secret: str, client: KafkaClient) -> None:
    shown = [str(error), repr(error), repr(error.__cause__), repr(client)]
    assert not any(secret in text for text in shown)
    assert error.__cause__ is None


IDLE = """
import sys, time
from headwater.kafka.client import KafkaClient
assert "confluent_kafka" not in sys.modules
good = KafkaClient(sys.argv[1], group_id="g")
good.commit_group_offsets({sys.argv[2]: {0: 0}})
assert good.group_offsets([sys.argv[2]]) == {sys.argv[2]: {0: 0}}
bad = KafkaClient("127.0.0.1:1", timeout_seconds=1)
try:
    bad.latest(["t"])
except Exception as error:
    assert error.condition == "KAFKA_UNREACHABLE", error
before = time.process_time()
time.sleep(5)
print((time.process_time() - before) / 5)
"""


def test_an_idle_client_costs_nothing_and_says_nothing(kafka_broker: KafkaBroker) -> None:
    topic = kafka_broker.create_topic(new_name())
    command = [sys.executable, "-c", IDLE, kafka_broker.bootstrap, topic]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    assert float(done.stdout) < 0.01
