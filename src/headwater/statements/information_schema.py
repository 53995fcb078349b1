"""The views of information_schema, made from the catalog when they are mentioned."""

from __future__ import annotations

from collections.abc import Callable

from headwater.catalog.jobs import Job
from headwater.catalog.objects import Table, TableKind
from headwater.errors import Span, UserError
from headwater.names import ObjectName, did_you_mean
from headwater.result import Column, Result, Row
from headwater.runtime.clock import now
from headwater.sql.privileges import Securable
from headwater.statements.context import Context
from headwater.statements.information_schema_access import (
    AUDIT,
    OBJECT_PRIVILEGES,
    ROLES,
    USERS,
    audit_rows,
    privilege_rows,
    role_rows,
    user_rows,
)
from headwater.statements.information_schema_files import (
    CONNECTIONS,
    VOLUMES,
    connection_rows,
    volume_rows,
)
from headwater.statements.information_schema_refreshes import REFRESHES, refresh_rows
from headwater.statements.property_text import shown_properties
from headwater.statements.view_columns import view_columns
from headwater.statements.visibility import seen, sees_job
from headwater.tables.versions import catch_up

TABLES = view_columns(
    "table_catalog, table_schema, table_name, table_creator, table_type, row_count bigint,"
    " bytes bigint, create_time timestamp, last_modify_time timestamp, is_partitioned boolean,"
    " is_clustered boolean, comment, properties, data_lifecycle"
)
COLUMNS = view_columns(
    "table_catalog, table_schema, table_name, column_name, ordinal_position int, data_type,"
    " is_nullable boolean, is_partitioning_column boolean, is_clustering_column boolean, comment"
)
SCHEMAS = view_columns(
    "catalog_name, schema_name, schema_creator, create_time timestamp,"
    " last_modify_time timestamp, comment, properties"
)
VIEWS = view_columns(
    "table_catalog, table_schema, table_name, table_creator, view_definition,"
    " create_time timestamp, last_modify_time timestamp, comment"
)
JOB_HISTORY = view_columns(
    "workspace_name, workspace_id, job_id, job_name, job_creator, status, cru double,"
    " error_message, job_type, job_sub_type, job_text, start_time timestamp, end_time timestamp,"
    " execution_time double, input_objects, output_objects, input_tables, output_tables,"
    " input_bytes bigint, output_bytes bigint, cache_hit bigint, rows_produced bigint,"
    " rows_inserted bigint, rows_updated bigint, rows_deleted bigint, virtual_cluster, job_config,"
    " job_priority, query_tag, client_info, pt_date"
)


def information_schema_rows(context: Context, name: ObjectName, span: Span) -> Result:
    """The rows of `information_schema.<name>`."""
    columns = information_schema_columns(name, span)
    _, rows = _VIEWS[name.name]
    return Result.from_rows(columns, rows(context))


def information_schema_columns(name: ObjectName, span: Span | None) -> tuple[Column, ...]:
    """The columns of `information_schema.<name>`, or TABLE_NOT_FOUND."""
    if name.name not in _VIEWS:
        hint = did_you_mean(name.name, _VIEWS) or f"known are {', '.join(sorted(_VIEWS))}"
        raise UserError("TABLE_NOT_FOUND", table=name, span=span, hint=hint)
    columns, _ = _VIEWS[name.name]
    return columns


def _tables_of(context: Context) -> list[Table]:
    workspace = context.session.workspace
    sees = seen(context, Securable.TABLE, workspace)
    return [t for t in context.store.tables.list(workspace) if sees(t.schema, t.name)]


def _tables(context: Context) -> list[Row]:
    return [_table_row(context, catch_up(context.lake, table)) for table in _tables_of(context)]


def _table_row(context: Context, table: Table) -> Row:
    shape = table.shape
    view = table.kind is TableKind.VIEW
    return (
        table.workspace,
        table.schema,
        table.name,
        table.creator,
        _type(table),
        shape.totals.rows,
        shape.totals.bytes,
        context.session.local(table.created_at),
        context.session.local(table.modified_at),
        bool(shape.partition_columns),
        bool(shape.cluster_columns),
        table.comment,
        shown_properties(shape.properties),
        shape.properties.get("data_lifecycle", "-1") if not view else None,
    )


