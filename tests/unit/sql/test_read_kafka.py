"""READ_KAFKA: twelve literals by place, and every mistake pointed at without showing a secret."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import UserError
from headwater.sql.read_kafka import ReadKafka
from headwater.sql.relations import find_relations
from headwater.sql.tokens import tokenize

ARGUMENTS = (
    "'h:9092'",
    "'orders'",
    "''",
    "'g'",
    "''",
    "''",
    "''",
    "''",
    "'raw'",
    "'raw'",
    "0",
    "map()",
)
PROTOCOL = "'kafka.security.protocol', 'SASL_PLAINTEXT'"


def call(**changed: str) -> str:
    """The call with some arguments changed: `_5="'latest'"` is the fifth."""
    texts = [changed.get(f"_{place}", text) for place, text in enumerate(ARGUMENTS, start=1)]
    return f"READ_KAFKA({', '.join(texts)})"


def read(text: str) -> ReadKafka:
    query = f"SELECT * FROM {text} k"
    (found,) = find_relations(query, tokenize(query)).own
    assert isinstance(found.relation, ReadKafka)
    assert query[found.span.start : found.span.end] == text
    return found.relation


def refused(text: str) -> tuple[UserError, str]:
    query = f"SELECT * FROM {text}"
    with pytest.raises(UserError) as raised:
        find_relations(query, tokenize(query))
    span = raised.value.span
    assert span is not None
    return raised.value, query[span.start : span.end]


def test_all_arguments_are_read() -> None:
    text = call(
        _1="'h1:9092, [::1]:9093'",
        _2="'a, b.c'",
        _5="'EARLIEST'",
        _6='\'{"a": {"0": 5, "1": -1}}\'',
        _7="'1700000000000'",
        _8='"2024-02-29 12:00:00"',
        _9="'RAW'",
        _11="100000",
        _12=f"MAP({PROTOCOL}, 'kafka.sasl.password', 'it''s', 'cz.kafka.fetch.retry.times', '3')",
    )
    expected = ReadKafka(
        "h1:9092,[::1]:9093",
        ("a", "b.c"),
        "g",
        "earliest",
        '{"a": {"0": 5, "1": -1}}',
        "1700000000000",
        "2024-02-29 12:00:00",
        "raw",
        "raw",
        100_000,
        (
            ("kafka.security.protocol", "SASL_PLAINTEXT"),
            ("kafka.sasl.password", "it's"),
            ("cz.kafka.fetch.retry.times", "3"),
        ),
    )
    assert read(text) == expected
    assert read(f"TABLE({text})") == expected
    assert read(f"table ( {text.replace('READ_KAFKA', 'read_kafka ')} )") == expected
    assert expected.alias == "read_kafka"


def test_the_places_of_the_arguments_are_kept() -> None:
    text = call(_5="'latest'")
    query = f"SELECT * FROM {text}"
    (found,) = find_relations(query, tokenize(query)).own
    assert isinstance(found.relation, ReadKafka)
    spans = found.relation.spans
    assert tuple(query[span.start : span.end] for span in spans)[4] == "'latest'"
    assert len(spans) == len(ARGUMENTS)


def test_a_password_is_not_in_the_repr() -> None:
    assert "hunter2" not in repr(read(call(_12="map('kafka.sasl.password', 'hunter2')")))


@pytest.mark.parametrize(
    ("text", "found", "place"),
    [
        ("READ_KAFKA()", "0", "READ_KAFKA"),
        ("READ_KAFKA('h:1', 't')", "2", "READ_KAFKA"),
        (f"READ_KAFKA({', '.join(ARGUMENTS)}, 1)", "13", "READ_KAFKA"),
        (call(_12="").replace(", )", ",)"), "12", "READ_KAFKA"),
        (call(_1="servers => 'h:9092'"), "named ones", "servers"),
    ],
)
def test_another_count_of_arguments_lists_the_twelve(text: str, found: str, place: str) -> None:
    error, pointed = refused(text)
    assert error.condition == "READ_KAFKA_ARGUMENTS"
    assert f"here are {found}" in error.message
    assert pointed == place
    hint = error.hint or ""
    assert "brokers, topics, topic pattern, group id" in hint
    assert len(hint.split(", ")) == len(ARGUMENTS)


@pytest.mark.parametrize(
    ("place", "text", "expected"),
    [
        (1, "''", "brokers with their ports"),
        (1, "'host'", "brokers with their ports"),
        (1, "concat('h', ':1')", "a text in quotes"),
        (1, "h", "a text in quotes"),
        (2, "''", "topics"),
        (2, "'a,,b'", "topics"),
        (2, "'a b'", "topics"),
        (2, "'..'", "topics"),
        (2, "'a,a'", "each topic once"),
        (3, "'orders.*'", "'' alone"),
        (4, "1", "a text in quotes"),
        (5, "'first'", "earliest, latest or offsets"),
        (5, "'[]'", "earliest, latest or offsets"),
        (5, '\'{"orders": {"x": 1}}\'', "earliest, latest or offsets"),
        (5, '\'{"orders": {"0": 1.5}}\'', "earliest, latest or offsets"),
        (5, '\'{"orders": {"0": true}}\'', "earliest, latest or offsets"),
        (5, '\'{"orders": {"0": -3}}\'', "earliest, latest or offsets"),
        (6, '\'{"other": {"0": 1}}\'', "offsets of the topics orders alone"),
        (7, "'yesterday'", "milliseconds since 1970"),
        (7, "'2024-02-30 12:00:00'", "milliseconds since 1970"),
        (8, "'2024-02-03'", "milliseconds since 1970"),
        (9, "'json'", "'raw' alone"),
        (10, "''", "'raw' alone"),
        (11, "100001", "from 0 to 100000"),
        (11, "-1", "from 0 to 100000"),
        (11, "1.5", "from 0 to 100000"),
        (12, "'x'", "map('kafka.<setting>'"),
        (12, "map", "map('kafka.<setting>'"),
        (12, "map('kafka.a')", "pairs of texts"),
        (12, "map('kafka.a', 1)", "pairs of texts"),
        (12, "map('kafka.a', upper('b'))", "pairs of texts"),
    ],
)
def test_each_argument_says_what_it_takes(place: int, text: str, expected: str) -> None:
    error, pointed = refused(call(**{f"_{place}": text}))
    assert error.condition == "READ_KAFKA_ARGUMENT"
    assert f"argument {place} of" in error.message
    assert expected in error.message
    assert pointed == text


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("group.id", "x", "settings that start with kafka."),
        ("kafka.", "x", "settings that start with kafka."),
        ("cz.kafka.fetch.retry", "x", "settings that start with kafka."),
        ("kafka.bootstrap.servers", "h:1", "as argument 1"),
        ("kafka.group.id", "x", "as argument 4"),
        ("kafka.security.protocol", "SASL_SSL", "PLAINTEXT or SASL_PLAINTEXT only"),
        ("kafka.sasl.mechanism", "SCRAM-SHA-256", "as PLAIN only"),
        ("kafka.auto.offset.reset", "first", "earliest or latest or none only"),
        ("cz.kafka.fetch.retry.enable", "1", "true or false only"),
        ("cz.kafka.fetch.retry.intervalMs", "soon", "a whole number"),
    ],
)
def test_settings_are_those_of_a_consumer(key: str, value: str, expected: str) -> None:
    error, pointed = refused(call(_12=f"map('{key}', '{value}')"))
    assert expected in error.message
    assert pointed == f"'{key}'"


def test_a_setting_stands_once() -> None:
    error, pointed = refused(call(_12="map('kafka.a', '1', 'kafka.b', '2', 'kafka.a', '3')"))
    assert "each setting once" in error.message
    assert pointed == "'kafka.a'"


def test_no_error_repeats_what_may_be_a_password() -> None:
    error, _ = refused(call(_12="map('kafka.sasl.username', 'u', 'hunter2', 'x')"))
    assert "hunter2" not in f"{error.message} {error.hint}"


def test_a_table_may_be_called_read_kafka() -> None:
    query = "SELECT * FROM read_kafka"
    found = find_relations(query, tokenize(query))
    assert [str(relation.name) for relation in found.named] == ["read_kafka"]
    assert found.own == ()


texts = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
topics = st.lists(
    st.text("abcXYZ019._-", min_size=1, max_size=6).filter(lambda t: t not in (".", "..")),
    min_size=1,
    max_size=3,
    unique=True,
).map(tuple)


@st.composite
def relations(draw: st.DrawFn) -> ReadKafka:
    names = draw(topics)
    partitions = st.dictionaries(st.integers(0, 99).map(str), st.integers(-2, 2**63 - 1))
    offsets = st.one_of(
        st.sampled_from(["", "earliest", "latest"]),
        st.dictionaries(st.sampled_from(names), partitions).map(json.dumps),
    )
    times = st.just("") | st.integers(0, 10**13).map(str)
    settings = st.dictionaries(texts.map(lambda t: f"kafka.x{t}"), texts, max_size=3)
    return ReadKafka(
        draw(st.sampled_from(["h:1", "a-b.c:9092,[::1]:65535"])),
        names,
        draw(texts),
        draw(offsets),
        draw(offsets),
        draw(times),
        draw(times),
        "raw",
        "raw",
        draw(st.integers(0, 100_000)),
        tuple(draw(settings).items()),
    )


@given(relations())
def test_any_relation_survives_being_written_back(relation: ReadKafka) -> None:
    assert read(relation.to_sql()) == relation
