"""The four roles, each of which may do all that the one before it may.

A role is a ceiling: it says which statements somebody may type at all. On which objects they may be
typed, privileges say.
"""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What somebody is here for."""

    VIEWER = "viewer"
    """Reads rows and files it was given, and changes nothing."""
    OPERATOR = "operator"
    """Keeps things running: sees all metadata, refreshes, pauses; writes rows where it may."""
    DEVELOPER = "developer"
    """Makes objects, and is trusted with code: functions run what it wrote."""
    ADMIN = "admin"
    """Everything."""

    @property
    def rank(self) -> int:
        """Its place, from the one that may do least."""
        return _ORDER.index(self)

    def covers(self, other: Role) -> bool:
        """Whether it may do all that `other` may."""
        return self.rank >= other.rank

    def capped(self, cap: Role | None) -> Role:
        """The lesser of it and a cap."""
        return self if cap is None or cap.covers(self) else cap

    @property
    def covered(self) -> tuple[Role, ...]:
        """It and all that may do less: what is granted to those is granted to it."""
        return _ORDER[: self.rank + 1]


_ORDER = (Role.VIEWER, Role.OPERATOR, Role.DEVELOPER, Role.ADMIN)
