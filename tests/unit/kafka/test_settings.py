"""One set of settings for two libraries: names, the JAAS line, what neither is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kafka_fixture import KAFKA_USERS

from headwater.kafka.settings import for_librdkafka, for_spark, jaas_text, spark_patience

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
LOGIN = {
    "security.protocol": "SASL_PLAINTEXT",
    "sasl.mechanism": "PLAIN",
    "sasl.username": "ada",
    "sasl.password": "s3cret",
}


def test_a_login_for_librdkafka() -> None:
    assert for_librdkafka(LOGIN) == {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanisms": "PLAIN",
        "sasl.username": "ada",
        "sasl.password": "s3cret",
    }


def test_a_login_for_spark_is_in_the_jaas_line_only() -> None:
    assert for_spark(LOGIN) == {
        "kafka.security.protocol": "SASL_PLAINTEXT",
        "kafka.sasl.mechanism": "PLAIN",
        "kafka.sasl.jaas.config": f'{PLAIN} required username="ada" password="s3cret";',
    }


def test_librdkafka_is_given_only_what_it_knows_and_may_have() -> None:
    settings = {
        "client.id": "c",
        "max.poll.records": "10",
        "auto.offset.reset": "earliest",
        "plugin.library.paths": "evil.so",
        "debug": "all",
        "log_level": "7",
        "bootstrap.servers": "elsewhere:9092",
        "ssl.truststore.certificates": "PEM",
    }
    assert for_librdkafka(settings) == {"client.id": "c", "ssl.ca.pem": "PEM"}


def test_spark_is_given_everything_but_what_it_refuses() -> None:
    settings = {
        "max.poll.records": "10",
        "isolation.level": "read_committed",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": "true",
        "key.deserializer": "x",
        "bootstrap.servers": "elsewhere:9092",
    }
    expected = {"kafka.max.poll.records": "10", "kafka.isolation.level": "read_committed"}
    assert for_spark(settings) == expected


@pytest.mark.parametrize(
    ("settings", "patience"),
    [
        ({}, "60000"),
        ({"default.api.timeout.ms": "3000"}, "3000"),
        ({"default.api.timeout.ms": "soon"}, "60000"),
    ],
)
def test_spark_waits_for_messages_as_long_as_its_client_waits_for_answers(
    settings: dict[str, str], patience: str
) -> None:
    assert spark_patience(settings)["kafkaConsumer.pollTimeoutMs"] == patience


@pytest.mark.parametrize("name", ["sasl.mechanism", "sasl.mechanisms"])
def test_the_mechanism_has_two_names_and_decides_the_module(name: str) -> None:
    settings = {name: "SCRAM-SHA-512", "sasl.username": "ada", "sasl.password": "p"}
    assert for_librdkafka(settings)["sasl.mechanisms"] == "SCRAM-SHA-512"
    options = for_spark(settings)
    assert options["kafka.sasl.mechanism"] == "SCRAM-SHA-512"
    assert options["kafka.sasl.jaas.config"].startswith(f"{SCRAM} required ")


def test_without_a_mechanism_it_is_plain() -> None:
    # Both libraries' own default is Kerberos, which has no password.
    settings = {"sasl.username": "ada", "sasl.password": "p"}
    assert for_spark(settings)["kafka.sasl.mechanism"] == "PLAIN"
    assert for_librdkafka(settings)["sasl.mechanisms"] == "PLAIN"


def test_a_jaas_line_of_the_user_serves_both() -> None:
    line = f'{PLAIN} required\n  username = "ada"\n  password="a \\"b\\" \\\\c";'
    settings = {"sasl.jaas.config": line}
    assert for_spark(settings) == {"kafka.sasl.jaas.config": line}
    assert for_librdkafka(settings) == {"sasl.username": "ada", "sasl.password": 'a "b" \\c'}


@given(user=st.text(), password=st.text())
def test_our_jaas_line_says_what_was_meant(user: str, password: str) -> None:
    options = for_spark({"sasl.username": user, "sasl.password": password})
    line = options["kafka.sasl.jaas.config"]
    read_back = for_librdkafka({"sasl.jaas.config": line})
    assert read_back == {"sasl.username": user, "sasl.password": password}
    assert "\n" not in line


def test_quoting_as_java_wants_it() -> None:
    # That Java reads it so is shown by the broker: its users' passwords are quoted by this.
    assert jaas_text('a"b\\c\nd') == '"a\\"b\\\\c\\nd"'
    assert jaas_text(KAFKA_USERS["odd"]).count('\\"') == 2
