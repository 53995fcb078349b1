"""REVOKE."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.result import Result
from headwater.sql.grants import RevokePrivileges
from headwater.statements.context import Context
from headwater.statements.granted_objects import granted_objects


def revoke(context: Context, statement: RevokePrivileges) -> Result:
    """Take privileges back; what their holder granted on stays with whom it was granted to."""
    what, grantee = ", ".join(statement.privileges), statement.grantee
    taken = sum(
        context.store.grants.take(grantee, statement.privileges, secured.kind, secured.id)
        for secured in granted_objects(context, statement.on)
    )
    if not taken:
        raise UserError(
            "GRANT_NOT_FOUND",
            grantee=grantee.to_sql(),
            privileges=what,
            object=statement.on.to_sql(),
        )
    return Result(message=f"{what} on {statement.on.to_sql()} revoked from {grantee.to_sql()}")
