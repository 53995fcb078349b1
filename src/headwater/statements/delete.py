"""DELETE."""

from __future__ import annotations

from headwater.catalog.objects import Operation
from headwater.result import Result
from headwater.sql.dml import Delete
from headwater.statements.context import Context
from headwater.statements.writing import write


def delete(context: Context, statement: Delete) -> Result:
    """Remove rows of a table."""
    return write(context, statement.target, operation=Operation.DELETE)
