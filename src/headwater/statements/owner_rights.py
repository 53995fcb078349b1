"""Whose rights count: those of the owner of a view, a pipe or a dynamic table."""

from __future__ import annotations

from headwater.access.grants import Identity
from headwater.catalog.store import Store
from headwater.errors import UserError
from headwater.names import QualifiedName, show_identifier
from headwater.sql.privileges import Securable
from headwater.sql.roles import Role


def owner_identity(store: Store, owner: str, shown: str) -> Identity:
    """The identity of an owner; OWNER_DISABLED for a user who may do nothing any more.

    A name that never was a user's is that of somebody who opened the lake itself, to whom all of it
    belongs.
    """
    user = store.users.latest(owner)
    if user is None:
        return Identity(owner, Role.ADMIN)
    if not user.works:
        state = "dropped" if user.dropped_at is not None else "disabled"
        name = show_identifier(owner)
        raise UserError("OWNER_DISABLED", object=shown, owner=name, state=state)
    return Identity(user.name, user.role)


def owner_of(store: Store, kind: Securable, name: QualifiedName, *, creator: str) -> Identity:
    """The identity of the owner of an object that is there."""
    found = store.securables.find(kind, name)
    shown = f"{kind} {name}" if found is None else f"{found.words} {found.name}"
    return owner_identity(store, creator if found is None else found.owner, shown)
