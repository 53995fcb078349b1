"""SHOW ROLES."""

from __future__ import annotations

from headwater.result import Column, Result
from headwater.sql.roles import Role
from headwater.sql.users import ShowRoles
from headwater.statements.context import Context
from headwater.statements.filtered import filtered

COLUMNS = (Column("name", "string"), Column("rank", "int"))


def show_roles(context: Context, statement: ShowRoles) -> Result:
    """The roles, from the one that may do least."""
    rows = [(role.value, role.rank) for role in Role.ADMIN.covered]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=0)
