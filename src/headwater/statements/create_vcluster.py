"""CREATE VCLUSTER."""

from __future__ import annotations

import uuid

from headwater.catalog.vclusters import VirtualCluster
from headwater.errors import UserError
from headwater.result import WARNING, Result
from headwater.runtime.clock import now
from headwater.sql.vcluster_properties import ClusterProperties
from headwater.sql.vclusters import CreateVcluster
from headwater.statements.context import Context


def create_vcluster(context: Context, statement: CreateVcluster) -> Result:
    """Keep a cluster; it runs from now on, until it has been idle for long enough."""
    name, workspace = statement.name, context.session.workspace
    store = context.store.vclusters
    if store.get(workspace, name) is not None:
        if statement.if_not_exists:
            return Result(message=f"virtual cluster {name} exists already")
        raise UserError("VCLUSTER_ALREADY_EXISTS", name=name)
    at = now()
    store.create(
        VirtualCluster(
            id=uuid.uuid4().hex,
            workspace=workspace,
            name=name,
            creator=context.session.user,
            created_at=at,
            modified_at=at,
            active_at=at,
            properties=statement.properties,
            comment=statement.comment,
        )
    )
    return Result(message=f"virtual cluster {name} created{preload_note(statement.properties)}")


def preload_note(properties: ClusterProperties) -> str:
    """What to say to somebody who asks for tables to be loaded beforehand."""
    if not properties.preload_tables:
        return ""
    return f"; {WARNING}PRELOAD_TABLES is kept and shown, but nothing is loaded beforehand"
