"""The jobs of a virtual cluster, of all processes: counting, cancelling, waiting for their end."""

from __future__ import annotations

import time
from dataclasses import dataclass

from headwater.catalog.jobs import JobState
from headwater.catalog.vclusters import VirtualCluster
from headwater.errors import UserError
from headwater.statements.cluster_use import COMPUTING_KINDS
from headwater.statements.context import Context

_LOOK_AGAIN = 0.1


@dataclass(frozen=True, slots=True)
class ClusterJobs:
    """The unfinished jobs of a cluster that have or want a place, with the process of each."""

    running: dict[str, str]
    queued: dict[str, str]

    @property
    def all(self) -> dict[str, str]:
        """Both kinds."""
        return self.running | self.queued


def jobs_of(context: Context, cluster: VirtualCluster) -> ClusterJobs:
    """What runs and waits on a cluster; the statement that asks is none of it."""
    running: dict[str, str] = {}
    queued: dict[str, str] = {}
    for job, kind, state, instance in context.store.vclusters.jobs_of(
        cluster.workspace, cluster.name
    ):
        if job != context.job_id and kind in COMPUTING_KINDS:
            (queued if state == JobState.QUEUED else running)[job] = instance
    return ClusterJobs(running, queued)


def cancel_jobs(context: Context, cluster: VirtualCluster) -> int:
    """Ask all jobs of a cluster to stop, and say how many were asked."""
    found = jobs_of(context, cluster).all
    asked = [job for job in found if context.store.jobs.request_cancel(job)]
    for job in asked:
        if found[job] == context.lake.instance.id:
            context.lake.cancel_job(job)
    return len(asked)


def wait_for_end(context: Context, cluster: VirtualCluster) -> None:
    """Wait until the jobs that run on a cluster now have ended; CANCEL JOB ends the waiting."""
    left = set(jobs_of(context, cluster).running)
    while left:
        if context.job_id in context.store.jobs.cancel_requested(context.lake.instance.id):
            raise UserError("JOB_CANCELLED", job_id=context.job_id)
        time.sleep(_LOOK_AGAIN)
        left = left & jobs_of(context, cluster).running.keys()
