"""A virtual cluster: a named slice of compute, with its limits and when it is suspended.

Invariant: a cluster at work is never suspended; an idle one is, once its idle time is over.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from headwater.sql.vcluster_properties import ClusterProperties, ClusterType

DEFAULT_CLUSTER = "DEFAULT"
BUILT_IN: dict[str, tuple[tuple[str, str], ...]] = {
    DEFAULT_CLUSTER: (("VCLUSTER_TYPE", "GENERAL"),),
    "DEFAULT_AP": (("VCLUSTER_TYPE", "ANALYTICS"),),
}
"""The clusters of every workspace."""

_JOBS_PER_CRU = 8
_FEWEST_JOBS = 2
_MOST_JOBS = 256
_WEIGHT_PER_CRU = 4
"""Spark's weights are whole numbers, and the smallest size is a quarter."""
_NOTES_PER_IDLE_TIME = 10
_MOST_SECONDS_BETWEEN_NOTES = 60


class ClusterState(StrEnum):
    """The states users see in SHOW VCLUSTERS."""

    RUNNING = "RUNNING"
    SUSPENDING = "SUSPENDING"
    SUSPENDED = "SUSPENDED"


@dataclass(frozen=True, slots=True)
class VirtualCluster:
    """`suspended` is what was last asked for; `active_at` when it last had work, or was resumed."""

    id: str
    workspace: str
    name: str
    creator: str
    created_at: datetime
    modified_at: datetime
    active_at: datetime
    properties: ClusterProperties = field(default_factory=ClusterProperties)
    comment: str | None = None
    suspended: bool = False

    @property
    def limit(self) -> int:
        """How many jobs run at once.

        ANALYTICS clusters say it themselves; others run eight for each CRU, which is eight cores.
        """
        given = self.properties
        if given.type is ClusterType.ANALYTICS:
            return given.concurrency * given.most_replicas
        return max(_FEWEST_JOBS, min(_MOST_JOBS, math.floor(given.largest * _JOBS_PER_CRU)))

    @property
    def weight(self) -> int:
        """Its share of the cores, beside the shares of other clusters that have work."""
        given = self.properties
        replicas = given.most_replicas if given.type is ClusterType.ANALYTICS else 1
        return max(1, int(given.largest * replicas * _WEIGHT_PER_CRU))

    def state(self, *, at: datetime, busy: bool) -> ClusterState:
        """Its state at a moment; `busy` says whether it has jobs."""
        if busy:
            return ClusterState.SUSPENDING if self.suspended else ClusterState.RUNNING
        return ClusterState.SUSPENDED if self.is_suspended(at) else ClusterState.RUNNING

    def is_suspended(self, at: datetime) -> bool:
        """Whether it is suspended, if it has no jobs."""
        idle = self.properties.suspend_seconds
        return self.suspended or (idle >= 0 and at - self.active_at >= timedelta(seconds=idle))

    def replicas(self, *, at: datetime, running: int) -> int:
        """How many replicas the running jobs need, within its limits; none when suspended."""
        if self.state(at=at, busy=running > 0) is ClusterState.SUSPENDED:
            return 0
        given = self.properties
        needed = math.ceil(running / given.concurrency)
        return max(given.least_replicas, min(given.most_replicas, needed))

    def note_due(self, at: datetime) -> bool:
        """Whether its activity is to be stored again: not with every job, that would cost."""
        idle = self.properties.suspend_seconds
        if idle < 0:
            return False
        between = min(idle / _NOTES_PER_IDLE_TIME, _MOST_SECONDS_BETWEEN_NOTES)
        return at - self.active_at >= timedelta(seconds=between)
