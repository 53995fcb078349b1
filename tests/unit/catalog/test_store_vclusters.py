"""Virtual clusters in the store, on both databases, and those that an older lake gets."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.catalog.samples import (
    START,
    WORKSPACE,
    FakeClock,
    a_pipe,
    at,
    fresh_id,
    with_schema,
)

from headwater.catalog.store import Store, migrate
from headwater.catalog.store.migrate import REVISIONS
from headwater.catalog.store.pipe_model import pipes
from headwater.catalog.store.pipe_rows import pipe_values
from headwater.catalog.vclusters import VirtualCluster
from headwater.errors import UserError
from headwater.sql.vcluster_properties import cluster_properties_of


def a_cluster(name: str = "LOADING", **given: str) -> VirtualCluster:
    return VirtualCluster(
        id=fresh_id("vcluster"),
        workspace=WORKSPACE,
        name=name,
        creator="ada",
        created_at=START,
        modified_at=START,
        active_at=START,
        properties=cluster_properties_of(given.items()),
        comment="it's",
    )


@pytest.fixture
def store_with_schema(store: Store) -> Store:
    with_schema(store)
    return store


def test_a_cluster_is_found_as_it_was_made(store_with_schema: Store) -> None:
    store = store_with_schema.vclusters
    made = a_cluster(VCLUSTER_TYPE="AP", MAX_CONCURRENCY="3")
    store.create(made)
    assert store.get(WORKSPACE, "loading") == made
    assert store.list(WORKSPACE) == [made]
    with pytest.raises(UserError, match="VCLUSTER_ALREADY_EXISTS"):
        store.create(a_cluster())


def test_every_workspace_has_two_clusters_however_often_it_is_opened(
    store_with_schema: Store,
) -> None:
    store = store_with_schema.vclusters
    store.ensure_built_in(WORKSPACE)
    first = store.list(WORKSPACE)
    store.ensure_built_in(WORKSPACE)
    assert store.list(WORKSPACE) == first
    assert [(c.name, c.properties.type.value) for c in first] == [
        ("DEFAULT", "GENERAL"),
        ("DEFAULT_AP", "ANALYTICS"),
    ]
    with pytest.raises(UserError, match="VCLUSTER_BUILT_IN"):
        store.drop(first[0], force=True)


def test_states_and_activity_are_kept(store_with_schema: Store) -> None:
    store = store_with_schema.vclusters
    made = a_cluster()
    store.create(made)
    store.suspend(made.id)
    store.note_activity(made.id, at(5))
    assert store.get(WORKSPACE, made.name) == replace(made, suspended=True, active_at=at(5))
    store.resume(made.id, at(9))
    assert store.get(WORKSPACE, made.name) == replace(made, active_at=at(9))


def test_a_change_leaves_identity_and_activity_alone(store_with_schema: Store) -> None:
    store = store_with_schema.vclusters
    made = a_cluster()
    store.create(made)
    store.note_activity(made.id, at(5))
    properties = cluster_properties_of([("VCLUSTER_SIZE", "4")])
    changed = replace(made, properties=properties, comment=None, modified_at=at(7))
    store.update(changed)
    assert store.get(WORKSPACE, made.name) == replace(changed, active_at=at(5))
    store.drop(changed)
    with pytest.raises(UserError, match="VCLUSTER_NOT_FOUND"):
        store.update(changed)


def test_an_older_lake_gets_a_cluster_for_every_name_it_uses(
    fresh_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = REVISIONS.index("0006_vclusters")
    with monkeypatch.context() as past:
        past.setattr(migrate, "REVISIONS", REVISIONS[:before])
        past.setattr(migrate, "HEAD", REVISIONS[before - 1])
        old = Store.open(fresh_url, clock=FakeClock())
        schema = with_schema(old)
        given = (("VIRTUAL_CLUSTER", "gp"), ("INGEST_MODE", "x"))
        values = pipe_values(a_pipe(properties=given)) | {"schema_id": schema.id}
        del values["last_error"]  # a column of later
        with old.begin() as connection:
            connection.execute(pipes.insert().values(values))
        old.close()
    store = Store.open(fresh_url, clock=FakeClock())
    names = [cluster.name for cluster in store.vclusters.list(WORKSPACE)]
    assert names == ["DEFAULT", "DEFAULT_AP", "GP"]
    store.close()


@pytest.mark.parametrize(
    ("given", "limit", "weight"),
    [
        ({}, 8, 4),
        ({"VCLUSTER_SIZE": "256"}, 256, 1024),
        ({"MIN_VCLUSTER_SIZE": "1", "MAX_VCLUSTER_SIZE": "4"}, 32, 16),
        ({"VCLUSTER_TYPE": "INTEGRATION", "VCLUSTER_SIZE": "0.25"}, 2, 1),
        ({"VCLUSTER_TYPE": "AP", "MAX_CONCURRENCY": "5", "MAX_REPLICAS": "3"}, 15, 12),
    ],
)
def test_sizes_give_limits_and_weights(given: dict[str, str], limit: int, weight: int) -> None:
    cluster = a_cluster(**given)
    assert (cluster.limit, cluster.weight) == (limit, weight)


def test_replicas_follow_the_jobs_within_their_limits() -> None:
    cluster = a_cluster(VCLUSTER_TYPE="AP", MAX_CONCURRENCY="2", MIN_REPLICAS="2", MAX_REPLICAS="4")
    assert [cluster.replicas(at=START, running=n) for n in (0, 4, 5, 99)] == [2, 2, 3, 4]
    assert cluster.replicas(at=at(600), running=0) == 0
    never = a_cluster(AUTO_SUSPEND_IN_SECOND="-1")
    assert never.state(at=at(10**6), busy=False) == "RUNNING"
