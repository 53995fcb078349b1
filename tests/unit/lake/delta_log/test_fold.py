"""Commits become the versions users count."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from headwater.catalog.objects import TableColumn, TableShape, Totals
from headwater.lake.delta_log.actions import parse_commit
from headwater.lake.delta_log.fold import fold
from headwater.lake.delta_log.snapshot import Snapshot

T0 = 1_700_000_000_000


@pytest.fixture
def commits(actions):
    """Parses commits given as lists of lines, numbered from `first`."""

    def make(*texts, first=0):
        return [
            parse_commit(actions.text(*lines), first + n, table="t")
            for n, lines in enumerate(texts)
        ]

    return make


def folded(commits, shape=None, last=None, *, before=None):
    def nothing() -> Snapshot:
        assert before is not None, "the snapshot is not needed"
        return before

    return fold(shape or TableShape(), last, commits, before=nothing, default_user="me")


def test_commits_of_one_job_are_one_version(actions, commits):
    made = commits(
        [actions.info("CREATE TABLE"), actions.metadata()],
        [actions.info(job="j1", at=T0, metrics={"numOutputRows": "2"}), actions.add("a", 2)],
        [actions.info(job="j1", at=T0 + 5, metrics={"numOutputRows": "3"}), actions.add("b", 3)],
        [actions.info(job="j2", at=T0 + 9), actions.add("c", 4)],
    )
    shape, (created, first, second) = folded(made)
    assert (created.version, created.operation, created.user) == (1, "CREATE", "me")
    assert (first.version, first.delta_version, first.job_id) == (2, 2, "j1")
    assert (first.operation, first.user) == ("INSERT_INTO", "ann")
    assert first.committed_at == datetime.fromtimestamp((T0 + 5) / 1000, UTC)
    assert (first.totals, first.rows_inserted) == (Totals(5, 200), 5)
    assert (second.version, second.delta_version) == (3, 3)
    assert shape.delta_version == 3
    assert shape.totals == Totals(9, 300)


def test_a_job_that_goes_on_replaces_its_version(actions, commits):
    create = commits([actions.info("CREATE TABLE"), actions.metadata()])
    first = commits(
        [actions.info(job="j1", metrics={"numOutputRows": "2"}), actions.add("a", 2)], first=1
    )
    more = commits(
        [actions.info(job="j1", metrics={"numOutputRows": "3"}), actions.add("b", 3)], first=2
    )
    whole, all_versions = folded(create + first + more)
    shape, (_, killed) = folded(create + first)
    shape, (extended,) = folded(more, shape, killed)
    assert extended.version == killed.version == 2
    assert extended == all_versions[-1]
    assert extended.rows_inserted == 5
    assert shape == whole


def test_a_commit_of_another_tool_between_two_of_a_job_separates_them(actions, commits):
    made = commits(
        [actions.info("CREATE TABLE", job="j1"), actions.metadata()],
        [actions.info("WRITE", mode="Append"), actions.add("a")],
        [actions.info(job="j1"), actions.add("b")],
    )
    _, versions = folded(made)
    assert [(v.version, v.job_id) for v in versions] == [(1, "j1"), (2, None), (3, "j1")]


def test_each_commit_of_another_tool_is_a_version(actions, commits):
    made = commits(
        [actions.info("CREATE TABLE"), actions.metadata()],
        [actions.info("WRITE", mode="Append", userName="bob"), actions.add("a")],
        [actions.info("OPTIMIZE", userMetadata="nightly")],
        [actions.info("WRITE", mode="Overwrite", userMetadata='{"headwater": 1}')],
    )
    _, versions = folded(made)
    assert [(v.version, v.operation, v.user) for v in versions] == [
        (1, "CREATE", "me"),
        (2, "INSERT_INTO", "bob"),
        (3, "COMPACTION", "me"),
        (4, "INSERT_OVERWRITE", "me"),
    ]


def test_times_never_go_back(actions, commits):
    made = commits(
        [actions.info("CREATE TABLE", at=T0 + 50), actions.metadata()],
        [actions.info(at=T0)],
        [actions.info(at=None)],
        [actions.info(at=T0 + 51)],
    )
    _, versions = folded(made)
    milliseconds = [round(v.committed_at.timestamp() * 1000) - T0 for v in versions]
    assert milliseconds == [50, 50, 50, 51]


def test_metadata_gives_columns_properties_comment_and_partitioning(actions, commits):
    made = commits(
        [
            actions.info("CREATE TABLE"),
            actions.metadata(
                properties={"delta.appendOnly": "true"}, comment="hi", partitioned_by=["id"]
            ),
        ],
        [actions.info(), actions.add("a")],
    )
    shape, _ = folded(made)
    assert shape.columns == (TableColumn("id", "bigint"),)
    assert shape.partition_columns == ("id",)
    assert shape.properties == {"delta.appendOnly": "true"}
    assert shape.comment == "hi"


def mapped(actions, name):
    column = {
        "name": name,
        "type": "long",
        "nullable": True,
        "metadata": {"delta.columnMapping.physicalName": "col-1"},
    }
    schema = {"type": "struct", "fields": [column]}
    return actions.metadata(schema, properties={"delta.columnMapping.mode": "name"})


def test_cluster_columns_follow_a_rename(actions, commits):
    create, rename, dropped = commits(
        [actions.info("CREATE TABLE"), mapped(actions, "id"), actions.clustering(["col-1"])],
        [actions.info("RENAME COLUMN"), mapped(actions, "key")],
        [actions.info("CLUSTER BY"), actions.clustering()],
    )
    shape, versions = folded([create])
    assert shape.cluster_columns == ("id",)
    whole, _ = folded([create, rename])
    assert whole.cluster_columns == ("key",)
    configuration = create.domain_metadata[0].configuration
    before = Snapshot(0, metadata=create.metadata, clustering=configuration)
    later, _ = folded([rename], shape, versions[-1], before=before)
    assert later == whole
    assert folded([dropped], later, before=before)[0].cluster_columns == ()


def test_clustering_set_later_is_mapped_through_the_schema_before(actions, commits):
    create, cluster = commits(
        [actions.info("CREATE TABLE"), mapped(actions, "id")],
        [actions.info("CLUSTER BY"), actions.clustering(["col-1"])],
    )
    shape, versions = folded([create])
    before = Snapshot(0, metadata=create.metadata)
    later, _ = folded([cluster], shape, versions[-1], before=before)
    assert later.cluster_columns == ("id",)


def test_replacing_a_table_can_end_its_clustering(actions, commits):
    made = commits(
        [actions.info("CREATE TABLE"), actions.metadata(), actions.clustering(["id"])],
        [actions.info("REPLACE TABLE"), actions.metadata(), actions.clustering(removed=True)],
    )
    assert folded(made[:1])[0].cluster_columns == ("id",)
    assert folded(made)[0].cluster_columns == ()


def test_nothing_folds_into_nothing():
    shape = TableShape(delta_version=4, totals=Totals(1, 2))
    assert folded([], shape) == (shape, ())
