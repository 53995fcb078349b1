"""Properties of pipes: defaults, ranges, what is kept of the text, and every mistake."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import UserError
from headwater.sql.job_hints import hinted, read_job_hint
from headwater.sql.option_values import Unfit
from headwater.sql.pipe_properties import (
    ALTERABLE,
    IngestMode,
    OffsetPosition,
    OnReplaced,
    PipeProperties,
    ResetOffsets,
    properties_of,
    with_property,
)

CLUSTER = ("VIRTUAL_CLUSTER", "default")


def refused(*given: tuple[str, str]) -> UserError:
    with pytest.raises(UserError) as raised:
        properties_of((CLUSTER, *given))
    return raised.value


def test_the_defaults_are_those_of_the_documents() -> None:
    assert properties_of([CLUSTER]) == PipeProperties(
        virtual_cluster="default",
        ingest_mode=None,
        mns_queue=None,
        sqs_queue=None,
        initial_delay_seconds=0,
        batch_interval_seconds=60,
        batch_size_per_partition=500_000,
        max_skip_batches=30,
        reset_offsets=None,
        copy_job_hint=(),
        on_replaced=OnReplaced.SKIP,
        given=(CLUSTER,),
    )
    assert properties_of([CLUSTER]).ignore_tmp_file


def test_every_property_is_read_and_kept_as_it_was_given() -> None:
    given_pairs = (
        ("batch_interval_in_seconds", "010"),
        CLUSTER,
        ("INGEST_MODE", "event_notification"),
        ("AWS_SQS_QUEUE", "q"),
        ("INITIAL_DELAY_IN_SECONDS", "5"),
        ("BATCH_SIZE_PER_KAFKA_PARTITION", "7"),
        ("MAX_SKIP_BATCH_COUNT_ON_ERROR", "0"),
        ("RESET_KAFKA_GROUP_OFFSETS", "1700000000000"),
        ("COPY_JOB_HINT", '{"ignore_tmp_file": false, "x": 1.5}'),
        ("ON_REPLACED", "fail"),
    )
    found = properties_of(given_pairs)
    assert found == PipeProperties(
        "default",
        IngestMode.EVENT_NOTIFICATION,
        None,
        "q",
        5,
        10,
        7,
        0,
        ResetOffsets(OffsetPosition.TIMESTAMP, 1_700_000_000_000),
        (("ignore_tmp_file", "false"), ("x", "1.5")),
        OnReplaced.FAIL,
        tuple((key.upper(), value) for key, value in given_pairs),
    )
    assert not found.ignore_tmp_file
    assert properties_of(found.given) == found
    assert found.to_sql().startswith("BATCH_INTERVAL_IN_SECONDS = '010'\nVIRTUAL_CLUSTER =")


def test_a_queue_alone_means_events() -> None:
    found = properties_of([CLUSTER, ("ALICLOUD_MNS_QUEUE", "q")])
    assert (found.ingest_mode, found.mns_queue) == (IngestMode.EVENT_NOTIFICATION, "q")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NONE", None),
        ("valid", ResetOffsets(OffsetPosition.VALID)),
        ("Earliest", ResetOffsets(OffsetPosition.EARLIEST)),
        ("latest", ResetOffsets(OffsetPosition.LATEST)),
        ("0", ResetOffsets(OffsetPosition.TIMESTAMP, 0)),
    ],
)
def test_the_ways_to_reset_offsets(text: str, expected: ResetOffsets | None) -> None:
    assert properties_of([CLUSTER, ("RESET_KAFKA_GROUP_OFFSETS", text)]).reset_offsets == expected


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("VIRTUAL_CLUSTER", " ", "not empty"),
        ("INGEST_MODE", "LIST", "LIST_PURGE or EVENT_NOTIFICATION"),
        ("AWS_SQS_QUEUE", "", "not empty"),
        ("BATCH_INTERVAL_IN_SECONDS", "9", "from 10 to 86400"),
        ("BATCH_INTERVAL_IN_SECONDS", "86401", "from 10 to 86400"),
        ("BATCH_INTERVAL_IN_SECONDS", "1m", "from 10 to 86400"),
        ("BATCH_INTERVAL_IN_SECONDS", "9" * 5000, "from 10 to 86400"),
        ("INITIAL_DELAY_IN_SECONDS", "-1", "from 0 to 86400"),
        ("BATCH_SIZE_PER_KAFKA_PARTITION", "0", "from 1 to"),
        ("MAX_SKIP_BATCH_COUNT_ON_ERROR", "1.5", "from 0 to"),
        ("MAX_SKIP_BATCH_COUNT_ON_ERROR", "٣", "from 0 to"),
        ("RESET_KAFKA_GROUP_OFFSETS", "yesterday", "earliest, latest or milliseconds"),
        ("RESET_KAFKA_GROUP_OFFSETS", "timestamp", "earliest, latest or milliseconds"),
        ("ON_REPLACED", "IGNORE", "SKIP, LOAD or FAIL"),
        ("COPY_JOB_HINT", "{", "a JSON object"),
    ],
)
def test_a_value_out_of_range_is_refused_with_the_range(
    key: str, value: str, expected: str
) -> None:
    error = refused((key, value))
    assert error.condition == "PROPERTY_VALUE"
    assert key in error.message
    assert expected in error.message


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("BATCH_INTERVAL_SECONDS", "did you mean BATCH_INTERVAL_IN_SECONDS?"),
        ("INGESTMODE", "did you mean INGEST_MODE?"),
        ("SCHEDULE", "it has VIRTUAL_CLUSTER"),
        ("PIPE_EXECUTION_PAUSED", "ALTER PIPE <pipe> SET PIPE_EXECUTION_PAUSED = TRUE"),
    ],
)
def test_an_unknown_property_is_refused_with_a_hint(key: str, hint: str) -> None:
    error = refused((key, "1"))
    assert error.condition == "UNKNOWN_PROPERTY"
    assert hint in (error.hint or "")


def test_a_pipe_needs_a_cluster() -> None:
    with pytest.raises(UserError) as raised:
        properties_of([("INGEST_MODE", "LIST_PURGE")])
    assert raised.value.condition == "PIPE_CLUSTER_MISSING"


def test_one_property_changes_in_its_place_or_comes_last() -> None:
    before = properties_of([("ON_REPLACED", "SKIP"), CLUSTER])
    changed = with_property(before, "on_replaced", "LOAD")
    assert changed.given == (("ON_REPLACED", "LOAD"), CLUSTER)
    assert changed.on_replaced is OnReplaced.LOAD
    added = with_property(before, "BATCH_INTERVAL_IN_SECONDS", "30")
    assert added.given == (*before.given, ("BATCH_INTERVAL_IN_SECONDS", "30"))
    assert added.batch_interval_seconds == 30


@pytest.mark.parametrize(
    ("key", "value", "condition"),
    [
        ("INGEST_MODE", "LIST_PURGE", "PIPE_PROPERTY_FIXED"),
        ("RESET_KAFKA_GROUP_OFFSETS", "none", "PIPE_PROPERTY_FIXED"),
        ("INITIAL_DELAY_IN_SECONDS", "1", "PIPE_PROPERTY_FIXED"),
        ("AWS_SQS_QUEUE", "q", "PIPE_PROPERTY_FIXED"),
        ("BATCH_INTERVAL_IN_SECONDS", "1", "PROPERTY_VALUE"),
        ("NOPE", "1", "UNKNOWN_PROPERTY"),
    ],
)
def test_what_cannot_change_is_refused(key: str, value: str, condition: str) -> None:
    with pytest.raises(UserError) as raised:
        with_property(properties_of([CLUSTER]), key, value)
    assert raised.value.condition == condition


def test_what_can_change_is_what_the_documents_list_and_on_replaced() -> None:
    assert set(ALTERABLE) == {
        "VIRTUAL_CLUSTER",
        "BATCH_INTERVAL_IN_SECONDS",
        "BATCH_SIZE_PER_KAFKA_PARTITION",
        "MAX_SKIP_BATCH_COUNT_ON_ERROR",
        "COPY_JOB_HINT",
        "ON_REPLACED",
    }


keys = st.text(min_size=1).filter(lambda key: not key.startswith(("IGNORE", "cz.")))
hints = st.dictionaries(keys, st.text() | st.integers() | st.booleans(), max_size=4)


@given(hints)
def test_a_job_hint_is_read_as_texts(hint: dict[str, object]) -> None:
    if len({key.lower() for key in hint}) < len(hint):
        return
    read = read_job_hint(json.dumps(hint))
    shown = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in hint.items()}
    assert dict(read) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "1",
        "null",
        "{'a': 1}",
        '{"a": null}',
        '{"a": [1]}',
        '{"a": {}}',
        '{"a": NaN}',
        '{"a": 1, "A": 2}',
        '{"a": 1} x',
        '{"IGNORE_TMP_FILE": "yes"}',
        '{"cz.sql.split.kafka.strategy": "fast"}',
        '{"cz.mapper.kafka.message.size": 0}',
        "[" * 100_000,
        '{"a": ' + "9" * 5000 + "}",
    ],
)
def test_a_job_hint_that_is_no_object_of_plain_values_is_refused(text: str) -> None:
    with pytest.raises(Unfit):
        read_job_hint(text)


def test_a_hint_is_found_in_any_case() -> None:
    hint = read_job_hint('{"Ignore_Tmp_File": "FALSE", "cz.mapper.kafka.message.size": "5"}')
    assert hinted(hint, "IGNORE_TMP_FILE") == "FALSE"
    assert hinted(hint, "other") is None
    found = properties_of([CLUSTER, ("COPY_JOB_HINT", '{"Ignore_Tmp_File": "FALSE"}')])
    assert not found.ignore_tmp_file
