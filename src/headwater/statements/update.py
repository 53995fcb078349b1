"""UPDATE."""

from __future__ import annotations

from headwater.catalog.objects import Operation
from headwater.result import Result
from headwater.sql.dml import Update
from headwater.sql.subquery_dml import update_as_merge
from headwater.statements.context import Context
from headwater.statements.subqueries import merge_edits
from headwater.statements.writing import write


def update(context: Context, statement: Update) -> Result:
    """Change rows of a table."""
    operation = Operation.UPDATE
    extra = merge_edits(context, statement.target, operation=operation, as_merge=update_as_merge)
    return write(context, statement.target, operation=operation, extra=extra)
