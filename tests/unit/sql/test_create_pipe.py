"""CREATE PIPE: properties in any order, the body as typed, and properties that fit the body."""

from __future__ import annotations

import itertools

import pytest

from headwater.errors import UserError
from headwater.names import ObjectName
from headwater.sql.copy_into_table import CopyIntoTable
from headwater.sql.create_pipe import CreatePipe
from headwater.sql.masking import mask
from headwater.sql.parse import parse
from headwater.sql.pipe_body import KafkaSource, StreamSource, VolumeSource, pipe_body
from headwater.sql.pipe_fitting import require_fitting
from headwater.sql.pipe_properties import IngestMode, properties_of, with_property
from headwater.sql.targets import written_table

KAFKA = "READ_KAFKA('h:9092', 'orders', '', 'g', '', '', '', '', 'raw', 'raw', 0, map())"
COPY_FILES = "COPY INTO t FROM VOLUME v USING CSV"
COPY_KAFKA = f"COPY INTO t FROM (SELECT value FROM {KAFKA})"
COPY_STREAM = "COPY INTO t FROM (SELECT value FROM s)"
INSERT_FILES = "INSERT INTO t SELECT * FROM VOLUME v USING CSV"
MERGE_FILES = "MERGE INTO t USING VOLUME v USING CSV s ON true WHEN MATCHED THEN DELETE"
LIST = "INGEST_MODE = 'LIST_PURGE'"
EVENT = "INGEST_MODE = 'EVENT_NOTIFICATION'"


def created(text: str) -> CreatePipe:
    statement = parse(text)
    assert isinstance(statement, CreatePipe)
    return statement


def refused(text: str) -> tuple[UserError, str]:
    with pytest.raises(UserError) as raised:
        parse(text)
    span = raised.value.span
    return raised.value, "" if span is None else text[span.start : span.end]


def test_the_pipe_of_the_seed_over_files() -> None:
    body = (
        "COPY INTO orders FROM VOLUME orders_pipe_vol (order_id INT, amount DECIMAL(10,2), status"
        " STRING) USING CSV OPTIONS('header' = 'true') PURGE = TRUE"
    )
    pipe = created(
        "CREATE PIPE orders_oss_pipe VIRTUAL_CLUSTER = 'default' INGEST_MODE = 'LIST_PURGE'"
        f" AS {body}  ; "
    )
    assert pipe.name == ObjectName("orders_oss_pipe")
    assert pipe.properties.ingest_mode is IngestMode.LIST_PURGE
    assert pipe.body == body
    assert pipe.statement == parse(body)
    assert isinstance(pipe.statement, CopyIntoTable)
    assert pipe.source == VolumeSource(pipe.statement.source)  # type: ignore[arg-type]


def test_the_pipe_of_the_seed_over_kafka() -> None:
    pipe = created(
        "CREATE PIPE kafka_orders_pipe VIRTUAL_CLUSTER = 'default' BATCH_INTERVAL_IN_SECONDS ="
        " '60' AS COPY INTO orders_raw FROM ( SELECT CAST(value AS STRING) AS raw_msg FROM"
        " TABLE(READ_KAFKA( 'kafka-host:9092', -- bootstrap.servers\n 'orders_topic', -- topic\n"
        " '', -- topic pattern (not supported yet, leave empty)\n 'pipe_orders_group', '', '', '',"
        " '', -- managed by Pipe\n 'raw', 'raw', 0, map() )) )"
    )
    assert isinstance(pipe.source, KafkaSource)
    assert pipe.source.relation.topics == ("orders_topic",)
    assert pipe.source.relation.group_id == "pipe_orders_group"
    span = pipe.source.span
    assert span is not None
    assert pipe.body[span.start : span.end].startswith("TABLE(READ_KAFKA(")


def test_properties_come_in_any_order_quoted_or_not() -> None:
    clauses = [
        "VIRTUAL_CLUSTER = default",
        "batch_interval_in_seconds = 30",
        "BATCH_SIZE_PER_KAFKA_PARTITION = '2000000'",
        "COMMENT 'x'",
    ]
    for order in itertools.permutations(clauses):
        pipe = created(f"CREATE PIPE IF NOT EXISTS w.s.p {' '.join(order)} AS {COPY_KAFKA}")
        assert pipe.properties.batch_interval_seconds == 30
        assert pipe.properties.batch_size_per_partition == 2_000_000
        assert pipe.properties.virtual_cluster == "default"
        assert (pipe.comment, pipe.if_not_exists) == ("x", True)
        typed = [clause.split()[0].upper() for clause in order if "COMMENT" not in clause]
        assert [key for key, _ in pipe.properties.given] == typed


