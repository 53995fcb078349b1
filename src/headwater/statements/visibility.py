"""Which objects a session may know of: those it has any privilege on; an operator of all."""

from __future__ import annotations

from collections.abc import Callable

from headwater.access.decide import may_see
from headwater.names import ObjectName, QualifiedName, show_identifier
from headwater.sql.privileges import Securable
from headwater.statements.context import Context
from headwater.statements.missing_objects import missing

Seen = Callable[[str | None, str], bool]
"""Whether the object of a schema and a name may be shown."""


def seen(context: Context, kind: Securable, workspace: str, schema: str | None = None) -> Seen:
    """The question for objects of one kind; who sees everything is not even asked."""
    identity, store = context.session.identity, context.store
    if identity.sees_all:
        return lambda schema, name: True
    grants = store.grants.of(identity)
    objects = store.securables.list(kind, workspace, schema)
    known = {secured.name for secured in objects if may_see(identity, secured, grants)}
    return lambda schema, name: _shown(schema, name) in known


def require_seen_schema(context: Context, workspace: str, schema: str) -> None:
    """SCHEMA_NOT_FOUND for a schema of which the session may not know."""
    identity, store = context.session.identity, context.store
    if identity.sees_all:
        return
    name = QualifiedName(workspace, schema, "")
    secured = store.securables.find(Securable.SCHEMA, name)
    if secured is None or not may_see(identity, secured, store.grants.of(identity)):
        raise missing(Securable.SCHEMA, name, context.span_of(ObjectName(schema)))


def sees_job(context: Context, creator: str) -> bool:
    """Whether a job may be shown: one's own, to an operator all of them."""
    identity = context.session.identity
    return identity.sees_all or creator == identity.user


def _shown(schema: str | None, name: str) -> str:
    return show_identifier(name) if schema is None else str(ObjectName(name, schema))
