"""The Kafka broker all tests of a process share; it starts when the first test asks for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.kafka_broker import KafkaBroker

# Whoever gets quoting wrong anywhere between here and the broker is not let in.
KAFKA_USERS = {"reader": "hw-kafka-s3cret", "odd": "a \"b\" \\c\\ 'd'; e={f},\tg"}


@pytest.fixture(scope="session")
def kafka_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """A real Kafka broker on loopback, which stops with the tests."""
    with KafkaBroker(tmp_path_factory.mktemp("kafka"), users=KAFKA_USERS) as broker:
        yield broker
