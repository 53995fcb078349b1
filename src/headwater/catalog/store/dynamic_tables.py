"""The store's dynamic tables: their definitions and frontiers.

Invariant: a dynamic table is visible exactly while the table of its id is; its frontier moves with
the recorded commits of that table, or by `set_frontier` when there was nothing to commit.
"""

from __future__ import annotations

import builtins
import dataclasses
from typing import Any

from sqlalchemy import Connection, Select, insert, select, update

from headwater.catalog.dynamic_tables import DynamicTable, Frontier, PartitionFrontier
from headwater.catalog.objects import Table, TableKind, TableState
from headwater.catalog.partitions import Partition
from headwater.catalog.store.database import Database
from headwater.catalog.store.dynamic_table_model import dynamic_table_sources, dynamic_tables
from headwater.catalog.store.dynamic_table_rows import (
    definition_values,
    dynamic_table_from,
    move_frontier,
    put_sources,
    select_dynamic_tables,
)
from headwater.catalog.store.model import schemas, tables, workspaces
from headwater.catalog.store.partition_rows import forget_partitions, partitions_of
from headwater.catalog.store.table_moves import insert_table

_FEW = 20


class DynamicTables:
    """Makes, finds and changes dynamic tables; dropping one is dropping its table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin_create(
        self, table: Table, definition: DynamicTable, *, connection: Connection | None = None
    ) -> Table:
        """Stores the intent to create a table, which takes its name, with its definition.

        So recovery, which finishes a table from its log, need not know of definitions.
        """
        creating = dataclasses.replace(table, state=TableState.CREATING)
        values = definition_values(definition) | {
            "table_id": table.id,
            "refresh_number": 0,
            "baseline": table.created_at,
        }
        with self._database.write(connection) as own:
            insert_table(own, creating)
            own.execute(insert(dynamic_tables).values(values))
            put_sources(own, definition)
        return creating

    def replace(
        self,
        table: DynamicTable,
        *,
        frontier: Frontier | None = None,
        connection: Connection | None = None,
    ) -> None:
        """Gives a dynamic table another definition; history stays.

        The frontier stays too, unless `frontier` says what the rows are worth under it.
        """
        values = definition_values(table)
        if frontier is not None:
            values |= {"frontier": frontier.to_dict()}
        own_row = update(dynamic_tables).where(dynamic_tables.c.table_id == table.id)
        with self._database.write(connection) as own:
            if self._query(own, table.id) != table.query:
                # What partitions were refreshed to is none of the new query.
                forget_partitions(own, table.id)
            own.execute(own_row.values(values))
            put_sources(own, table)

    def set_frontier(
        self,
        table_id: str,
        frontier: Frontier,
        *,
        number: int,
        partition: Partition | None = None,
        connection: Connection | None = None,
    ) -> None:
        """Moves the frontier of a table, or of a partition, whose sources say nothing new."""
        with self._database.write(connection) as own:
            move_frontier(
                own,
                table_id,
                frontier,
                number=number,
                delta_version=None,
                partition=partition,
            )

    def partitions(
        self, table_id: str, *, connection: Connection | None = None
    ) -> tuple[PartitionFrontier, ...]:
        """The partitions of a dynamic table that were refreshed, each with its frontier."""
        with self._database.read(connection) as own:
            return partitions_of(own, table_id)

    def _query(self, own: Connection, table_id: str) -> str | None:
        found = select(dynamic_tables.c.query).where(dynamic_tables.c.table_id == table_id)
        return own.execute(found).scalar_one_or_none()

    def get(
        self, workspace: str, schema: str, name: str, *, connection: Connection | None = None
    ) -> DynamicTable | None:
        """The dynamic table of that name, or None."""
        found = self._all(_in(workspace, schema).where(tables.c.name == name), connection)
        return found[0] if found else None

    def by_id(self, table_id: str, *, connection: Connection | None = None) -> DynamicTable | None:
        """The dynamic table with that id, dropped or not, or None."""
        query = select_dynamic_tables().where(dynamic_tables.c.table_id == table_id)
        found = self._all(query, connection)
        return found[0] if found else None

    def list(
        self, workspace: str, schema: str | None = None, *, connection: Connection | None = None
    ) -> builtins.list[DynamicTable]:
        """The dynamic tables of a schema or of all schemas, by name."""
        query = _in(workspace, schema).order_by(schemas.c.name, tables.c.name)
        return self._all(query, connection)

    def materialized_views(self, workspace: str) -> builtins.list[DynamicTable]:
        """The materialized views of a workspace, by name."""
        query = _in(workspace, None).where(tables.c.kind == TableKind.MATERIALIZED_VIEW)
        return self._all(query.order_by(schemas.c.name, tables.c.name), None)

    def readers_of(
        self, source_id: str, *, connection: Connection | None = None
    ) -> builtins.list[DynamicTable]:
        """The dynamic tables that read a table, by age."""
        reads = select(dynamic_table_sources.c.dynamic_table_id).where(
            dynamic_table_sources.c.source_id == source_id
        )
        query = _active().where(dynamic_tables.c.table_id.in_(reads))
        return self._all(query.order_by(tables.c.created_at, tables.c.id), connection)

    def _all(
        self, query: Select[Any], connection: Connection | None
    ) -> builtins.list[DynamicTable]:
        with self._database.read(connection) as own:
            rows = own.execute(query).all()
            sources = _sources(own, [row.table_id for row in rows])
        return [dynamic_table_from(row, sources.get(row.table_id, [])) for row in rows]


def _active() -> Select[Any]:
    return select_dynamic_tables().where(tables.c.state == TableState.ACTIVE)


def _in(workspace: str, schema: str | None) -> Select[Any]:
    query = _active().where(workspaces.c.name == workspace)
    return query if schema is None else query.where(schemas.c.name == schema)


def _sources(
    connection: Connection, table_ids: builtins.list[str]
) -> dict[str, builtins.list[str]]:
    columns = dynamic_table_sources.c
    query = select(columns.dynamic_table_id, columns.source_id)
    # Upkeep asks for the readers of each table: to read the sources of all for each would take
    # seconds. Of many tables most are wanted, and to read all is quicker.
    if len(table_ids) <= _FEW:
        query = query.where(columns.dynamic_table_id.in_(table_ids))
    found: dict[str, builtins.list[str]] = {}
    if table_ids:
        for table_id, source in connection.execute(query.order_by(columns.position)):
            found.setdefault(table_id, []).append(source)
    return found
