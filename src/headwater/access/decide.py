"""The decision: may this identity do that.

Law: an owner may do everything with its object; so may the owner of the schema it is in, and an
admin. An operator may watch and operate everything. Everybody else needs a grant, on the object or
on its schema. No grant lifts anybody above their role.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from headwater.access.grants import Grant, Identity, Secured
from headwater.sql.privileges import Privilege, Securable
from headwater.sql.roles import Role


@dataclass(frozen=True, slots=True)
class Wanted:
    """A privilege on an object; with `to_grant` the right to pass it on."""

    privilege: Privilege
    on: Secured
    to_grant: bool = False


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a statement needs: a role, and privileges."""

    role: Role = Role.VIEWER
    wanted: tuple[Wanted, ...] = ()


@dataclass(frozen=True, slots=True)
class Allowed:
    """Yes."""


@dataclass(frozen=True, slots=True)
class NeedsRole:
    """No: the statement is for a higher role."""

    role: Role


@dataclass(frozen=True, slots=True)
class NeedsPrivilege:
    """No: a privilege is missing; `hidden` if not even the object's existence may be told."""

    wanted: Wanted
    hidden: bool


Denied: TypeAlias = NeedsRole | NeedsPrivilege
ALLOWED = Allowed()


def decide(
    identity: Identity, requirement: Requirement, grants: Sequence[Grant]
) -> Allowed | Denied:
    """The answer, with the first thing that is missing."""
    if not identity.role.covers(requirement.role):
        return NeedsRole(requirement.role)
    for wanted in requirement.wanted:
        if not _has(identity, wanted, grants):
            return NeedsPrivilege(wanted, hidden=not may_see(identity, wanted.on, grants))
    return ALLOWED


def may_see(identity: Identity, secured: Secured, grants: Iterable[Grant]) -> bool:
    """Whether the identity may know of an object: by any privilege on it, or on what it holds."""
    if identity.sees_all or secured.free_use or _owns(identity, secured):
        return True
    held = [grant for grant in grants if identity.holds(grant)]
    if secured.kind is Securable.SCHEMA and any(g.schema_id == secured.id for g in held):
        return True
    return any(_reaches(grant, secured) for grant in held)


def _has(identity: Identity, wanted: Wanted, grants: Sequence[Grant]) -> bool:
    secured, privilege = wanted.on, wanted.privilege
    if identity.is_admin or _owns(identity, secured):
        return True
    held = [grant for grant in grants if identity.holds(grant) and _reaches(grant, secured)]
    if any(grant.privilege is Privilege.OWNERSHIP for grant in held):
        return True
    if wanted.to_grant:
        return any(grant.privilege is privilege and grant.with_option for grant in held)
    if privilege is Privilege.MONITOR:
        return may_see(identity, secured, grants)
    if privilege is Privilege.OPERATE and identity.role.covers(Role.OPERATOR):
        return True
    if privilege is Privilege.USE and secured.free_use:
        return True
    return any(grant.privilege is privilege for grant in held)


def _owns(identity: Identity, secured: Secured) -> bool:
    return identity.is_admin or identity.user in (secured.owner, secured.schema_owner)


def _reaches(grant: Grant, secured: Secured) -> bool:
    """Whether a grant is on the object, or on the schema it is in."""
    if grant.kind is secured.kind:
        return grant.object_id == secured.id
    inside = grant.kind is Securable.SCHEMA and secured.schema_id is not None
    return inside and grant.object_id == secured.schema_id
