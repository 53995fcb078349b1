"""The state of a table at a version, with and without checkpoints."""

from __future__ import annotations

import pytest

from headwater.catalog.objects import Totals
from headwater.errors import UserError
from headwater.lake.delta_log.actions import FileId
from headwater.lake.delta_log.snapshot import FileSize, read_metadata, read_snapshot


@pytest.fixture
def history(log):
    """Six versions: files come, lose rows, go, and come again."""
    vector = log.vector("v1", 3)
    log.create(log.clustering(["id"]))
    log.commit(log.add("a", 10, size=100), log.add("b", 5, size=50))
    log.commit(log.remove("a", 10, size=100), log.add("a", 10, size=100, vector=vector))
    log.commit(log.remove("b", None))
    log.commit(log.metadata(comment="changed", properties={"p": "q"}))
    log.commit(log.add("b", 5, size=50), log.add("c", 1, size=10))
    return log


EXPECTED = [
    Totals(0, 0),
    Totals(15, 150),
    Totals(12, 150),
    Totals(7, 100),
    Totals(7, 100),
    Totals(13, 160),
]
KINDS = [{}, {"parts": 3}, {"sidecar": True}]


def test_without_a_checkpoint_all_commits_are_replayed(history):
    assert [read_snapshot(history.files, v).totals for v in range(6)] == EXPECTED
    assert read_snapshot(history.files, -1).totals == Totals(0, 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hint", [True, False])
@pytest.mark.parametrize("version", range(6))
def test_a_checkpoint_replaces_the_commits_up_to_it(history, kind, hint, version):
    replayed = [read_snapshot(history.files, v) for v in range(6)]
    history.checkpoint(version, hint=hint, **kind)
    history.forget(*range(version + 1))
    for later in range(version, 6):
        assert read_snapshot(history.files, later) == replayed[later]


def test_the_newest_checkpoint_below_the_version_is_used(history):
    history.checkpoint(1)
    history.checkpoint(4)
    history.forget(0, 1, 3)
    assert read_snapshot(history.files, 2).totals == EXPECTED[2]
    assert read_snapshot(history.files, 5).totals == EXPECTED[5]


def test_a_snapshot_knows_metadata_clustering_and_files(history):
    history.checkpoint(4)
    found = read_snapshot(history.files, 5)
    assert found.metadata is not None
    assert found.metadata.description == "changed"
    assert found.metadata.configuration == {"p": "q"}
    assert found.clustering == '{"clusteringColumns": [["id"]]}'
    assert found.files == {
        FileId("a", "uv1@1"): FileSize(7, 100),
        FileId("b"): FileSize(5, 50),
        FileId("c"): FileSize(1, 10),
    }


def test_clustering_that_was_dropped_is_gone(history):
    history.commit(history.clustering(removed=True))
    assert read_snapshot(history.files, 6).clustering is None


def test_rows_of_a_checkpoint_may_be_typed_or_unknown(log):
    known, unknown = log.add("a", None), log.add("b", None)
    known["add"]["stats_parsed"] = {"numRecords": 4}
    log.create(known)
    log.checkpoint(0)
    assert read_snapshot(log.files, 0).totals == Totals(4, 100)
    log.commit(unknown)
    log.checkpoint(1)
    assert read_snapshot(log.files, 1).totals == Totals(None, 200)


def test_a_log_without_its_beginning_and_without_a_checkpoint_is_incomplete(history):
    history.forget(0, 1)
    with pytest.raises(UserError) as caught:
        read_snapshot(history.files, 4)
    assert caught.value.condition == "DELTA_LOG_INCOMPLETE"
    assert str(history.folder) in str(caught.value)


def test_a_damaged_checkpoint_is_named(history):
    history.checkpoint(4)
    history.path(4, "checkpoint.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(UserError) as caught:
        read_snapshot(history.files, 5)
    assert caught.value.condition == "DELTA_LOG_UNREADABLE"
    assert "00000000000000000004.checkpoint.parquet" in str(caught.value)


@pytest.mark.parametrize("sidecar", [False, True])
def test_the_definition_at_a_version_needs_no_files(log, sidecar):
    assert read_metadata(log.files, -1) is None
    log.create(log.add("a"))
    log.commit(log.metadata(comment="second"))
    log.commit(log.add("b"))
    log.commit(log.metadata(comment="third"))
    log.checkpoint(2, sidecar=sidecar)
    found = {version: read_metadata(log.files, version) for version in range(4)}
    assert {v: m and m.description for v, m in found.items()} == {
        0: None,
        1: "second",
        2: "second",
        3: "third",
    }
    assert found[2] == read_snapshot(log.files, 2).metadata
    log.forget(0, 1, 2)
    assert read_metadata(log.files, 2) == found[2]
    with pytest.raises(UserError, match="DELTA_LOG_INCOMPLETE"):
        read_metadata(log.files, 1)
