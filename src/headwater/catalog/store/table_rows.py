"""Tables and their versions as rows, both ways. Invariant: what is read equals what was written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, insert, select

from headwater.catalog.objects import (
    Table,
    TableColumn,
    TableKind,
    TableShape,
    TableState,
    TableVersion,
    Totals,
)
from headwater.catalog.store.model import schemas, table_versions, tables, workspaces


@cache
def select_tables() -> Select[Any]:
    """All tables in whatever state, with the names of their schema and workspace."""
    return (
        select(
            tables,
            schemas.c.name.label("schema_name"),
            workspaces.c.name.label("workspace_name"),
        )
        .join_from(tables, schemas)
        .join(workspaces)
    )


def table_from(row: Row[Any]) -> Table:
    """The table of a row of `select_tables`."""
    return Table(
        id=row.id,
        workspace=row.workspace_name,
        schema=row.schema_name,
        name=row.name,
        kind=TableKind(row.kind),
        state=TableState(row.state),
        creator=row.creator,
        created_at=row.created_at,
        modified_at=row.modified_at,
        location=row.location,
        managed=row.managed,
        shape=TableShape(
            delta_version=row.delta_version,
            columns=tuple(TableColumn(**column) for column in row.columns),
            partition_columns=tuple(row.partition_columns),
            cluster_columns=tuple(row.cluster_columns),
            properties=row.properties,
            comment=row.comment,
            totals=Totals(row.total_rows, row.total_bytes),
        ),
        view_text=row.view_text,
        view_schema=row.view_schema,
        dropped_at=row.dropped_at,
        created_by_job=row.created_by_job,
    )


def table_values(table: Table, *, schema_id: str) -> dict[str, Any]:
    """The row of a table."""
    return {
        "id": table.id,
        "schema_id": schema_id,
        "name": table.name,
        "kind": table.kind,
        "state": table.state,
        "creator": table.creator,
        "created_at": table.created_at,
        "modified_at": table.modified_at,
        "location": table.location,
        "managed": table.managed,
        "view_text": table.view_text,
        "view_schema": table.view_schema,
        "dropped_at": table.dropped_at,
        "created_by_job": table.created_by_job,
        **shape_values(table.shape),
    }


def shape_values(shape: TableShape) -> dict[str, Any]:
    """The columns of a table's row that follow the Delta log."""
    return {
        "delta_version": shape.delta_version,
        "columns": [asdict(column) for column in shape.columns],
        "partition_columns": shape.partition_columns,
        "cluster_columns": shape.cluster_columns,
        "properties": dict(shape.properties),
        "comment": shape.comment,
        "total_rows": shape.totals.rows,
        "total_bytes": shape.totals.bytes,
    }


def version_from(row: Row[Any]) -> TableVersion:
    """The version of a row of `table_versions`."""
    return TableVersion(
        version=row.version,
        delta_version=row.delta_version,
        committed_at=row.committed_at,
        operation=row.operation,
        user=row.user,
        job_id=row.job_id,
        totals=Totals(row.total_rows, row.total_bytes),
        rows_inserted=row.rows_inserted,
        rows_updated=row.rows_updated,
        rows_deleted=row.rows_deleted,
    )


def insert_versions(
    connection: Connection, table_id: str, versions: Sequence[TableVersion]
) -> None:
    """Appends versions to a table's history.

    The first may have the number of the last one stored: its job committed again since then, and
    the new row replaces the old one.
    """
    if versions:
        replaced = delete(table_versions).where(
            table_versions.c.table_id == table_id,
            table_versions.c.version == versions[0].version,
        )
        connection.execute(replaced)
        rows = [_version_values(table_id, version) for version in versions]
        connection.execute(insert(table_versions), rows)


def _version_values(table_id: str, version: TableVersion) -> dict[str, Any]:
    return {
        "table_id": table_id,
        "version": version.version,
        "delta_version": version.delta_version,
        "committed_at": version.committed_at,
        "operation": version.operation,
        "user": version.user,
        "job_id": version.job_id,
        "total_rows": version.totals.rows,
        "total_bytes": version.totals.bytes,
        "rows_inserted": version.rows_inserted,
        "rows_updated": version.rows_updated,
        "rows_deleted": version.rows_deleted,
    }
