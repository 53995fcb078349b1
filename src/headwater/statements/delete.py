"""DELETE."""

from __future__ import annotations

from headwater.catalog.objects import Operation
from headwater.result import Result
from headwater.sql.dml import Delete
from headwater.sql.subquery_dml import delete_as_merge
from headwater.statements.context import Context
from headwater.statements.subqueries import merge_edits
from headwater.statements.writing import write


def delete(context: Context, statement: Delete) -> Result:
    """Remove rows of a table."""
    operation = Operation.DELETE
    extra = merge_edits(context, statement.target, operation=operation, as_merge=delete_as_merge)
    return write(context, statement.target, operation=operation, extra=extra)
