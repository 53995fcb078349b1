"""Places on virtual clusters for the jobs of this process.

The rule is in `admission.py`; here are the lock, the clock and the threads that wait. A thread that
has a place never waits for another one, so statements inside a statement cannot block each other.
Each process has its own Spark, so the limit of a cluster holds for each process.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import TracebackType

from headwater.catalog.store import Store
from headwater.catalog.vclusters import VirtualCluster
from headwater.errors import HeadwaterError, TransientError, UserError
from headwater.runtime.admission import Queue, Request, Rules, admit
from headwater.runtime.find_vcluster import find_vcluster

_LOOK_AGAIN = 1.0
"""How often those that wait look whether another process has changed their cluster."""


@dataclass(slots=True)
class _Kept:
    """A cluster as it was last read, and its jobs in this process."""

    cluster: VirtualCluster
    queue: Queue = field(default_factory=Queue)
    refused: set[str] = field(default_factory=set)


class Clusters:
    """Gives places, takes them back, and knows who is over time."""

    def __init__(
        self,
        store: Store,
        instance: str,
        clock: Callable[[], datetime],
        *,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """`seconds` measures how long jobs run: a clock that was set must not end them."""
        self._store = store
        self._instance = instance
        self._clock = clock
        self._seconds = seconds
        self._changed = threading.Condition()
        self._kept: dict[str, _Kept] = {}
        self._cancelled: set[str] = set()
        self._over_time: set[str] = set()
        self._here = threading.local()

    def enter(self, workspace: str, name: str, request: Request) -> Place:
        """A place for a job, which it may have to wait for; VCLUSTER_NOT_FOUND if there is none."""
        cluster = self._read(workspace, name)
        if getattr(self._here, "has_place", False):
            return Place(self, cluster, request.job, inside=True)
        with self._changed:
            kept = self._kept.setdefault(cluster.id, _Kept(cluster))
            kept.queue = kept.queue.with_request(request)
        self._look(cluster)
        return Place(self, cluster, request.job)

    def cancel(self, job: str) -> None:
        """Let a job that waits stop waiting."""
        with self._changed:
            if any(kept.queue.waits(job) for kept in self._kept.values()):
                self._cancelled.add(job)
                self._changed.notify_all()

    def overdue(self) -> list[str]:
        """The jobs that have run for longer than their clusters allow."""
        at = self._seconds()
        with self._changed:
            for kept in self._kept.values():
                seconds = kept.cluster.properties.runtime_seconds
                self._over_time.update(kept.queue.overdue(seconds=seconds, at=at))
            return sorted(self._over_time)

    @property
    def idle(self) -> bool:
        """Whether no job of this process has a place or waits for one."""
        with self._changed:
            queues = [kept.queue for kept in self._kept.values()]
        return not any(queue.running or queue.waiting for queue in queues)

    def has_started(self, place: Place) -> bool:
        """Whether a job has its place."""
        with self._changed:
            return self._kept[place.cluster.id].queue.runs(place.job)

    def wait(self, place: Place) -> None:
        """Wait until a job has its place."""
        while not self._ready(place):
            self._look(self._read(place.cluster.workspace, place.cluster.name))
        self._here.has_place = True

    def leave(self, place: Place) -> None:
        """Give a place back, whether it was reached or not."""
        at = self._clock()
        self._here.has_place = False
        with self._changed:
            kept = self._kept[place.cluster.id]
            ran = kept.queue.runs(place.job)
            kept.queue = kept.queue.without(place.job)
            kept.refused.discard(place.job)
            self._cancelled.discard(place.job)
            self._over_time.discard(place.job)
            due = ran and kept.cluster.note_due(at)
            if due:
                kept.cluster = replace(kept.cluster, active_at=at)
        # The job has ended well or badly; a catalog that is away must not change that.
        with suppress(HeadwaterError):
            if due:
                self._store.vclusters.note_activity(place.cluster.id, at)
            self._look(kept.cluster)

    def is_over_time(self, job: str) -> bool:
        """Whether a job was cancelled because its time was over."""
        with self._changed:
            return job in self._over_time

    def _read(self, workspace: str, name: str) -> VirtualCluster:
        cluster = find_vcluster(self._store, workspace, name)
        idle_only = cluster.is_suspended(self._clock()) and not cluster.suspended
        if idle_only and not cluster.properties.auto_resume and self._busy_elsewhere(cluster):
            return replace(cluster, active_at=self._clock())
        return cluster

    def _busy_elsewhere(self, cluster: VirtualCluster) -> bool:
        jobs = self._store.vclusters.jobs_of(cluster.workspace, cluster.name)
        return any(instance != self._instance for *_, instance in jobs)

    def _look(self, cluster: VirtualCluster) -> None:
        """Start what may start, with the cluster as it was read a moment ago."""
        at = self._clock()
        with self._changed:
            kept = self._kept[cluster.id]
            noted = max(cluster.active_at, kept.cluster.active_at)
            kept.cluster = cluster = replace(cluster, active_at=noted)
            suspended = cluster.suspended or (not kept.queue.running and cluster.is_suspended(at))
            rules = Rules(cluster.limit, suspended, cluster.properties.auto_resume)
            done = admit(kept.queue, rules, at=self._seconds())
            kept.queue = done.queue
            kept.refused.update(request.job for request in done.refused)
            if done.resumed:
                kept.cluster = replace(cluster, suspended=False, active_at=at)
            self._changed.notify_all()
        if done.resumed:
            self._store.vclusters.resume(cluster.id, at)

    def _ready(self, place: Place) -> bool:
        with self._changed:
            kept = self._kept[place.cluster.id]
            if not self._settled(kept, place):
                self._changed.wait(_LOOK_AGAIN)
            return self._settled(kept, place)

    def _settled(self, kept: _Kept, place: Place) -> bool:
        if place.job in self._cancelled:
            raise UserError("JOB_CANCELLED", job_id=place.job)
        if place.job in kept.refused:
            raise TransientError("VCLUSTER_SUSPENDED", name=place.cluster.name)
        return kept.queue.runs(place.job)


@dataclass(frozen=True, slots=True)
class Place:
    """A job's place on a cluster, given back at the end of the `with`."""

    clusters: Clusters
    cluster: VirtualCluster
    job: str
    inside: bool = False
    """Whether the thread has a place already, which then serves for this job too."""

    @property
    def reached(self) -> bool:
        """Whether the job need not wait."""
        return self.inside or self.clusters.has_started(self)

    def wait(self) -> None:
        """Wait for the place; raises if the job is cancelled or the cluster stays suspended."""
        if not self.inside:
            self.clusters.wait(self)

    def better(self, error: HeadwaterError) -> HeadwaterError:
        """The error of the job: one that was cancelled for its time says so."""
        if error.condition != "JOB_CANCELLED" or not self.clusters.is_over_time(self.job):
            return error
        seconds = self.cluster.properties.runtime_seconds
        return UserError(
            "VCLUSTER_RUNTIME_LIMIT", name=self.cluster.name, seconds=seconds, more=2 * seconds
        )

    def __enter__(self) -> Place:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self.inside:
            self.clusters.leave(self)
