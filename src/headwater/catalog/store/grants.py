"""The store's grants.

Invariant: a privilege on an object is granted to somebody once; an object is owned by one user: who
made it, or who was granted its OWNERSHIP last.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Delete, Row, and_, bindparam, delete, insert, or_, select

from headwater.access.grants import Grant, Identity
from headwater.catalog.store.access_model import grants
from headwater.catalog.store.database import Database
from headwater.catalog.store.securables import gone
from headwater.sql.grants import Grantee, GranteeKind
from headwater.sql.privileges import Privilege, Securable

_HELD = select(grants).where(
    or_(
        and_(
            grants.c.grantee_kind == GranteeKind.USER,
            grants.c.grantee == bindparam("user"),
        ),
        and_(
            grants.c.grantee_kind == GranteeKind.ROLE,
            grants.c.grantee.in_(bindparam("roles", expanding=True)),
        ),
    )
)


class Grants:
    """Gives, finds and takes back privileges."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def give(self, given: Sequence[Grant], *, connection: Connection | None = None) -> None:
        """Stores grants; one that is there already is replaced, and so is an owner."""
        with self._database.write(connection) as own:
            for grant in given:
                same = _on(grant.kind, grant.object_id) & (grants.c.privilege == grant.privilege)
                if grant.privilege is not Privilege.OWNERSHIP:
                    same &= _to(Grantee(grant.grantee_kind, grant.grantee))
                own.execute(delete(grants).where(same))
                own.execute(insert(grants), _values(grant))

    def take(
        self,
        grantee: Grantee,
        privileges: Sequence[Privilege],
        kind: Securable,
        object_id: str,
        *,
        connection: Connection | None = None,
    ) -> int:
        """Removes grants, and says how many there were."""
        statement = delete(grants).where(
            _to(grantee), _on(kind, object_id), grants.c.privilege.in_(privileges)
        )
        with self._database.write(connection) as own:
            return own.execute(statement).rowcount

    def of(
        self, identity: Identity, *, connection: Connection | None = None
    ) -> builtins.list[Grant]:
        """What an identity holds, by itself and by its role."""
        holders = {"user": identity.user, "roles": builtins.list(identity.role.covered)}
        with self._database.read(connection) as own:
            return [_grant(row) for row in own.execute(_HELD, holders)]

    def list(self, *, connection: Connection | None = None) -> builtins.list[Grant]:
        """All grants, in the order of grantees and privileges."""
        query = select(grants).order_by(
            grants.c.grantee_kind, grants.c.grantee, grants.c.object_id, grants.c.privilege
        )
        with self._database.read(connection) as own:
            return [_grant(row) for row in own.execute(query)]

    def sweep(self, *, connection: Connection | None = None) -> int:
        """Removes the grants on objects that are gone for good, and says how many."""
        with self._database.write(connection) as own:
            removed = 0
            for statement in _sweeping():
                removed += own.execute(statement).rowcount
            return removed


@cache
def _sweeping() -> tuple[Delete, ...]:
    missing = {kind: gone(kind, grants.c.object_id) for kind in Securable}
    return tuple(
        delete(grants).where(grants.c.kind == kind, condition)
        for kind, condition in missing.items()
        if condition is not None
    )


def _to(grantee: Grantee) -> Any:
    return and_(grants.c.grantee_kind == grantee.kind, grants.c.grantee == grantee.name)


def _on(kind: Securable, object_id: str) -> Any:
    return and_(grants.c.kind == kind, grants.c.object_id == object_id)


def _values(grant: Grant) -> dict[str, Any]:
    return {
        "grantee_kind": grant.grantee_kind,
        "grantee": grant.grantee,
        "privilege": grant.privilege,
        "kind": grant.kind,
        "object_id": grant.object_id,
        "schema_id": grant.schema_id,
        "grantor": grant.grantor,
        "granted_at": grant.granted_at,
        "with_option": grant.with_option,
    }


def _grant(row: Row[Any]) -> Grant:
    return Grant(
        grantee_kind=GranteeKind(row.grantee_kind),
        grantee=row.grantee,
        privilege=Privilege(row.privilege),
        kind=Securable(row.kind),
        object_id=row.object_id,
        grantor=row.grantor,
        granted_at=row.granted_at,
        schema_id=row.schema_id,
        with_option=row.with_option,
    )
