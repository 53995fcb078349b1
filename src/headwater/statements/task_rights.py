"""Whose a task is: it runs with its owner's rights, so nobody else may say what it runs."""

from __future__ import annotations

from headwater.catalog.tasks import Task
from headwater.errors import UserError
from headwater.sql.roles import Role
from headwater.statements.context import Context


def require_own(context: Context, task: Task) -> None:
    """Return if the session's user owns the task, or is an admin."""
    identity = context.session.identity
    if identity.role is Role.ADMIN or identity.user == task.owner:
        return
    needed, ask = f"OWNERSHIP on task {task.name}", f"its owner '{task.owner}', or an admin"
    raise UserError("ACCESS_DENIED", user=identity.user, needed=needed, ask=ask)
