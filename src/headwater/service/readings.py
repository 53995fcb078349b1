"""What the gauges show at this moment, read from the catalog and the service."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from headwater.catalog.pipes import PipeStatus
from headwater.errors import HeadwaterError
from headwater.pipes.latency import messages_behind
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.service import metrics
from headwater.service.metrics import Metric
from headwater.service.service import Service, Standing
from headwater.streams.readable import source_of, staleness_of


@dataclass(frozen=True, slots=True)
class Reading:
    """One value of a metric, with the values of its labels."""

    metric: Metric
    value: float
    labels: tuple[str, ...] = ()


def readings(service: Service) -> Iterator[Reading]:
    """All of them; what cannot be read now is left out."""
    yield from _of_service(service)
    for read in (_of_tables, _of_pipes, _of_streams):
        try:
            found = list(read(service.lake, now()))
        except HeadwaterError:
            continue
        yield from found


def _of_service(service: Service) -> Iterator[Reading]:
    statements = service.statements
    for lane, (waiting, running) in statements.counts().items():
        yield Reading(metrics.WAITING, waiting, (lane.value,))
        yield Reading(metrics.RUNNING, running, (lane.value,))
    yield Reading(metrics.REFUSED, statements.refused)
    yield Reading(metrics.SESSIONS, service.sessions.count)
    yield Reading(metrics.RESULT_BYTES, statements.kept_bytes())
    yield Reading(metrics.LEASE_LOST, service.lake.writer.lost)
    yield Reading(metrics.ACTIVE, float(service.standing is Standing.ACTIVE))


def _of_tables(lake: OpenLake, at: datetime) -> Iterator[Reading]:
    for table in lake.store.schedules.list():
        name = (table.name.full,)
        if table.refreshed_at is not None:
            yield Reading(metrics.LAG, (at - table.refreshed_at).total_seconds(), name)
        if table.schedule is not None and table.schedule.target_lag_seconds is not None:
            yield Reading(metrics.TARGET_LAG, table.schedule.target_lag_seconds, name)
        for last in lake.store.refreshes.list(table_id=table.id, limit=1):
            changed = (last.rows_inserted or 0) + (last.rows_deleted or 0)
            yield Reading(metrics.DELTA_ROWS, changed, name)


def _of_pipes(lake: OpenLake, at: datetime) -> Iterator[Reading]:
    for workspace in lake.store.workspaces.list():
        for pipe in lake.store.pipes.list(workspace.name):
            name, counters = (pipe.qualified.full,), pipe.counters
            yield Reading(metrics.PENDING_FILES, counters.pending_files, name)
            yield Reading(metrics.PENDING_BYTES, counters.pending_bytes, name)
            oldest = counters.oldest_pending_at
            waits = 0.0 if oldest is None else (at - oldest).total_seconds()
            yield Reading(metrics.OLDEST_PENDING, waits, name)
            yield Reading(metrics.PIPE_ROWS, counters.rows, name)
            behind = messages_behind(pipe.latency)
            if behind is not None:
                yield Reading(metrics.OFFSET_LAG, behind, name)
            yield Reading(metrics.LOAD_ERRORS, counters.failures_total, name)
            invalid = pipe.status is PipeStatus.INVALID
            yield Reading(metrics.PIPE_INVALID, float(invalid), name)


def _of_streams(lake: OpenLake, at: datetime) -> Iterator[Reading]:
    for workspace in lake.store.workspaces.list():
        for stream in lake.store.streams.list(workspace.name):
            stands = staleness_of(lake, stream, source_of(lake, stream))
            if stands.stale:
                yield Reading(metrics.TO_STALE, 0.0, (stream.qualified.full,))
            elif stands.stale_after is not None:
                left = (stands.stale_after - at).total_seconds()
                yield Reading(metrics.TO_STALE, left, (stream.qualified.full,))