@pytest.mark.parametrize("comment", ["COMMENT 'it''s'", "COMMENT = 'it''s'", "COMMENTS = 'it''s',"])
def test_a_comment_with_and_without_an_equals_sign(comment: str) -> None:
    pipe = created(f"CREATE PIPE p {comment} VIRTUAL_CLUSTER = 'a' AS {COPY_KAFKA}")
    assert pipe.comment == "it's"


def test_a_pipe_over_a_stream_has_candidates() -> None:
    pipe = created(f"CREATE PIPE p VIRTUAL_CLUSTER = 'a' AS {COPY_STREAM}")
    assert pipe.source == StreamSource((ObjectName("s"),))
    assert written_table(pipe) is None


def test_a_password_is_not_in_the_repr_and_not_in_the_masked_text() -> None:
    settings = "map('kafka.sasl.username', 'u', 'kafka.sasl.password', 'hunter2')"
    text = f"CREATE PIPE p VIRTUAL_CLUSTER = 'a' AS {COPY_KAFKA.replace('map()', settings)}"
    pipe = created(text)
    assert "hunter2" not in repr(pipe)
    assert "hunter2" not in mask(pipe.to_sql())
    assert "hunter2" not in mask(pipe.body)
    assert created(pipe.to_sql()) == pipe


@pytest.mark.parametrize(
    ("text", "condition", "place"),
    [
        (f"CREATE OR REPLACE PIPE p VIRTUAL_CLUSTER = 'a' AS {COPY_FILES}", "PIPE_REPLACED", "OR"),
        (f"CREATE PIPE p AS {COPY_FILES}", "PIPE_CLUSTER_MISSING", "AS"),
        (f"CREATE PIPE p VIRTUAL_CLUSTER = 'a' {COPY_FILES}", "SYNTAX_ERROR", "COPY"),
        ("CREATE PIPE p VIRTUAL_CLUSTER = 'a'", "SYNTAX_ERROR", ""),
        ("CREATE PIPE p VIRTUAL_CLUSTER = 'a' AS", "SYNTAX_ERROR", ""),
        (
            f"CREATE PIPE p VIRTUAL_CLUSTR = 'a' AS {COPY_FILES}",
            "UNKNOWN_PROPERTY",
            "VIRTUAL_CLUSTR",
        ),
        (f"CREATE PIPE p COMMENT 'a' COMMENT 'b' AS {COPY_FILES}", "SYNTAX_ERROR", "COMMENT"),
        (
            f"CREATE PIPE p VIRTUAL_CLUSTER = 'a' virtual_cluster = 'a' AS {COPY_FILES}",
            "SYNTAX_ERROR",
            "virtual_cluster",
        ),
        (
            f"CREATE PIPE p VIRTUAL_CLUSTER = 'a' BATCH_INTERVAL_IN_SECONDS = 5 AS {COPY_KAFKA}",
            "PROPERTY_VALUE",
            "5",
        ),
        ("CREATE PIPE p VIRTUAL_CLUSTER = 'a' AS SELECT 1", "PIPE_BODY", "SELECT"),
        ("CREATE PIPE p VIRTUAL_CLUSTER = 'a' AS COPY INTO t FRM v", "SYNTAX_ERROR", "FRM"),
    ],
)
def test_mistakes_are_pointed_at(text: str, condition: str, place: str) -> None:
    error, pointed = refused(text)
    assert (error.condition, pointed) == (condition, place)


