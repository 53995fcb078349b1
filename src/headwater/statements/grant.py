"""GRANT."""

from __future__ import annotations

from headwater.access.grants import Grant
from headwater.names import counted
from headwater.result import Result
from headwater.runtime.clock import now
from headwater.sql.grants import GranteeKind, GrantPrivileges
from headwater.statements.context import Context
from headwater.statements.find_user import find_user
from headwater.statements.granted_objects import granted_objects


def grant(context: Context, statement: GrantPrivileges) -> Result:
    """Give privileges; OWNERSHIP goes from one user to another."""
    to = statement.to
    if to.kind is GranteeKind.USER:
        find_user(context, to.name)
    objects = granted_objects(context, statement.on)
    at = now()
    given = [
        Grant(
            grantee_kind=to.kind,
            grantee=to.name,
            privilege=privilege,
            kind=secured.kind,
            object_id=secured.id,
            grantor=context.session.user,
            granted_at=at,
            schema_id=secured.schema_id,
            with_option=statement.with_option,
        )
        for secured in objects
        for privilege in statement.privileges
    ]
    context.store.grants.give(given)
    on = counted(len(objects), "table") if statement.on.all_tables else statement.on.to_sql()
    return Result(message=f"{', '.join(statement.privileges)} on {on} granted to {to.to_sql()}")
