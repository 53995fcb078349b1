"""DROP VCLUSTER."""

from __future__ import annotations

from headwater.catalog.vclusters import BUILT_IN
from headwater.errors import UserError
from headwater.names import counted
from headwater.result import Result
from headwater.sql.vclusters import DropVcluster
from headwater.statements.context import Context
from headwater.statements.find_vcluster import vcluster_named
from headwater.statements.vcluster_jobs import cancel_jobs, jobs_of


def drop_vcluster(context: Context, statement: DropVcluster) -> Result:
    """Forget a cluster that nothing uses; with FORCE its jobs are cancelled."""
    name, store = statement.name, context.store.vclusters
    if statement.if_exists and store.get(context.session.workspace, name) is None:
        return Result(message=f"there is no virtual cluster {name}")
    cluster = vcluster_named(context, name)
    found = jobs_of(context, cluster).all
    if found and not statement.force and name not in BUILT_IN:
        raise UserError("VCLUSTER_IN_USE", name=name, users=counted(len(found), "job"))
    store.drop(cluster, force=statement.force)
    cancelled = cancel_jobs(context, cluster) if statement.force else 0
    said = f", {counted(cancelled, 'job')} cancelled" if cancelled else ""
    return Result(message=f"virtual cluster {name} dropped{said}")
