"""SHOW GRANTS."""

from __future__ import annotations

from collections.abc import Iterator

from headwater.access.decide import may_see
from headwater.access.grants import Grant, Secured
from headwater.result import Column, Result, Row
from headwater.sql.grants import ShowGrants
from headwater.sql.privileges import Securable
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.granted_objects import granted_objects

COLUMNS = (
    Column("privilege", "string"),
    Column("granted_on", "string"),
    Column("object_name", "string"),
    Column("granted_to", "string"),
    Column("grantee_name", "string"),
    Column("grantor", "string"),
    Column("granted_time", "timestamp"),
    Column("grant_option", "boolean"),
)


def show_grants(context: Context, statement: ShowGrants) -> Result:
    """Who was granted what; on one object, or to one grantee, or all that the session may see."""
    only = None
    if statement.on is not None:
        only = {(s.kind, s.id) for s in granted_objects(context, statement.on)}
    rows = [
        row
        for grant, row in _granted(context)
        if (only is None or (grant.kind, grant.object_id) in only)
        and (
            statement.to is None
            or (grant.grantee_kind, grant.grantee) == (statement.to.kind, statement.to.name)
        )
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=2)


def grant_rows(context: Context) -> list[Row]:
    """All grants that the session may see."""
    return [row for _, row in _granted(context)]


def _granted(context: Context) -> list[tuple[Grant, Row]]:
    """By object, then grantee, then privilege."""
    return sorted(_visible(context), key=lambda pair: (*pair[1][1:5], pair[1][0]))


def _visible(context: Context) -> Iterator[tuple[Grant, Row]]:
    """Those on objects that are there: of them all for an operator, its own for a viewer."""
    identity = context.session.identity
    objects = _objects(context)
    held = [] if identity.sees_all else context.store.grants.of(identity)
    for grant in context.store.grants.list():
        secured = objects.get((grant.kind, grant.object_id))
        if secured is None:
            continue
        owns = identity.user in (secured.owner, secured.schema_owner)
        if (
            identity.sees_all
            or owns
            or (identity.holds(grant) and may_see(identity, secured, held))
        ):
            yield grant, _row(context, grant, secured)


def _objects(context: Context) -> dict[tuple[Securable, str], Secured]:
    workspace, store = context.session.workspace, context.store.securables
    kinds = [kind for kind in Securable if kind is not Securable.JOB]
    return {(s.kind, s.id): s for kind in kinds for s in store.list(kind, workspace)}


def _row(context: Context, grant: Grant, secured: Secured) -> Row:
    return (
        grant.privilege.value,
        secured.words,
        secured.name,
        grant.grantee_kind.value,
        grant.grantee,
        grant.grantor,
        context.session.local(grant.granted_at),
        grant.with_option,
    )
