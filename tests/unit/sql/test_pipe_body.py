"""The body of a pipe: which statements it may be, and its one source of new rows."""

from __future__ import annotations

import pytest

from headwater.errors import Span, UserError
from headwater.names import ObjectName
from headwater.sql.pipe_body import (
    KafkaSource,
    PipeBody,
    PipeSource,
    StreamSource,
    VolumeSource,
    pipe_body,
)

FILES = "VOLUME v USING CSV"
OTHER_FILES = "VOLUME w USING CSV"
KAFKA = "READ_KAFKA('h:9092', 'orders', '', 'g', '', '', '', '', 'raw', 'raw', 0, map())"
OTHER_KAFKA = KAFKA.replace("orders", "refunds")
WITHOUT_GROUP = KAFKA.replace("'g'", "' '")
FROM_EARLIEST = KAFKA.replace("'g', ''", "'g', 'earliest'")
TO_A_TIME = KAFKA.replace("'', 'raw'", "'5', 'raw'")


def refused(text: str) -> tuple[str, str]:
    with pytest.raises(UserError) as raised:
        pipe_body(text)
    span = raised.value.span
    assert span is not None
    return raised.value.condition, text[span.start : span.end]


@pytest.mark.parametrize(
    "text",
    [
        "COPY INTO s.t FROM (SELECT * FROM {})",
        "COPY INTO s.t FROM (WITH c AS (SELECT * FROM {}) SELECT * FROM c JOIN d ON true)",
        "COPY INTO s.t FROM (SELECT * FROM d WHERE id IN (SELECT 1 FROM {}))",
        "INSERT INTO s.t SELECT * FROM d, {}",
        "INSERT INTO TABLE s.t (a, b) SELECT * FROM {} x JOIN d USING (id)",
        "MERGE INTO s.t USING (SELECT * FROM {}) x ON true WHEN NOT MATCHED THEN INSERT *",
        "MERGE INTO s.t USING {} x ON true WHEN NOT MATCHED THEN INSERT *",
    ],
)
@pytest.mark.parametrize(
    ("relation", "kind"),
    [(FILES, VolumeSource), (KAFKA, KafkaSource), (f"TABLE({KAFKA})", KafkaSource)],
)
def test_the_one_source_is_found_wherever_it_stands(
    text: str, relation: str, kind: type[VolumeSource | KafkaSource]
) -> None:
    full = text.replace("{}", relation)
    body = pipe_body(full)
    assert isinstance(body.source, kind)
    assert body.source.span is not None
    assert full[body.source.span.start : body.source.span.end] == relation
    assert body.target == ObjectName("t", "s")
    assert body.text == full


def test_copy_from_a_volume_directly() -> None:
    text = f"COPY INTO t FROM {FILES} x PURGE = TRUE ON_ERROR = CONTINUE"
    body = pipe_body(text)
    assert isinstance(body.source, VolumeSource)
    assert body.source.relation.to_sql() == FILES
    assert body.purge
    assert not pipe_body(f"COPY INTO t FROM {FILES}").purge


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("INSERT INTO t SELECT * FROM s", ["s"]),
        ("COPY INTO t FROM (SELECT * FROM w.x.s)", ["w.x.s"]),
        ("INSERT INTO t SELECT * FROM s JOIN d ON s.id = d.id JOIN S s2", ["s", "d"]),
        ("MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE", ["s"]),
        ("INSERT INTO t WITH c AS (SELECT * FROM s) SELECT * FROM c", ["s"]),
    ],
)
def test_names_are_candidates_for_a_stream(text: str, candidates: list[str]) -> None:
    source = pipe_body(text).source
    assert isinstance(source, StreamSource)
    assert [str(name) for name in source.candidates] == candidates
    typed = [text[span.start : span.end] for span in source.spans]
    assert [name.lower() for name in typed] == candidates


