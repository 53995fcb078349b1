"""VERIFY DYNAMIC TABLE."""

from __future__ import annotations

from headwater.errors import NotSupported
from headwater.result import Result
from headwater.sql.dynamic_tables import VerifyDynamicTable
from headwater.statements.context import Context
from headwater.statements.find_dynamic_table import find_dynamic_table


def verify_dynamic_table(context: Context, statement: VerifyDynamicTable) -> Result:
    """Compare the rows of a dynamic table with those of its query."""
    find_dynamic_table(context, statement.name, statement="VERIFY DYNAMIC TABLE")
    raise NotSupported("VERIFY_NOT_YET")
