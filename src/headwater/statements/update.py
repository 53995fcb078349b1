"""UPDATE."""

from __future__ import annotations

from headwater.catalog.objects import Operation
from headwater.result import Result
from headwater.sql.dml import Update
from headwater.statements.context import Context
from headwater.statements.writing import write


def update(context: Context, statement: Update) -> Result:
    """Change rows of a table."""
    return write(context, statement.target, operation=Operation.UPDATE)
