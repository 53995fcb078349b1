"""What the audit keeps of statements: those that make, change, drop or grant, and the refused."""

from __future__ import annotations

from headwater.access.users import AuditEvent, AuditKind
from headwater.runtime.clock import now
from headwater.sql import grants, user_tokens, users
from headwater.sql.masking import mask
from headwater.sql.parse import Statement
from headwater.statements.context import Context

_GRANTS = (grants.GrantPrivileges, grants.RevokePrivileges)
_USERS = (
    users.AlterUser,
    users.CreateUser,
    users.DropUser,
    user_tokens.CreateToken,
    user_tokens.DropToken,
)
_DDL = ("Alter", "Create", "Drop", "Restore", "Truncate", "Undrop")


def audit_kind(statement: Statement) -> AuditKind | None:
    """What kind of line a statement is worth, or None."""
    if isinstance(statement, _GRANTS):
        return AuditKind.GRANT
    if isinstance(statement, _USERS):
        return AuditKind.USER
    return AuditKind.DDL if type(statement).__name__.startswith(_DDL) else None


def audit_end(context: Context, statement: Statement, *, ok: bool) -> None:
    """Note that a statement was carried out, or failed; most are worth no line."""
    kind = audit_kind(statement)
    if kind is None:
        return
    _add(context, statement, kind, ok=ok)
    if ok and type(statement).__name__.startswith("Drop"):
        context.store.grants.sweep()


def audit_denied(context: Context, statement: Statement) -> None:
    """Note that somebody was refused."""
    _add(context, statement, AuditKind.DENIED, ok=False)


def _add(context: Context, statement: Statement, kind: AuditKind, *, ok: bool) -> None:
    context.store.audit.add(
        AuditEvent(
            at=now(),
            user=context.session.user,
            kind=kind,
            object=_object(statement),
            text=mask(context.text),
            job_id=context.job_id,
            ok=ok,
        )
    )


def _object(statement: Statement) -> str:
    for part in ("on", "name", "target", "table"):
        found = getattr(statement, part, None)
        if found is not None:
            return found.to_sql() if isinstance(found, grants.GrantedObject) else str(found)
    return ""
