"""REVOKE."""

from __future__ import annotations

from headwater.access.granted_on import without_grantor
from headwater.access.grants import Identity, Secured
from headwater.errors import UserError
from headwater.result import Result
from headwater.sql.grants import Grantee, RevokePrivileges
from headwater.statements.context import Context
from headwater.statements.granted_objects import granted_objects
from headwater.statements.owner_rights import owner_identity


def revoke(context: Context, statement: RevokePrivileges) -> Result:
    """Take privileges back; what their holder granted on stays, or goes with CASCADE."""
    what, grantee = ", ".join(statement.privileges), statement.grantee
    objects = granted_objects(context, statement.on)
    taken = sum(
        context.store.grants.take(grantee, statement.privileges, secured.kind, secured.id)
        for secured in objects
    )
    # What was granted on may be left over from a REVOKE without CASCADE.
    further = sum(_cascade(context, secured, statement) for secured in objects)
    if not taken and not further:
        raise UserError(
            "GRANT_NOT_FOUND",
            grantee=grantee.to_sql(),
            privileges=what,
            object=statement.on.to_sql(),
        )
    more = f", and {further} that were granted on" if further else ""
    return Result(
        message=f"{what} on {statement.on.to_sql()} revoked from {grantee.to_sql()}{more}"
    )


def _cascade(context: Context, secured: Secured, statement: RevokePrivileges) -> int:
    if not statement.cascade:
        return 0
    held = context.store.grants.list()
    grantors = {name: _identity(context, name) for name in {grant.grantor for grant in held}}
    fallen = without_grantor(held, secured, statement.privileges, grantors)
    for grant in fallen:
        grantee = Grantee(grant.grantee_kind, grant.grantee)
        context.store.grants.take(grantee, (grant.privilege,), secured.kind, secured.id)
    return len(fallen)


def _identity(context: Context, user: str) -> Identity | None:
    try:
        return owner_identity(context.store, user, "")
    except UserError:
        return None
