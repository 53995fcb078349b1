"""Dynamic tables as rows, both ways, and the moves of their frontiers.

Invariant: a frontier never goes back. A mark with a number that is not above the stored one is left
alone, because its commit was read before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, insert, select, update

from headwater.catalog.dynamic_tables import (
    FINAL_REFRESH_STATES,
    DynamicTable,
    Frontier,
    OwnColumn,
    RefreshMode,
    RefreshState,
    Schedule,
)
from headwater.catalog.objects import TableKind, TableVersion
from headwater.catalog.partitions import Partition
from headwater.catalog.store.dynamic_table_model import (
    dynamic_table_sources,
    dynamic_tables,
    refreshes,
)
from headwater.catalog.store.model import schemas, tables, workspaces
from headwater.catalog.store.partition_rows import forget_partitions, move_partition


def select_dynamic_tables() -> Select[Any]:
    """The query for dynamic tables in whatever state, of which the rest is to say which ones."""
    return (
        select(
            dynamic_tables,
            tables.c.name,
            tables.c.properties,
            tables.c.kind.label("table_kind"),
            schemas.c.name.label("schema_name"),
            workspaces.c.name.label("workspace_name"),
        )
        .join_from(dynamic_tables, tables)
        .join(schemas)
        .join(workspaces)
    )


def dynamic_table_from(row: Row[Any], sources: Sequence[str]) -> DynamicTable:
    """The dynamic table of a row of `select_dynamic_tables` and the ids of what it reads."""
    return DynamicTable(
        id=row.table_id,
        workspace=row.workspace_name,
        schema=row.schema_name,
        name=row.name,
        query=row.query,
        query_workspace=row.query_workspace,
        query_schema=row.query_schema,
        mode=RefreshMode(row.mode),
        schedule=None if row.schedule is None else Schedule.from_dict(row.schedule),
        sources=tuple(sources),
        source_columns={table: tuple(names) for table, names in row.source_columns.items()},
        properties=row.properties,
        frontier=None if row.frontier is None else Frontier.from_dict(row.frontier),
        refresh_number=row.refresh_number,
        delta_version=row.frontier_version,
        suspended=row.suspended,
        baseline=row.baseline,
        failures=row.failures,
        suspended_reason=row.suspended_reason,
        columns=None if row.columns is None else tuple(OwnColumn(**c) for c in row.columns),
        initialize=row.initialize,
        immutable_where=row.immutable_where,
        materialized_view=row.table_kind == TableKind.MATERIALIZED_VIEW,
        query_rewrite=row.query_rewrite,
    )


def definition_values(table: DynamicTable) -> dict[str, Any]:
    """What CREATE and ALTER say of a dynamic table; the rest are properties of its table."""
    return {
        "query": table.query,
        "query_workspace": table.query_workspace,
        "query_schema": table.query_schema,
        "mode": table.mode,
        "schedule": None if table.schedule is None else table.schedule.to_dict(),
        "source_columns": {id: list(names) for id, names in table.source_columns.items()},
        "suspended": table.suspended,
        "columns": None if table.columns is None else [asdict(c) for c in table.columns],
        "initialize": table.initialize,
        "immutable_where": table.immutable_where,
        "query_rewrite": table.query_rewrite,
    }


def put_sources(connection: Connection, table: DynamicTable) -> None:
    """Stores what a dynamic table reads in place of what it read."""
    own = dynamic_table_sources.c.dynamic_table_id == table.id
    connection.execute(delete(dynamic_table_sources).where(own))
    rows = [
        {"dynamic_table_id": table.id, "position": position, "source_id": source}
        for position, source in enumerate(table.sources)
    ]
    if rows:
        connection.execute(insert(dynamic_table_sources), rows)


def move_frontiers(connection: Connection, table_id: str, versions: Iterable[TableVersion]) -> None:
    """Makes the refreshes count that the commits of these versions of a table are."""
    for version in versions:
        mark = version.refreshed
        # A copy of the files under another table bears the marks too; they are not its own.
        if mark is None or mark.dynamic_table != table_id:
            continue
        move_frontier(
            connection,
            table_id,
            mark.frontier,
            number=mark.number,
            delta_version=version.delta_version,
            partition=mark.partition,
        )
        _succeeded(connection, version)


def move_frontier(
    connection: Connection,
    table_id: str,
    frontier: Frontier,
    *,
    number: int,
    delta_version: int | None,
    partition: Partition | None = None,
) -> None:
    """Moves a frontier, unless that number was counted before.

    Without a Delta version, nothing was written: the contents are still those of the last one.
    """
    if partition is not None:
        move_partition(
            connection, table_id, partition, frontier, number=number, delta_version=delta_version
        )
        return
    values: dict[str, Any] = {
        "frontier": frontier.to_dict(),
        "refreshed_at": frontier.at,
        "refresh_number": number,
    }
    if delta_version is not None:
        values["frontier_version"] = delta_version
    due = update(dynamic_tables).where(
        dynamic_tables.c.table_id == table_id, dynamic_tables.c.refresh_number < number
    )
    if connection.execute(due.values(values)).rowcount:
        forget_partitions(connection, table_id)


def _succeeded(connection: Connection, version: TableVersion) -> None:
    """A refresh whose commit is there has succeeded, whatever became of its process."""
    mark = version.refreshed
    assert mark is not None
    running = update(refreshes).where(
        refreshes.c.table_id == mark.dynamic_table,
        refreshes.c.number == mark.number,
        ~refreshes.c.state.in_([state.value for state in FINAL_REFRESH_STATES]),
    )
    values = {
        "state": RefreshState.SUCCEED,
        "kind": mark.kind,
        "ended_at": version.committed_at,
        "rows_inserted": version.rows_inserted,
        "rows_deleted": version.rows_deleted,
    }
    connection.execute(running.values(values))
