"""The page that Prometheus reads: counters of this process, and what the catalog says now."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from headwater.catalog.dynamic_tables import (
    FINAL_REFRESH_STATES,
    Refresh,
    RefreshKind,
    RefreshMode,
    RefreshState,
)
from headwater.errors import HeadwaterError
from headwater.runtime.clock import now
from headwater.service import metrics
from headwater.service.metrics import Metric, MetricKind
from headwater.service.readings import Reading, readings
from headwater.service.service import Service
from headwater.service.statement import Statement


class MetricsPage:
    """Counts from when it is made; `text` is the page."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._registry = CollectorRegistry()
        self._statements = _counter(metrics.STATEMENTS, self._registry)
        self._seconds = _histogram(metrics.STATEMENT_SECONDS, self._registry)
        self._refreshes = _counter(metrics.REFRESHES, self._registry)
        self._fallbacks = _counter(metrics.FULL_FALLBACKS, self._registry)
        self._durations = _histogram(metrics.REFRESH_DURATION, self._registry)
        self._ticks = _histogram(metrics.TICK, self._registry)
        self._registry.register(_Readings(service))
        self._lock = threading.Lock()
        self._since = now()
        self._counted: set[tuple[str, int]] = set()
        service.statements.ended = self._ended
        service.loop.measure_tick = self._ticks.observe

    def text(self) -> bytes:
        """All metrics as Prometheus reads them."""
        with self._lock:
            # If the catalog is away, what was counted before stays true.
            with suppress(HeadwaterError):
                self._count_refreshes()
            return generate_latest(self._registry)

    def _ended(self, statement: Statement) -> None:
        assert statement.ended_at is not None
        self._statements.labels(statement.lane.value, statement.state.value).inc()
        took = statement.ended_at - statement.submitted_at
        self._seconds.labels(statement.lane.value).observe(took)

    def _count_refreshes(self) -> None:
        """Count those that have ended since; the next look begins at the oldest that runs."""
        found = self._service.lake.store.refreshes.list(since=self._since)
        running: list[datetime] = []
        for refresh in found:
            if refresh.state not in FINAL_REFRESH_STATES:
                running.append(refresh.started_at)
            elif (refresh.table_id, refresh.number) not in self._counted:
                self._count(refresh)
        newest = max((refresh.started_at for refresh in found), default=self._since)
        self._since = min([newest, *running])
        self._counted = {
            (refresh.table_id, refresh.number)
            for refresh in found
            if refresh.started_at >= self._since and refresh.state in FINAL_REFRESH_STATES
        }

    def _count(self, refresh: Refresh) -> None:
        self._refreshes.labels(refresh.state.value).inc()
        if refresh.state is not RefreshState.SUCCEED or refresh.kind is None:
            return
        if refresh.ended_at is not None:
            took = (refresh.ended_at - refresh.started_at).total_seconds()
            self._durations.labels(refresh.kind.value).observe(took)
        table = self._service.lake.store.dynamic_tables.by_id(refresh.table_id)
        may_be_incremental = table is not None and table.mode is not RefreshMode.FULL
        if refresh.kind is RefreshKind.FULL and may_be_incremental:
            self._fallbacks.labels(refresh.reason or "").inc()


class _Readings(Collector):
    """Asks for the gauges whenever the page is read."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def describe(self) -> Iterable[Family]:
        """Nothing is read to find out the names."""
        return ()

    def collect(self) -> Iterable[Family]:
        """The gauges, and counters that are kept elsewhere."""
        found: dict[Metric, list[Reading]] = defaultdict(list)
        for reading in readings(self._service):
            found[reading.metric].append(reading)
        for metric, values in found.items():
            counts = metric.kind is MetricKind.COUNTER
            family = (CounterMetricFamily if counts else GaugeMetricFamily)(
                metric.name, metric.help, labels=metric.labels
            )
            for reading in values:
                family.add_metric(reading.labels, reading.value)
            yield family


def _counter(metric: Metric, registry: CollectorRegistry) -> Counter:
    return Counter(metric.name, metric.help, metric.labels, registry=registry)


def _histogram(metric: Metric, registry: CollectorRegistry) -> Histogram:
    return Histogram(
        metric.name, metric.help, metric.labels, buckets=metric.buckets, registry=registry
    )
