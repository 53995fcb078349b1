"""What falls with a privilege that was taken back: what its holders granted on. Pure.

Law: afterwards everybody who granted one of these privileges on the object may still grant it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headwater.access.decide import Allowed, Requirement, Wanted, decide
from headwater.access.grants import Grant, Identity, Secured
from headwater.sql.privileges import Privilege


def without_grantor(
    grants: Sequence[Grant],
    on: Secured,
    privileges: Sequence[Privilege],
    grantors: Mapping[str, Identity | None],
) -> list[Grant]:
    """The grants on an object whose grantor may not give them any more.

    Args:
        grants: All that are left, on whatever object.
        on: The object.
        privileges: Those that were taken back; others are left alone.
        grantors: Who granted, as they are now; None for users that are gone.
    """
    left, fallen = list(grants), list[Grant]()
    while True:
        falling = [
            grant
            for grant in left
            if grant.kind is on.kind
            and grant.object_id == on.id
            and grant.privilege in privileges
            and not _may_grant(grantors[grant.grantor], grant.privilege, on, left)
        ]
        if not falling:
            return fallen
        fallen += falling
        left = [grant for grant in left if grant not in falling]


def _may_grant(
    grantor: Identity | None, privilege: Privilege, on: Secured, grants: Sequence[Grant]
) -> bool:
    if grantor is None:
        return False
    wanted = Wanted(privilege, on, to_grant=True)
    return isinstance(decide(grantor, Requirement(wanted=(wanted,)), grants), Allowed)
