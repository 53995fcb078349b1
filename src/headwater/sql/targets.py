"""Which table a statement writes, told from the statement alone."""

from __future__ import annotations

from headwater.names import ObjectName
from headwater.sql.alter_table import AlterTable
from headwater.sql.copy_into_table import CopyIntoTable
from headwater.sql.create_dynamic_table import CreateDynamicTable
from headwater.sql.create_materialized_view import CreateMaterializedView
from headwater.sql.create_table import CreateTable
from headwater.sql.dml import Delete, Insert, Merge, Update
from headwater.sql.drop import TruncateTable
from headwater.sql.dynamic_tables import AlterDynamicTable, RefreshDynamicTable
from headwater.sql.history import Optimize, RestoreTable
from headwater.sql.parse import Statement


def written_table(statement: Statement) -> ObjectName | None:
    """The table whose contents or shape `statement` changes by a Delta commit, or None."""
    match statement:
        case Insert() | Update() | Delete() | Merge() | CopyIntoTable():
            return statement.target
        case CreateTable() | AlterTable() | TruncateTable() | RestoreTable() | Optimize():
            return statement.name
        case CreateDynamicTable() | AlterDynamicTable() | RefreshDynamicTable():
            return statement.name
        case CreateMaterializedView():
            return statement.name
    return None
