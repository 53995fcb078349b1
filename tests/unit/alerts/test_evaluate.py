"""Which alerts fire, once, and which are over, once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from tests.unit.tasks.definitions import START, WORKSPACE, a_task, an_instance, name_of

from headwater.alerts.evaluate import LAG, Facts, Findings, evaluate
from headwater.catalog.alerts import Alert, AlertEvent
from headwater.catalog.tasks import InstanceState
from headwater.names import QualifiedName
from headwater.sql.alerts import AlertKind

TABLE = QualifiedName(WORKSPACE, "s", "d")
TASK = a_task()
FAILED = an_instance(TASK, START, state=InstanceState.FAILED, ended_at=START, attempt=1, error="x")


def an_alert(kind: AlertKind, target: QualifiedName | None = None, **changes: Any) -> Alert:
    made = Alert("al", WORKSPACE, "a", kind, "ada", START, START, target)
    return replace(made, **changes)


def look(alert: Alert, facts: Facts, events: tuple[AlertEvent, ...] = ()) -> Findings:
    open_events = [event for event in events if event.resolved_at is None]
    fired = {(event.alert_id, event.key) for event in events}
    numbers = count(len(events))
    return evaluate([alert], facts, open_events, fired, START, lambda: f"e{next(numbers)}")


def task_facts(*troubled: Any, **changes: Any) -> Facts:
    instances = {instance.id: instance for instance in troubled}
    facts = Facts(names={TASK.id: TASK.name}, troubled=troubled, instances=instances)
    return replace(facts, **changes)


def test_a_failure_fires_once_and_is_over_when_the_instance_is_done() -> None:
    alert = an_alert(AlertKind.TASK_FAILURE)
    [event] = look(alert, task_facts(FAILED)).fired
    assert "default.a" in event.message
    assert "failed: x" in event.message
    assert look(alert, task_facts(FAILED), (event,)) == Findings([], [])
    running = replace(FAILED, state=InstanceState.RUNNING, attempt=2)
    during = task_facts(instances={FAILED.id: running})
    assert look(alert, during, (event,)) == Findings([], [])
    done = replace(running, state=InstanceState.SUCCEEDED)
    assert look(alert, task_facts(instances={FAILED.id: done}), (event,)).resolved == [event.id]


def test_a_failure_is_over_when_a_later_instance_is_done_and_does_not_fire_again() -> None:
    alert = an_alert(AlertKind.TASK_FAILURE)
    [event] = look(alert, task_facts(FAILED)).fired
    later = task_facts(FAILED, succeeded={TASK.id: START + timedelta(minutes=5)})
    assert look(alert, later, (event,)).resolved == [event.id]
    over = replace(event, resolved_at=START)
    assert look(alert, later, (over,)) == Findings([], [])
    again = replace(FAILED, attempt=2)
    assert len(look(alert, task_facts(again), (over,)).fired) == 1


@pytest.mark.parametrize(
    "alert",
    [
        an_alert(AlertKind.TASK_FAILURE, name_of("other")),
        an_alert(AlertKind.TASK_TIMEOUT),
        an_alert(AlertKind.TASK_FAILURE, workspace="other"),
        an_alert(AlertKind.TASK_FAILURE, created_at=START + timedelta(seconds=1)),
    ],
)
def test_what_is_not_meant_does_not_fire(alert: Alert) -> None:
    assert look(alert, task_facts(FAILED)).fired == []


def test_a_timeout_fires_even_if_the_instance_is_retried() -> None:
    retried = replace(FAILED, state=InstanceState.WAITING, timed_out=True)
    assert len(look(an_alert(AlertKind.TASK_TIMEOUT), task_facts(retried)).fired) == 1
    assert look(an_alert(AlertKind.TASK_FAILURE), task_facts(retried)).fired == []


@pytest.mark.parametrize("kind", [AlertKind.DYNAMIC_TABLE_LAG, AlertKind.PIPE_LAG])
def test_a_lag_fires_when_it_is_too_long_and_again_after_it_was_over(kind: AlertKind) -> None:
    alert = an_alert(kind, TABLE, seconds=60)
    watched = (kind, TABLE)
    at_limit, late = timedelta(seconds=60), timedelta(seconds=61)
    assert look(alert, Facts(lags={watched: at_limit})).fired == []
    [event] = look(alert, Facts(lags={watched: late})).fired
    assert event.key == LAG
    assert "61 SECONDS behind, which is more than 1 MINUTE" in event.message
    assert look(alert, Facts(lags={watched: late}), (event,)) == Findings([], [])
    assert look(alert, Facts(lags={watched: None}), (event,)).resolved == []
    assert look(alert, Facts(lags={watched: at_limit}), (event,)).resolved == [event.id]
    over = replace(event, resolved_at=START)
    assert len(look(alert, Facts(lags={watched: late}), (over,)).fired) == 1


def test_a_stream_near_stale_fires_and_is_over_when_it_was_consumed() -> None:
    alert = an_alert(AlertKind.STREAM_NEAR_STALE, TABLE)
    [event] = look(alert, Facts(warnings={TABLE: "it is stale in 2 days"})).fired
    assert look(alert, Facts(warnings={TABLE: None}), (event,)).resolved == [event.id]