@pytest.mark.parametrize(
    ("text", "condition", "place"),
    [
        ("SELECT 1", "PIPE_BODY", "SELECT"),
        ("UPDATE t SET a = 1", "PIPE_BODY", "UPDATE"),
        ("WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c", "PIPE_BODY", "WITH"),
        ("COPY INTO VOLUME v SUBDIRECTORY 'd' FROM TABLE t", "PIPE_BODY", "COPY"),
        (f"COPY OVERWRITE t FROM {FILES}", "PIPE_OVERWRITES", "OVERWRITE"),
        (f"INSERT OVERWRITE t SELECT * FROM {FILES}", "PIPE_OVERWRITES", "OVERWRITE"),
        (
            f"INSERT INTO t REPLACE WHERE a = 1 SELECT * FROM {FILES}",
            "PIPE_OVERWRITES",
            "REPLACE WHERE",
        ),
        ("INSERT INTO t VALUES (1)", "PIPE_SOURCE_MISSING", "INSERT INTO t VALUES (1)"),
        (
            f"INSERT INTO t SELECT * FROM {FILES} a JOIN {OTHER_FILES} b",
            "PIPE_TWO_VOLUMES",
            OTHER_FILES,
        ),
        (f"COPY INTO t FROM (SELECT * FROM {FILES} a, {FILES} b)", "PIPE_TWO_VOLUMES", FILES),
        (
            f"COPY INTO t FROM (SELECT * FROM {KAFKA} a, {OTHER_KAFKA} b)",
            "PIPE_TWO_TOPICS",
            OTHER_KAFKA,
        ),
        (f"COPY INTO t FROM (SELECT * FROM {FILES} a, {KAFKA} b)", "PIPE_VOLUME_AND_KAFKA", KAFKA),
        (f"COPY INTO t FROM {FILES} FILES('a')", "PIPE_SELECTS_FILES", "FILES('a')"),
        (
            f"COPY INTO t FROM (SELECT * FROM {FILES} REGEXP '.*')",
            "PIPE_SELECTS_FILES",
            "REGEXP '.*'",
        ),
        (
            f"INSERT INTO t SELECT * FROM {FILES} SUBDIRECTORY '/'",
            "PIPE_SELECTS_FILES",
            "SUBDIRECTORY '/'",
        ),
        ("COPY INTO t FROM USER VOLUME USING CSV", "PIPE_VOLUME_KIND", "USER VOLUME"),
        (
            "COPY INTO t FROM (SELECT 1 FROM TABLE VOLUME s.u USING CSV)",
            "PIPE_VOLUME_KIND",
            "TABLE VOLUME s.u",
        ),
        (f"COPY INTO t FROM (SELECT * FROM {WITHOUT_GROUP})", "PIPE_GROUP_MISSING", "' '"),
        (f"INSERT INTO t SELECT * FROM {FROM_EARLIEST}", "PIPE_KAFKA_POSITION", "'earliest'"),
        (f"INSERT INTO t SELECT * FROM {TO_A_TIME}", "PIPE_KAFKA_POSITION", "'5'"),
    ],
)
def test_what_a_pipe_cannot_run(text: str, condition: str, place: str) -> None:
    assert refused(text) == (condition, place)


def test_a_place_is_one_in_the_statement_around_the_body() -> None:
    with pytest.raises(UserError) as raised:
        pipe_body("SELECT 1", start=10)
    assert raised.value.span == Span(10, 16)


def test_a_function_called_replace_is_no_replacing() -> None:
    text = f"INSERT INTO t SELECT replace(a, 'b') FROM {FILES} WHERE true"
    found: PipeSource = pipe_body(text).source
    assert isinstance(found, VolumeSource)


def test_the_repr_does_not_hold_the_text() -> None:
    settings = "map('kafka.sasl.password', 'hunter2')"
    body: PipeBody = pipe_body(f"INSERT INTO t SELECT * FROM {KAFKA.replace('map()', settings)}")
    assert "hunter2" not in repr(body)


def test_a_wrong_relation_inside_the_query_of_a_copy_is_pointed_at() -> None:
    text = "COPY INTO t FROM (SELECT 1 FROM TABLE(READ_KAFKA('host:1', 'x')))"
    with pytest.raises(UserError) as raised:
        pipe_body(text, start=0)
    span = raised.value.span
    assert span is not None
    assert (raised.value.condition, text[span.start : span.end]) == (
        "READ_KAFKA_ARGUMENTS",
        "READ_KAFKA",
    )
