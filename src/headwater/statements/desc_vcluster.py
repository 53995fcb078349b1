"""DESC VCLUSTER."""

from __future__ import annotations

from headwater.catalog.vclusters import VirtualCluster
from headwater.result import Result, Row, string_columns
from headwater.runtime.clock import now
from headwater.sql.vcluster_properties import ClusterType
from headwater.sql.vclusters import DescVcluster
from headwater.statements.context import Context
from headwater.statements.find_vcluster import vcluster_named
from headwater.statements.info_rows import info_rows
from headwater.statements.vcluster_jobs import jobs_of


def desc_vcluster(context: Context, statement: DescVcluster) -> Result:
    """What is known of a cluster; with EXTENDED also what it does and how it is held back."""
    cluster = vcluster_named(context, statement.name)
    local, given = context.session.local, cluster.properties
    jobs = jobs_of(context, cluster)
    rows = info_rows(
        name=cluster.name,
        creator=cluster.creator,
        created_time=local(cluster.created_at),
        last_modified_time=local(cluster.modified_at),
        comment=cluster.comment,
        vcluster_type=given.type.value,
        vcluster_size=given.size_text,
        state=cluster.state(at=now(), busy=bool(jobs.all)).value,
        auto_suspend_in_second=given.suspend_seconds,
        auto_resume=str(given.auto_resume).lower(),
        query_runtime_limit_in_second=given.runtime_seconds,
    )
    rows += _of_type(cluster)
    if statement.extended:
        rows += info_rows(
            running_jobs=len(jobs.running),
            queued_jobs=len(jobs.queued),
            most_jobs_at_once=cluster.limit,
            scheduler_pool=context.lake.config.cluster_pools.get(cluster.name, cluster.name),
            scheduler_weight=cluster.weight,
            last_active_time=local(cluster.active_at),
        )
    return Result.from_rows(string_columns("info_name", "info_value"), rows)


def _of_type(cluster: VirtualCluster) -> list[Row]:
    """The properties that only its type has."""
    given = cluster.properties
    if given.type is ClusterType.GENERAL:
        return info_rows(query_resource_limit_ratio=given.resource_ratio)
    if given.type is ClusterType.INTEGRATION:
        return []
    return info_rows(
        min_replicas=given.least_replicas,
        max_replicas=given.most_replicas,
        max_concurrency=given.concurrency,
        preload_tables=",".join(given.preload_tables) or None,
        auto_preload_in_second=given.preload_seconds,
    )
