"""Who was given what, and who asks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from headwater.sql.grants import GranteeKind
from headwater.sql.privileges import Privilege, Securable
from headwater.sql.roles import Role


@dataclass(frozen=True, slots=True)
class Grant:
    """One privilege on one object; objects are known by id, so that a RENAME keeps it."""

    grantee_kind: GranteeKind
    grantee: str
    privilege: Privilege
    kind: Securable
    object_id: str
    grantor: str
    granted_at: datetime
    schema_id: str | None = None
    """The schema that the object is in."""
    with_option: bool = False
    """Whether the grantee may grant it on."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who runs a statement, with the role that counts: the user's, or less by its token."""

    user: str
    role: Role

    @property
    def is_admin(self) -> bool:
        """Whether nothing needs to be asked."""
        return self.role is Role.ADMIN

    @property
    def sees_all(self) -> bool:
        """Whether the metadata of every object is shown."""
        return self.role.covers(Role.OPERATOR)

    def holds(self, grant: Grant) -> bool:
        """Whether a grant is its own, or one of a role that it covers."""
        if grant.grantee_kind is GranteeKind.USER:
            return grant.grantee == self.user
        return grant.grantee in self.role.covered


@dataclass(frozen=True, slots=True)
class Secured:
    """An object as the decision sees it; `words` and `name` are how statements call it."""

    kind: Securable
    id: str
    owner: str
    words: str
    name: str
    schema_id: str | None = None
    schema_owner: str | None = None
    free_use: bool = False
    """Whether everybody may use it, as the built-in clusters."""
