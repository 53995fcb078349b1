"""USE VCLUSTER: where the statements of this session run."""

from __future__ import annotations

from headwater.result import Result
from headwater.sql.vclusters import UseVcluster
from headwater.statements.context import Context
from headwater.statements.find_vcluster import vcluster_named


def use_vcluster(context: Context, statement: UseVcluster) -> Result:
    """Change the session's cluster; it is not resumed by that."""
    cluster = vcluster_named(context, statement.name)
    context.session.vcluster = cluster.name
    return Result(message=f"using virtual cluster {cluster.name}")
