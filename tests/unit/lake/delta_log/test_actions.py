"""Commits read from their text."""

from __future__ import annotations

import json

import pytest

from headwater.errors import UserError
from headwater.lake.delta_log.actions import (
    Commit,
    DomainMetadata,
    FileId,
    TableProtocol,
    Transaction,
    commit_timestamp,
    parse_commit,
    record_count,
)


def parse(text: str) -> Commit:
    return parse_commit(text, 3, table="/lake/t")


def test_every_action_is_read(actions):
    text = actions.text(
        actions.info("MERGE", at=5, metrics={"numOutputRows": "2"}, userName="bob"),
        actions.metadata(properties={"a": "b"}, comment="hi", partitioned_by=["id"]),
        {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["x"]}},
        {"txn": {"appId": "pipe-1", "version": 9}},
        {"domainMetadata": {"domain": "d", "configuration": "{}", "removed": True}},
        {"cdc": {"path": "c", "size": 1}},
        actions.add("f", 10, size=70),
        actions.remove("g", None, size=None),
    )
    commit = parse(text)
    assert (commit.version, commit.timestamp_ms, commit.operation) == (3, 5, "MERGE")
    assert commit.metrics == {"numOutputRows": "2"}
    assert commit.user_name == "bob"
    assert commit.metadata is not None
    assert commit.metadata.configuration == {"a": "b"}
    assert commit.metadata.description == "hi"
    assert commit.metadata.partition_columns == ("id",)
    assert commit.protocol == TableProtocol(3, 7, ("x",))
    assert commit.transactions == (Transaction("pipe-1", 9),)
    assert commit.domain_metadata == (DomainMetadata("d", "{}", True),)
    assert [(f.id, f.rows, f.bytes) for f in commit.adds] == [(FileId("f"), 10, 70)]
    assert [(f.id, f.rows, f.bytes) for f in commit.removes] == [(FileId("g"), None, None)]


def test_a_deletion_vector_is_part_of_the_identity_and_takes_rows_away(actions):
    file = parse(actions.text(actions.add("f", 10, vector=actions.vector("dv", 4)))).adds[0]
    assert file.id == FileId("f", "udv@1")
    assert (file.records, file.rows) == (10, 6)


def test_an_inline_deletion_vector_has_no_offset(actions):
    vector = {"storageType": "i", "pathOrInlineDv": "wi5b=", "cardinality": 1}
    file = parse(actions.text(actions.add("f", 2, vector=vector))).adds[0]
    assert file.id == FileId("f", "iwi5b=")


def test_the_commit_s_own_timestamp_wins(actions):
    commit = parse(actions.text(actions.info(at=5, inCommitTimestamp=6)))
    assert commit.timestamp_ms == 6
    assert parse(actions.text(actions.info(at=None))).timestamp_ms is None


def test_the_time_is_read_from_the_first_line_alone(actions):
    whole = actions.text(actions.info(at=5), actions.add("f"))
    assert commit_timestamp(whole[:-20]) == 5
    assert commit_timestamp(whole[:10]) is None
    assert commit_timestamp(actions.text(actions.add("f"), actions.info())) is None


def test_parameters_and_metrics_of_other_writers_become_text(actions):
    info = {"operationParameters": {"version": 2, "timestamp": None}, "operationMetrics": {"n": 3}}
    commit = parse(actions.text({"commitInfo": {"operation": "RESTORE", **info}}))
    assert commit.operation_parameters == {"version": "2"}
    assert commit.metrics == {"n": "3"}


def test_line_separators_inside_values_do_not_end_a_line(actions):
    path = "a\u2028b\x85c"
    assert (
        parse(json.dumps({"add": actions.file(path)}, ensure_ascii=False)).adds[0].id.path == path
    )


@pytest.mark.parametrize(
    ("stats", "records"),
    [
        (None, None),
        ("", None),
        ('{"numRecords":12}', 12),
        ('{"numRecords":12,"minValues":{}}', 12),
        ('{"minValues":{"numRecords":5},"numRecords": 7}', 7),
        ('{"minValues":{"numRecords":5}}', None),
    ],
)
def test_records_come_from_the_statistics(stats, records):
    assert record_count(stats) == records


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: "\n",
        lambda text: text[: len(text) // 2],
        lambda text: text[:-3],
        lambda text: text + "\x00\x00",
        lambda text: '{"add": {"size": 1}}',
        lambda text: "[1]",
        lambda text: "7",
    ],
)
def test_a_damaged_commit_names_the_table_and_the_version(actions, damage):
    text = actions.text(actions.info(), actions.add("f"))
    with pytest.raises(UserError) as caught:
        parse(damage(text))
    assert caught.value.condition == "DELTA_LOG_UNREADABLE"
    assert "/lake/t" in str(caught.value)
    assert "version 3 " in str(caught.value)
    assert "00000000000000000003.json" in str(caught.value)
