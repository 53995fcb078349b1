"""SHOW VCLUSTERS."""

from __future__ import annotations

from headwater.catalog.vclusters import VirtualCluster
from headwater.result import Column, Result, Row
from headwater.runtime.clock import now
from headwater.sql.privileges import Securable
from headwater.sql.vcluster_properties import ClusterType
from headwater.sql.vclusters import ShowVclusters
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.vcluster_jobs import jobs_of
from headwater.statements.visibility import seen

COLUMNS = (
    Column("name", "string"),
    Column("vcluster_size", "string"),
    Column("vcluster_type", "string"),
    Column("max_concurrency", "int"),
    Column("state", "string"),
    Column("creator", "string"),
    Column("create_time", "timestamp"),
    Column("min_replicas", "int"),
    Column("max_replicas", "int"),
    Column("preload_tables", "string"),
    Column("current_replicas", "int"),
    Column("auto_suspend_in_second", "int"),
    Column("running_jobs", "int"),
    Column("queued_jobs", "int"),
    Column("comment", "string"),
)


def show_vclusters(context: Context, statement: ShowVclusters) -> Result:
    """The clusters of the workspace, with what they do now."""
    workspace = context.session.workspace
    sees = seen(context, Securable.VCLUSTER, workspace)
    clusters = context.store.vclusters.list(workspace)
    rows = [_row(context, cluster) for cluster in clusters if sees(None, cluster.name)]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=0, any_case=("name",))


def _row(context: Context, cluster: VirtualCluster) -> Row:
    jobs, at = jobs_of(context, cluster), now()
    given = cluster.properties
    replicated = given.type is ClusterType.ANALYTICS
    return (
        cluster.name,
        given.size_text,
        given.type.value,
        given.concurrency if replicated else cluster.limit,
        cluster.state(at=at, busy=bool(jobs.all)).value,
        cluster.creator,
        context.session.local(cluster.created_at),
        given.least_replicas if replicated else None,
        given.most_replicas if replicated else None,
        ",".join(given.preload_tables) or None,
        cluster.replicas(at=at, running=len(jobs.running)) if replicated else None,
        given.suspend_seconds,
        len(jobs.running),
        len(jobs.queued),
        cluster.comment,
    )