def _type(table: Table) -> str:
    match table.kind:
        case TableKind.VIEW:
            return "VIRTUAL_VIEW"
        case TableKind.DYNAMIC:
            return "DYNAMIC_TABLE"
        case TableKind.MATERIALIZED_VIEW:
            return "MATERIALIZED_VIEW"
    return "MANAGED_TABLE" if table.managed else "EXTERNAL_TABLE"


def _table_columns(context: Context) -> list[Row]:
    rows: list[Row] = []
    for known in _tables_of(context):
        table = catch_up(context.lake, known)
        shape = table.shape
        for place, column in enumerate(shape.columns, start=1):
            partitioning = column.name in shape.partition_columns
            clustering = column.name in shape.cluster_columns
            owner = (table.workspace, table.schema, table.name)
            rows.append(
                (
                    *owner,
                    column.name,
                    place,
                    column.type,
                    column.nullable,
                    partitioning,
                    clustering,
                    column.comment,
                )
            )
    return rows


def _schemas(context: Context) -> list[Row]:
    sees = seen(context, Securable.SCHEMA, context.session.workspace)
    return [
        (
            schema.workspace,
            schema.name,
            schema.creator,
            context.session.local(schema.created_at),
            context.session.local(schema.modified_at),
            schema.comment,
            shown_properties(schema.properties),
        )
        for schema in context.store.schemas.list(context.session.workspace)
        if sees(None, schema.name)
    ]


def _views(context: Context) -> list[Row]:
    return [
        (
            table.workspace,
            table.schema,
            table.name,
            table.creator,
            table.view_text,
            context.session.local(table.created_at),
            context.session.local(table.modified_at),
            table.comment,
        )
        for table in _tables_of(context)
        if table.kind is TableKind.VIEW
    ]


def _job_history(context: Context) -> list[Row]:
    context.lake.flush_background()
    jobs = context.store.jobs.list()
    return [_job_row(context, job) for job in jobs if sees_job(context, job.creator)]


def _job_row(context: Context, job: Job) -> Row:
    inputs = ", ".join(use.table for use in job.input_tables)
    outputs = ", ".join(use.table for use in job.output_tables)
    started = context.session.local(job.started_at)
    return (
        job.workspace,
        job.workspace,
        job.id,
        job.id,
        job.creator,
        job.state.value,
        None,
        job.error,
        "SQL",
        job.kind,
        job.text,
        started,
        context.session.local(job.ended_at),
        job.execution_time(now()).total_seconds(),
        inputs,
        outputs,
        inputs,
        outputs,
        job.input_bytes,
        job.output_bytes,
        None,
        job.rows_produced,
        job.rows_inserted,
        job.rows_updated,
        job.rows_deleted,
        job.vcluster,
        shown_properties(job.settings),
        str(job.priority),
        job.query_tag,
        None,
        started.strftime("%Y-%m-%d") if started else None,
    )


_VIEWS: dict[str, tuple[tuple[Column, ...], Callable[[Context], list[Row]]]] = {
    "tables": (TABLES, _tables),
    "columns": (COLUMNS, _table_columns),
    "schemas": (SCHEMAS, _schemas),
    "views": (VIEWS, _views),
    "job_history": (JOB_HISTORY, _job_history),
    "materialized_view_refresh_history": (REFRESHES, refresh_rows),
    "volumes": (VOLUMES, volume_rows),
    "connections": (CONNECTIONS, connection_rows),
    "users": (USERS, user_rows),
    "roles": (ROLES, role_rows),
    "object_privileges": (OBJECT_PRIVILEGES, privilege_rows),
    "audit": (AUDIT, audit_rows),
}
VIEW_COLUMNS = {name: columns for name, (columns, _) in _VIEWS.items()}
