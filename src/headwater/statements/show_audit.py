"""SHOW AUDIT."""

from __future__ import annotations

from headwater.result import Result
from headwater.sql.users import ShowAudit
from headwater.statements.context import Context
from headwater.statements.filtered import filtered
from headwater.statements.information_schema_access import AUDIT, audit_rows


def show_audit(context: Context, statement: ShowAudit) -> Result:
    """The newest lines first: all for an admin, for others their own."""
    return filtered(context, AUDIT, audit_rows(context), statement.filter, like_column=1)
