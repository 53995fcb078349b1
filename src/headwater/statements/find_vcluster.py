"""The virtual cluster that a statement names, with the place of the name in an error."""

from __future__ import annotations

from headwater.catalog.vclusters import VirtualCluster
from headwater.errors import Span
from headwater.runtime.find_vcluster import find_vcluster
from headwater.statements.context import Context


def vcluster_named(context: Context, name: str) -> VirtualCluster:
    """The cluster of that name in the session's workspace, or VCLUSTER_NOT_FOUND."""
    workspace = context.session.workspace
    return find_vcluster(context.store, workspace, name, span=_span(context, name))


def require_vcluster(context: Context, name: str | None) -> None:
    """Refuse a cluster that is not there; no name at all means the session's."""
    if name is not None:
        vcluster_named(context, name)


def _span(context: Context, name: str) -> Span | None:
    """Where the name stands last: a pipe or a schema before it may be called the same."""
    for token in reversed(context.tokens):
        if (token.is_name or token.kind == "string") and token.value.upper() == name.upper():
            return token.span
    return None
