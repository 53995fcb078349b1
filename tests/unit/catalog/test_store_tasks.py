"""Tasks, their versions and instances in the store, on both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.unit.catalog.samples import WORKSPACE, with_schema
from tests.unit.tasks.definitions import START, a_definition, a_task, an_instance, name_of

from headwater.catalog.alerts import Alert, AlertEvent
from headwater.catalog.store import Store
from headwater.catalog.tasks import InstanceState, TaskDefinition, TaskKind, TaskState
from headwater.errors import UserError
from headwater.names import QualifiedName
from headwater.sql.alerts import AlertKind
from headwater.sql.task_clauses import RerunPolicy

T1 = START + timedelta(minutes=5)


@pytest.fixture
def tasks(store: Store) -> Store:
    with_schema(store)
    return store


def full_definition() -> TaskDefinition:
    return a_definition(
        "CRON '0 30 2 ? * MON *' FROM '2026-01-01'",
        kind=TaskKind.DYNAMIC_TABLE,
        script="it's \U0001f40d",
        target=QualifiedName("w", "s", "d"),
        after=(name_of("x"), name_of("y")),
        parameters=(("a", "'"),),
        unchecked=True,
        retries=3,
        rerun=RerunPolicy.ON_FAILURE,
        timeout_seconds=5,
        skip_seconds=6,
        comment="c",
        sealed_script="hw1:..",
    )


def test_a_task_is_found_as_it_was_made(tasks: Store) -> None:
    made = replace(a_task(), draft=full_definition(), state=TaskState.OFFLINE, version=None)
    made = replace(made, deployed=None, online_since=None, generated_to=None)
    tasks.tasks.create(made)
    assert tasks.tasks.get(made.name) == made
    assert tasks.tasks.by_id(made.id) == made
    assert tasks.tasks.list(WORKSPACE) == [made]
    assert tasks.tasks.list("other") == []
    with pytest.raises(UserError, match="TASK_ALREADY_EXISTS"):
        tasks.tasks.create(replace(made, id="other"))


def test_what_names_a_task_follows_its_new_name(tasks: Store) -> None:
    """Tasks that come after it, in drafts and versions, and alerts; nothing else of that name."""
    first = a_task()
    second = replace(
        a_task("second"), draft=a_definition("EVERY 1 HOUR", after=(first.name, name_of("other")))
    )
    for made in (first, second):
        tasks.tasks.create(made)
    kept = tasks.tasks.by_id(second.id)
    assert kept is not None
    tasks.tasks.submit(kept, T1, by="ada")
    alert = Alert("a", WORKSPACE, "a", AlertKind.TASK_FAILURE, "ada", START, START, first.name)
    table = replace(alert, id="b", name="b", kind=AlertKind.DYNAMIC_TABLE_LAG)
    for rule in (alert, table):
        tasks.alerts.create(rule)
    to = QualifiedName(WORKSPACE, "new folder", "it's")
    tasks.tasks.rename(first, to, T1)
    moved, after = tasks.tasks.by_id(first.id), tasks.tasks.by_id(second.id)
    assert moved is not None
    assert after is not None
    assert moved.name == to
    assert tasks.tasks.get(first.name) is None
    assert after.deployed is not None
    assert after.draft.after == after.deployed.after == (to, name_of("other"))
    assert {rule.name: rule.target for rule in tasks.alerts.list()} == {"a": to, "b": first.name}
    with pytest.raises(UserError, match="TASK_ALREADY_EXISTS"):
        tasks.tasks.rename(moved, second.name, T1)
    tasks.tasks.rename(moved, to, T1)


def test_versions_are_kept_and_the_draft_goes_on(tasks: Store) -> None:
    made = a_task()
    tasks.tasks.create(made)
    offline = tasks.tasks.by_id(made.id)
    assert offline is not None
    assert tasks.tasks.submit(offline, T1, by="ada") == 1
    tasks.tasks.set_draft(made.id, a_definition("EVERY 1 HOUR"), T1)
    current = tasks.tasks.by_id(made.id)
    assert current is not None
    assert current.deployed == made.draft
    assert (current.state, current.online_since) == (TaskState.ONLINE, T1)
    assert tasks.tasks.submit(current, T1 + timedelta(hours=1), by="bob") == 2
    assert [(v.version, v.submitted_by) for v in tasks.tasks.versions(made.id)] == [
        (2, "bob"),
        (1, "ada"),
    ]
    first = tasks.tasks.version(made.id, 1)
    assert first is not None
    assert first.definition == made.draft
    after = tasks.tasks.by_id(made.id)
    assert after is not None
    assert after.online_since == T1


def test_an_instance_is_there_once_however_often_it_is_made(tasks: Store) -> None:
    made = a_task()
    tasks.tasks.create(made)
    instance = an_instance(made, T1)
    store = tasks.task_instances
    assert store.add([instance], task_id=made.id, generated_to=T1) == 1
    assert store.add([replace(instance, id="again")]) == 0
    assert store.open() == [instance]
    assert store.states_since(T1) == {("a", "", T1): InstanceState.WAITING}
    current = tasks.tasks.by_id(made.id)
    assert current is not None
    assert current.generated_to == T1


def test_an_attempt_begins_once_and_ends_only_by_its_owner(tasks: Store) -> None:
    made = a_task()
    tasks.tasks.create(made)
    waiting, store = an_instance(made, T1), tasks.task_instances
    store.add([waiting])
    ready = replace(waiting, state=InstanceState.READY)
    assert store.move(waiting, ready)
    assert not store.move(waiting, ready)
    begun = store.begin(ready, T1, fencing=7, check_lease=lambda own: None)
    assert begun is not None
    assert (begun.state, begun.attempt, begun.fencing) == (InstanceState.RUNNING, 1, 7)
    assert store.begin(ready, T1, fencing=7, check_lease=lambda own: None) is None
    assert store.note(begun, ["j1"], "a log")
    done = replace(begun, state=InstanceState.SUCCEEDED, ended_at=T1)
    stale = replace(begun, attempt=0)
    assert not store.move(stale, replace(done, attempt=0))
    assert store.move(begun, done)
    assert not store.note(begun, [], "late")
    found = store.get(begun.id)
    assert found is not None
    assert (found.log, found.job_ids) == ("a log", ("j1",))
    assert store.last_ended()[made.id].id == begun.id
    assert store.delete_before(T1) == 0
    assert store.delete_before(T1 + timedelta(days=1)) == 1


def test_nothing_begins_without_the_lease(tasks: Store) -> None:
    made = a_task()
    tasks.tasks.create(made)
    ready, store = an_instance(made, T1, state=InstanceState.READY), tasks.task_instances
    store.add([ready])

    def lost(own: object) -> None:
        raise UserError("TASK_NOT_FOUND", name="x")

    with pytest.raises(UserError):
        store.begin(ready, T1, fencing=1, check_lease=lost)
    assert store.open() == [ready]


def test_what_waits_of_a_task_that_goes_offline_is_terminated(tasks: Store) -> None:
    made = a_task()
    tasks.tasks.create(made)
    offline = tasks.tasks.by_id(made.id)
    assert offline is not None
    tasks.tasks.submit(offline, START, by="ada")
    tasks.task_instances.add([an_instance(made, T1)])
    tasks.tasks.set_state([made.id], TaskState.OFFLINE, T1)
    [instance] = tasks.task_instances.list()
    assert instance.state is InstanceState.TERMINATED
    tasks.tasks.drop(made.id)
    assert tasks.task_instances.list() == []


def test_an_event_is_open_once_and_told_later(tasks: Store) -> None:
    alert = Alert(
        "al", WORKSPACE, "a", AlertKind.PIPE_LAG, "ada", START, START,
        QualifiedName("w", "s", "p"), 5, "c", ("json://****",), "sealed",
    )  # fmt: skip
    store = tasks.alerts
    store.create(alert)
    assert store.get(WORKSPACE, "a") == alert
    with pytest.raises(UserError, match="ALERT_ALREADY_EXISTS"):
        store.create(replace(alert, id="b"))
    event = AlertEvent("e", "al", "lag", "late", T1)
    store.fire([event, replace(event, id="f")])
    assert store.open_events() == [event]
    later = replace(event, tries=1, not_before=T1 + timedelta(minutes=1), pending=(1,))
    store.record(later)
    assert store.untold(T1, most_tries=9) == []
    [untold] = store.untold(T1 + timedelta(minutes=1), most_tries=9)
    assert [*(untold.pending or ())] == [1]
    assert store.untold(T1 + timedelta(minutes=1), most_tries=1) == []
    store.resolve(["e"], T1)
    assert store.open_events() == []
    store.fire([replace(event, id="f"), replace(event, id="g", alert_id="dropped")])
    assert [e.id for e in store.open_events()] == ["f"]
    assert store.fired_keys([AlertKind.PIPE_LAG]) == {("al", "lag")}
    store.create(replace(alert, id="new"), replacing=True)
    assert store.events(WORKSPACE) == []
