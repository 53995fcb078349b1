"""INSERT INTO and INSERT OVERWRITE."""

from __future__ import annotations

from headwater.catalog.objects import Operation
from headwater.result import Result
from headwater.sql.dml import Insert
from headwater.statements.context import Context
from headwater.statements.writing import write


def insert(context: Context, statement: Insert) -> Result:
    """Add rows to a table, or replace them all."""
    operation = Operation.INSERT_OVERWRITE if statement.overwrite else Operation.INSERT_INTO
    return write(context, statement.target, operation=operation)
