"""The facts that alerts are judged by, as the catalog has them; asks no Spark."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from headwater.alerts.evaluate import OF_TASKS, Facts, Watched
from headwater.catalog.alerts import Alert, AlertEvent
from headwater.catalog.tasks import DONE_STATES
from headwater.names import QualifiedName
from headwater.pipes.latency import latency_at
from headwater.runtime.open_lake import OpenLake
from headwater.sql.alerts import AlertKind
from headwater.streams.readable import source_of, staleness_of


def facts_of(
    lake: OpenLake, alerts: Sequence[Alert], open_events: Sequence[AlertEvent], at: datetime
) -> Facts:
    """What these alerts need to know."""
    store = lake.store
    tasks = [alert for alert in alerts if alert.kind in OF_TASKS]
    if tasks:
        ids = {alert.id for alert in tasks}
        keys = {e.key.partition("/")[0] for e in open_events if e.alert_id in ids}
        found = {key: store.task_instances.get(key) for key in keys}
        facts = Facts(
            names={task.id: task.name for task in store.tasks.list()},
            troubled=store.task_instances.troubled(min(alert.created_at for alert in tasks)),
            succeeded={
                id: last.plan_at
                for id, last in store.task_instances.last_ended().items()
                if last.state in DONE_STATES
            },
            instances={key: one for key, one in found.items() if one is not None},
        )
    else:
        facts = Facts()
    lags: dict[Watched, timedelta | None] = {
        (alert.kind, alert.target): _lag(lake, alert.kind, alert.target, at)
        for alert in alerts
        if alert.target is not None
        and alert.kind in (AlertKind.DYNAMIC_TABLE_LAG, AlertKind.PIPE_LAG)
    }
    warnings = {
        alert.target: _warning(lake, alert.target)
        for alert in alerts
        if alert.target is not None and alert.kind is AlertKind.STREAM_NEAR_STALE
    }
    return Facts(facts.names, facts.troubled, facts.succeeded, facts.instances, lags, warnings)


def _lag(lake: OpenLake, kind: AlertKind, name: QualifiedName, at: datetime) -> timedelta | None:
    if kind is AlertKind.PIPE_LAG:
        return _pipe_lag(lake, name, at)
    table = lake.store.tables.get(name.workspace, name.schema, name.name)
    scheduled = None if table is None else lake.store.schedules.get(table.id)
    if scheduled is None:
        return None
    reached = scheduled.refreshed_at or scheduled.baseline
    return None if reached is None else max(at - reached, timedelta())


def _pipe_lag(lake: OpenLake, name: QualifiedName, at: datetime) -> timedelta | None:
    """How long the oldest of what waits has waited: files as listed, messages as consumed."""
    pipe = lake.store.pipes.get(name.workspace, name.schema, name.name)
    if pipe is None:
        return None
    if pipe.latency is not None:
        behind = latency_at(pipe.latency, at)["kafka"]["timeLag"]
        return None if behind < 0 else timedelta(milliseconds=behind)
    oldest = pipe.counters.oldest_pending_at
    return timedelta() if oldest is None else max(at - oldest, timedelta())


def _warning(lake: OpenLake, name: QualifiedName) -> str | None:
    stream = lake.store.streams.get(name.workspace, name.schema, name.name)
    if stream is None:
        return None
    found = staleness_of(lake, stream, source_of(lake, stream))
    return "it is stale: create it anew" if found.stale else found.warning
