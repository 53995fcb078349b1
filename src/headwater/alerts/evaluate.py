"""Which alerts fire and which are over, from facts. Pure: the time is given.

Law: an event fires once and is resolved once. A failure of an attempt fires once for ever; what has
a lag fires again only after it was over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from headwater.catalog.alerts import Alert, AlertEvent
from headwater.catalog.tasks import DONE_STATES, InstanceState, TaskInstance
from headwater.names import QualifiedName
from headwater.sql.alerts import AlertKind
from headwater.sql.task_clauses import duration_text

LAG = "lag"
OF_TASKS = (AlertKind.TASK_FAILURE, AlertKind.TASK_TIMEOUT)
Watched = tuple[AlertKind, QualifiedName]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known at a moment.

    `troubled` are instances that failed or took too long, `succeeded` is the plan time of the last
    instance of each task that is done. What has a lag of None is not there, or unknown.
    """

    names: Mapping[str, QualifiedName] = field(default_factory=dict)
    """The names of tasks by their ids."""
    troubled: Sequence[TaskInstance] = ()
    succeeded: Mapping[str, datetime] = field(default_factory=dict)
    instances: Mapping[str, TaskInstance] = field(default_factory=dict)
    """The instances that open events speak of, by id."""
    lags: Mapping[Watched, timedelta | None] = field(default_factory=dict)
    warnings: Mapping[QualifiedName, str | None] = field(default_factory=dict)
    """What is to be said of streams that are near stale."""


@dataclass(frozen=True, slots=True)
class Findings:
    """New events, and the ids of those that are over."""

    fired: list[AlertEvent]
    resolved: list[str]


def evaluate(
    alerts: Sequence[Alert],
    facts: Facts,
    open_events: Sequence[AlertEvent],
    fired_before: Collection[tuple[str, str]],
    at: datetime,
    new_id: Callable[[], str],
) -> Findings:
    """What is new since the last look."""
    by_id = {alert.id: alert for alert in alerts}
    is_open = {(event.alert_id, event.key) for event in open_events}
    fired = list[AlertEvent]()
    for alert in alerts:
        for key, message in _firing(alert, facts):
            known = is_open if alert.kind not in OF_TASKS else {*is_open, *fired_before}
            if (alert.id, key) not in known:
                fired.append(AlertEvent(new_id(), alert.id, key, message, at))
    resolved = [
        event.id
        for event in open_events
        if event.alert_id in by_id and _over(by_id[event.alert_id], event, facts)
    ]
    return Findings(fired, resolved)


def _firing(alert: Alert, facts: Facts) -> Iterator[tuple[str, str]]:
    if alert.kind in OF_TASKS:
        yield from _failures(alert, facts)
    elif alert.kind is AlertKind.STREAM_NEAR_STALE:
        assert alert.target is not None
        warning = facts.warnings.get(alert.target)
        if warning is not None:
            yield LAG, f"stream {alert.target}: {warning}"
    else:
        lag = _lag(alert, facts)
        if lag is not None and alert.seconds is not None and lag > timedelta(seconds=alert.seconds):
            what = "pipe" if alert.kind is AlertKind.PIPE_LAG else "dynamic table"
            shown = duration_text(int(lag.total_seconds()))
            most = duration_text(alert.seconds)
            yield LAG, f"{what} {alert.target} is {shown} behind, which is more than {most}"


def _failures(alert: Alert, facts: Facts) -> Iterator[tuple[str, str]]:
    for instance in facts.troubled:
        name = facts.names.get(instance.task_id)
        if name is None or name.workspace != alert.workspace or alert.target not in (None, name):
            continue
        if instance.ended_at is None or instance.ended_at < alert.created_at:
            continue
        if _is_meant(alert, instance):
            plan = f"{instance.plan_at:%Y-%m-%d %H:%M} UTC"
            error = instance.error or "no reason is known"
            yield _key(instance), f"task {name}, instance {instance.id} of {plan} failed: {error}"


def _is_meant(alert: Alert, instance: TaskInstance) -> bool:
    if alert.kind is AlertKind.TASK_TIMEOUT:
        return instance.timed_out
    return instance.state is InstanceState.FAILED


def _key(instance: TaskInstance) -> str:
    return f"{instance.id}/{instance.attempt}"


def _over(alert: Alert, event: AlertEvent, facts: Facts) -> bool:
    if alert.kind in OF_TASKS:
        instance = facts.instances.get(event.key.partition("/")[0])
        if instance is None or instance.state in DONE_STATES:
            return True
        later = facts.succeeded.get(instance.task_id)
        return later is not None and later > instance.plan_at
    if alert.kind is AlertKind.STREAM_NEAR_STALE:
        assert alert.target is not None
        return facts.warnings.get(alert.target) is None
    lag = _lag(alert, facts)
    # What nobody knows is not over.
    known = alert.target is not None and (alert.kind, alert.target) in facts.lags
    return known and lag is not None and lag <= timedelta(seconds=alert.seconds or 0)


def _lag(alert: Alert, facts: Facts) -> timedelta | None:
    return None if alert.target is None else facts.lags.get((alert.kind, alert.target))
