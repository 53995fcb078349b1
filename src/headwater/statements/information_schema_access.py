"""The views USERS, ROLES, OBJECT_PRIVILEGES and AUDIT of information_schema; no hash is in them."""

from __future__ import annotations

from headwater.result import Row
from headwater.sql.roles import Role
from headwater.statements import show_grants, show_users
from headwater.statements.context import Context
from headwater.statements.view_columns import view_columns

USERS = view_columns(
    "workspace_name, user_name, role_names, disabled boolean, create_time timestamp, comment"
)
ROLES = view_columns("workspace_name, role_name, rank int")
OBJECT_PRIVILEGES = view_columns(
    "privilege_type, object_type, object_name, grantee_type, grantee, grantor,"
    " authorization_time timestamp, is_grantable boolean"
)
AUDIT = view_columns(
    "event_time timestamp, user_name, event_kind, object_name, statement, job_id, ok boolean,"
    " address"
)


def user_rows(context: Context) -> list[Row]:
    """The users, as SHOW USERS lists them."""
    workspace = context.session.workspace
    return [(workspace, *row) for row in show_users.user_rows(context)]


def role_rows(context: Context) -> list[Row]:
    """The roles, from the one that may do least."""
    return [(context.session.workspace, role.value, role.rank) for role in Role.ADMIN.covered]


def privilege_rows(context: Context) -> list[Row]:
    """The grants, as SHOW GRANTS lists them."""
    return show_grants.grant_rows(context)


def audit_rows(context: Context) -> list[Row]:
    """The newest lines first: all for an admin, for others their own."""
    identity = context.session.identity
    return [
        (
            context.session.local(event.at),
            event.user,
            event.kind.value,
            event.object,
            event.text,
            event.job_id,
            event.ok,
            event.address,
        )
        for event in context.store.audit.list()
        if identity.is_admin or event.user == identity.user
    ]
