"""From what stands behind ON in GRANT, REVOKE and SHOW GRANTS to objects."""

from __future__ import annotations

from headwater.access.grants import Secured
from headwater.names import QualifiedName
from headwater.sql.grants import GrantedObject
from headwater.sql.privileges import Securable
from headwater.statements.context import Context
from headwater.statements.missing_objects import missing


def granted_objects(context: Context, on: GrantedObject) -> list[Secured]:
    """The objects that are meant: one, or all tables that a schema has now."""
    name = _qualified(context, on)
    securables = context.store.securables
    found = securables.find(on.kind, name)
    if found is None:
        raise missing(on.kind, name, context.span_of(on.name))
    if on.all_tables:
        return securables.list(Securable.TABLE, name.workspace, name.schema)
    return [found]


def _qualified(context: Context, on: GrantedObject) -> QualifiedName:
    session = context.session
    if on.kind is Securable.SCHEMA:
        return QualifiedName(on.name.schema or session.workspace, on.name.name, "")
    if on.kind is Securable.VCLUSTER:
        return QualifiedName(session.workspace, "", on.name.name.upper())
    return context.qualify(on.name)
