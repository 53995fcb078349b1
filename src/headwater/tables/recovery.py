"""After a crash: finish what was committed, undo what was not, close the jobs of dead processes.

Invariant: running it twice, or in two processes at once, does the same as once.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from headwater.catalog.jobs import Job, JobState
from headwater.catalog.lease_rules import Instance
from headwater.catalog.objects import Operation, Table, TableState
from headwater.errors import HeadwaterError
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.runtime.process_identity import is_alive
from headwater.tables.create import abandon
from headwater.tables.versions import catch_up, first_commits

INTERRUPTED = "the process that ran this statement ended before it was done"


def recover(lake: OpenLake) -> list[Job]:
    """Repair what processes that are gone left behind; cheap when there is nothing.

    Gives back the jobs that they had not ended.
    """
    creating, unfinished = lake.store.tables.creating(), lake.store.jobs.unfinished()
    if not creating and not unfinished:
        return []
    alive = _living_instances(lake)
    owner = {job.id: job.instance for job in unfinished}
    for table in creating:
        if owner.get(table.created_by_job or "") not in alive:
            _settle_creation(lake, table)
    left = [job for job in unfinished if job.instance not in alive]
    for job in left:
        _settle_job(lake, job)
    return left


def _living_instances(lake: OpenLake) -> frozenset[str]:
    silent = timedelta(seconds=2 * lake.config.lease_seconds)
    return frozenset(
        instance.id for instance in lake.store.instances.list() if _lives(lake, instance, silent)
    )


def _lives(lake: OpenLake, instance: Instance, silent: timedelta) -> bool:
    """On this host the process itself can be looked at; elsewhere only its heartbeat."""
    if instance.host == lake.instance.host:
        return is_alive(instance)
    return now() - instance.heartbeat_at < silent


def _settle_creation(lake: OpenLake, intent: Table) -> None:
    try:
        complete, versions = first_commits(lake, intent)
        if not versions:
            abandon(lake, intent)
        else:
            lake.store.tables.activate(complete, versions[0], later=versions[1:])
    except HeadwaterError:
        # Another process may be settling it at this moment; if not, the next start tries again.
        current = lake.store.tables.get_by_id(intent.id)
        if current is not None and current.state is TableState.CREATING:
            raise


def _settle_job(lake: OpenLake, job: Job) -> None:
    """A job whose commit is in a Delta log has succeeded, whatever else it wanted to do."""
    for use in job.output_tables:
        table = lake.store.tables.get_by_id(use.table_id) if use.table_id else None
        if table is not None and table.state is TableState.ACTIVE:
            catch_up(lake, table)
    made = lake.store.versions.by_job(job.id)
    if made and made[-1][1].operation == Operation.UPGRADE:
        made = []
    state = JobState.SUCCEED if made else JobState.FAILED
    ended_at = made[-1][1].committed_at if made else now()
    error = None if made else INTERRUPTED
    try:
        ended = max(ended_at, job.started_at)
        lake.store.jobs.finish(replace(job, state=state, ended_at=ended, error=error))
    except HeadwaterError as failure:
        if failure.condition != "JOB_STATE_ILLEGAL":
            raise
