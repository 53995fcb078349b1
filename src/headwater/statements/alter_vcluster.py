"""ALTER VCLUSTER: resume, suspend, cancel all jobs, or other properties."""

from __future__ import annotations

from dataclasses import replace

from headwater.catalog.vclusters import VirtualCluster
from headwater.names import counted
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.vcluster_properties import changed_properties
from headwater.sql.vclusters import (
    AlterVcluster,
    CancelAllJobs,
    ResumeCluster,
    SetCluster,
    SuspendCluster,
)
from headwater.statements.context import Context
from headwater.statements.create_vcluster import preload_note
from headwater.statements.find_vcluster import vcluster_named
from headwater.statements.vcluster_jobs import cancel_jobs, wait_for_end


def alter_vcluster(context: Context, statement: AlterVcluster) -> Result:
    """Change a cluster; other processes see it with their next statement."""
    name, store = statement.name, context.store.vclusters
    if statement.if_exists and store.get(context.session.workspace, name) is None:
        return Result(message=f"there is no virtual cluster {name}")
    cluster = vcluster_named(context, name)
    match statement.action:
        case ResumeCluster():
            store.resume(cluster.id, now())
            return Result(message=f"virtual cluster {name} is running")
        case SuspendCluster(force):
            return _suspend(context, cluster, force=force)
        case CancelAllJobs():
            asked = counted(cancel_jobs(context, cluster), "job")
            return Result(message=f"virtual cluster {name}: {asked} asked to stop")
        case SetCluster() as change:
            return _set(context, cluster, change)


def _suspend(context: Context, cluster: VirtualCluster, *, force: bool) -> Result:
    """No further job starts; those that run end first, or are cancelled."""
    context.store.vclusters.suspend(cluster.id)
    cancelled = cancel_jobs(context, cluster) if force else 0
    wait_for_end(context, cluster)
    said = f", {counted(cancelled, 'job')} cancelled" if cancelled else ""
    return Result(message=f"virtual cluster {cluster.name} suspended{said}")


def _set(context: Context, cluster: VirtualCluster, change: SetCluster) -> Result:
    old = cluster.properties
    properties = changed_properties(old, change.given, spans=dict(change.spans))
    comment = cluster.comment if change.comment is None else change.comment
    changed = replace(cluster, properties=properties, comment=comment, modified_at=now())
    context.store.vclusters.update(changed)
    asked = properties.preload_tables != old.preload_tables
    note = preload_note(properties) if asked else ""
    return Result(message=f"virtual cluster {cluster.name} altered{note}")