@pytest.mark.parametrize(
    ("given", "body", "condition", "place"),
    [
        ("", f"{COPY_FILES} PURGE = TRUE", "PIPE_INGEST_MODE_MISSING", "AS"),
        (LIST, COPY_FILES, "PIPE_PURGE_MISSING", "INGEST_MODE"),
        (LIST, f"{COPY_FILES} PURGE = FALSE", "PIPE_PURGE_MISSING", "INGEST_MODE"),
        (
            LIST,
            "COPY INTO t FROM (SELECT 1 FROM VOLUME v USING CSV)",
            "PIPE_PURGE_MISSING",
            "INGEST_MODE",
        ),
        (LIST, INSERT_FILES, "PIPE_PURGE_NEEDS_COPY", "INGEST_MODE"),
        (LIST, MERGE_FILES, "PIPE_PURGE_NEEDS_COPY", "INGEST_MODE"),
        (EVENT, COPY_FILES, "PIPE_QUEUE_MISSING", "INGEST_MODE"),
        (
            f"{EVENT} AWS_SQS_QUEUE = 'q'",
            f"{COPY_FILES} PURGE = TRUE",
            "PIPE_PURGE_NOT_ALLOWED",
            "INGEST_MODE",
        ),
        (
            f"{LIST} AWS_SQS_QUEUE = 'q'",
            f"{COPY_FILES} PURGE = TRUE",
            "PIPE_QUEUE_NOT_ALLOWED",
            "AWS_SQS_QUEUE",
        ),
        (
            f"{EVENT} AWS_SQS_QUEUE = 'q' ALICLOUD_MNS_QUEUE = 'r'",
            COPY_FILES,
            "CLAUSES_EXCLUDE",
            "ALICLOUD_MNS_QUEUE",
        ),
        (
            f"{LIST} BATCH_INTERVAL_IN_SECONDS = 60",
            f"{COPY_FILES} PURGE = TRUE",
            "PIPE_PROPERTY_OF_OTHER_SOURCE",
            "BATCH_INTERVAL_IN_SECONDS",
        ),
        (
            "RESET_KAFKA_GROUP_OFFSETS = none",
            COPY_FILES,
            "PIPE_PROPERTY_OF_OTHER_SOURCE",
            "RESET_KAFKA_GROUP_OFFSETS",
        ),
        (LIST, COPY_KAFKA, "PIPE_PROPERTY_OF_OTHER_SOURCE", "INGEST_MODE"),
        ("AWS_SQS_QUEUE = 'q'", COPY_KAFKA, "PIPE_PROPERTY_OF_OTHER_SOURCE", "AWS_SQS_QUEUE"),
        ("ON_REPLACED = SKIP", COPY_KAFKA, "PIPE_PROPERTY_OF_OTHER_SOURCE", "ON_REPLACED"),
        (LIST, COPY_STREAM, "PIPE_PROPERTY_OF_OTHER_SOURCE", "INGEST_MODE"),
        ("", f"{COPY_KAFKA} PURGE = TRUE", "PIPE_PURGE_NOT_ALLOWED", ""),
    ],
)
def test_properties_must_fit_the_body(given: str, body: str, condition: str, place: str) -> None:
    error, pointed = refused(f"CREATE PIPE p VIRTUAL_CLUSTER = 'a' {given} AS {body}")
    assert (error.condition, pointed) == (condition, place)


@pytest.mark.parametrize(
    ("given", "body"),
    [
        (LIST, f"{COPY_FILES} PURGE = TRUE"),
        (LIST, "COPY INTO t FROM (SELECT 1 FROM VOLUME v USING CSV) x PURGE = TRUE"),
        (f"{EVENT} AWS_SQS_QUEUE = 'q'", COPY_FILES),
        ("ALICLOUD_MNS_QUEUE = 'q'", COPY_FILES),
        (f"{EVENT} AWS_SQS_QUEUE = 'q'", INSERT_FILES),
        (f"{EVENT} AWS_SQS_QUEUE = 'q' ON_REPLACED = LOAD", MERGE_FILES),
        ("RESET_KAFKA_GROUP_OFFSETS = earliest INITIAL_DELAY_IN_SECONDS = 5", COPY_KAFKA),
        ("BATCH_INTERVAL_IN_SECONDS = 10 COPY_JOB_HINT = '{}'", COPY_STREAM),
    ],
)
def test_properties_that_fit(given: str, body: str) -> None:
    assert created(f"CREATE PIPE p VIRTUAL_CLUSTER = 'a' {given} AS {body}").body == body


def test_a_changed_property_must_fit_the_body_that_is_kept() -> None:
    body = pipe_body(COPY_KAFKA)
    properties = properties_of([("VIRTUAL_CLUSTER", "a")])
    require_fitting(with_property(properties, "BATCH_INTERVAL_IN_SECONDS", "10"), body)
    with pytest.raises(UserError) as raised:
        require_fitting(with_property(properties, "ON_REPLACED", "LOAD"), body)
    assert raised.value.condition == "PIPE_PROPERTY_OF_OTHER_SOURCE"
