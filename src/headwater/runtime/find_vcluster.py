"""From the name of a virtual cluster to the cluster, or the nearest name."""

from __future__ import annotations

from headwater.catalog.store import Store
from headwater.catalog.vclusters import VirtualCluster
from headwater.errors import Span, UserError
from headwater.names import did_you_mean


def find_vcluster(
    store: Store, workspace: str, name: str, *, span: Span | None = None
) -> VirtualCluster:
    """The virtual cluster of that name, or VCLUSTER_NOT_FOUND."""
    found = store.vclusters.get(workspace, name)
    if found is None:
        known = [cluster.name for cluster in store.vclusters.list(workspace)]
        hint = did_you_mean(name, known)
        raise UserError("VCLUSTER_NOT_FOUND", name=name.upper(), span=span, hint=hint)
    return found
