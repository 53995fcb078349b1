"""From a statement to its handler: the one table of all statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from headwater.errors import UserError
from headwater.result import Result
from headwater.sql import alter_table as alter_table_sql
from headwater.sql import (
    connections,
    describe,
    dml,
    drop,
    dynamic_tables,
    functions,
    history,
    jobs,
    pipes,
    query,
    schemas,
    settings,
    show,
    streams,
    vacuum,
    views,
    volume_files,
    volumes,
)
from headwater.sql import copy_into_table as copy_into_table_sql
from headwater.sql import copy_into_volume as copy_into_volume_sql
from headwater.sql import create_dynamic_table as create_dynamic_table_sql
from headwater.sql import create_function as create_function_sql
from headwater.sql import create_kafka_table as create_kafka_table_sql
from headwater.sql import create_pipe as create_pipe_sql
from headwater.sql import create_stream as create_stream_sql
from headwater.sql import create_table as create_table_sql
from headwater.sql.parse import Statement, parse
from headwater.sql.tokens import tokenize
from headwater.statements.alter_dynamic_table import alter_dynamic_table
from headwater.statements.alter_pipe import alter_pipe
from headwater.statements.alter_schema import alter_schema
from headwater.statements.alter_table import alter_table
from headwater.statements.alter_view import alter_view
from headwater.statements.alter_volume_refresh import alter_volume_refresh
from headwater.statements.cancel_job import cancel_job
from headwater.statements.context import Context
from headwater.statements.copy_into_table import copy_into_table
from headwater.statements.copy_into_volume import copy_into_volume
from headwater.statements.create_dynamic_table import create_dynamic_table
from headwater.statements.create_external_volume import create_external_volume
from headwater.statements.create_function import create_function
from headwater.statements.create_kafka_table import create_kafka_table
from headwater.statements.create_pipe import create_pipe
from headwater.statements.create_schema import create_schema
from headwater.statements.create_storage_connection import create_storage_connection
from headwater.statements.create_table import create_table
from headwater.statements.create_table_stream import create_table_stream
from headwater.statements.create_view import create_view
from headwater.statements.create_volume import create_volume
from headwater.statements.create_volume_stream import create_volume_stream
from headwater.statements.delete import delete
from headwater.statements.desc_connection import desc_connection
from headwater.statements.desc_function import desc_function
from headwater.statements.desc_history import desc_history
from headwater.statements.desc_job import desc_job
from headwater.statements.desc_pipe import desc_pipe
from headwater.statements.desc_schema import desc_schema
from headwater.statements.desc_table import desc_table
from headwater.statements.desc_table_stream import desc_table_stream
from headwater.statements.desc_volume import desc_volume
from headwater.statements.drop_connection import drop_connection
from headwater.statements.drop_dynamic_table import drop_dynamic_table
from headwater.statements.drop_function import drop_function
from headwater.statements.drop_pipe import drop_pipe
from headwater.statements.drop_schema import drop_schema
from headwater.statements.drop_table import drop_table
from headwater.statements.drop_table_stream import drop_table_stream
from headwater.statements.drop_view import drop_view
from headwater.statements.drop_volume import drop_volume
from headwater.statements.explain_refresh import explain_create, explain_refresh
from headwater.statements.get import get
from headwater.statements.insert import insert
from headwater.statements.list_volume import list_volume
from headwater.statements.merge import merge
from headwater.statements.optimize import optimize
from headwater.statements.put import put
from headwater.statements.query import query as run_query
from headwater.statements.refresh_dynamic_table import refresh_dynamic_table
from headwater.statements.remove import remove
from headwater.statements.reset import reset
from headwater.statements.restore_table import restore_table
from headwater.statements.set_setting import set_setting
from headwater.statements.show_columns import show_columns
from headwater.statements.show_connections import show_connections
from headwater.statements.show_create_pipe import show_create_pipe
from headwater.statements.show_create_table import show_create_table
from headwater.statements.show_jobs import show_jobs
from headwater.statements.show_pipes import show_pipes
from headwater.statements.show_refresh_history import show_refresh_history
from headwater.statements.show_schemas import show_schemas
from headwater.statements.show_settings import show_settings
from headwater.statements.show_table_streams import show_table_streams
from headwater.statements.show_tables import show_tables
from headwater.statements.show_tables_history import show_tables_history
from headwater.statements.show_user_functions import show_user_functions
from headwater.statements.show_views import show_views
from headwater.statements.show_volume_directory import show_volume_directory
from headwater.statements.show_volumes import show_volumes
from headwater.statements.spark_command import spark_command
from headwater.statements.truncate_table import truncate_table
from headwater.statements.undrop_table import undrop_table
from headwater.statements.update import update
from headwater.statements.use import use
from headwater.statements.vacuum import vacuum as run_vacuum
from headwater.statements.verify_dynamic_table import verify_dynamic_table

Handler = Callable[[Context, Any], Result]

HANDLERS: dict[type, Handler] = {
    alter_table_sql.AlterTable: alter_table,
    copy_into_table_sql.CopyIntoTable: copy_into_table,
    copy_into_volume_sql.CopyIntoVolume: copy_into_volume,
    connections.CreateStorageConnection: create_storage_connection,
    connections.DescConnection: desc_connection,
    connections.DropConnection: drop_connection,
    connections.ShowConnections: show_connections,
    create_dynamic_table_sql.CreateDynamicTable: create_dynamic_table,
    create_function_sql.CreateFunction: create_function,
    create_kafka_table_sql.CreateKafkaTable: create_kafka_table,
    create_pipe_sql.CreatePipe: create_pipe,
    create_stream_sql.CreateTableStream: create_table_stream,
    create_stream_sql.CreateVolumeStream: create_volume_stream,
    create_table_sql.CreateTable: create_table,
    describe.DescTable: desc_table,
    dml.Delete: delete,
    dml.Insert: insert,
    dml.Merge: merge,
    dml.Update: update,
    drop.DropTable: drop_table,
    drop.DropView: drop_view,
    drop.TruncateTable: truncate_table,
    drop.UndropTable: undrop_table,
    dynamic_tables.AlterDynamicTable: alter_dynamic_table,
    dynamic_tables.DropDynamicTable: drop_dynamic_table,
    dynamic_tables.ExplainCreate: explain_create,
    dynamic_tables.ExplainRefresh: explain_refresh,
    dynamic_tables.RefreshDynamicTable: refresh_dynamic_table,
    dynamic_tables.ShowRefreshHistory: show_refresh_history,
    dynamic_tables.VerifyDynamicTable: verify_dynamic_table,
    functions.DescFunction: desc_function,
    functions.DropFunction: drop_function,
    functions.ShowUserFunctions: show_user_functions,
    history.DescHistory: desc_history,
    history.Optimize: optimize,
    history.RestoreTable: restore_table,
    jobs.CancelJob: cancel_job,
    jobs.DescJob: desc_job,
    jobs.ShowJobs: show_jobs,
    pipes.AlterPipe: alter_pipe,
    pipes.DescPipe: desc_pipe,
    pipes.DropPipe: drop_pipe,
    pipes.ShowCreatePipe: show_create_pipe,
    pipes.ShowPipes: show_pipes,
    query.Query: run_query,
    query.SparkCommand: spark_command,
    schemas.AlterSchema: alter_schema,
    schemas.CreateSchema: create_schema,
    schemas.DescSchema: desc_schema,
    schemas.DropSchema: drop_schema,
    schemas.Use: use,
    settings.Reset: reset,
    settings.Set: set_setting,
    settings.ShowSettings: show_settings,
    show.ShowColumns: show_columns,
    show.ShowCreateTable: show_create_table,
    show.ShowSchemas: show_schemas,
    show.ShowTables: show_tables,
    show.ShowTablesHistory: show_tables_history,
    show.ShowViews: show_views,
    streams.DescTableStream: desc_table_stream,
    streams.DropTableStream: drop_table_stream,
    streams.ShowTableStreams: show_table_streams,
    vacuum.Vacuum: run_vacuum,
    views.AlterView: alter_view,
    views.CreateView: create_view,
    volume_files.Get: get,
    volume_files.ListVolume: list_volume,
    volume_files.Put: put,
    volume_files.Remove: remove,
    volume_files.ShowVolumeDirectory: show_volume_directory,
    volumes.AlterVolumeRefresh: alter_volume_refresh,
    volumes.CreateExternalVolume: create_external_volume,
    volumes.CreateVolume: create_volume,
    volumes.DescVolume: desc_volume,
    volumes.DropVolume: drop_volume,
    volumes.ShowVolumes: show_volumes,
}

# Statements that may stand in parentheses where a relation stands.
RELATIONS = (
    connections.DescConnection,
    connections.ShowConnections,
    describe.DescTable,
    dynamic_tables.ShowRefreshHistory,
    functions.ShowUserFunctions,
    history.DescHistory,
    jobs.DescJob,
    jobs.ShowJobs,
    pipes.DescPipe,
    pipes.ShowPipes,
    schemas.DescSchema,
    show.ShowColumns,
    show.ShowSchemas,
    show.ShowTables,
    show.ShowTablesHistory,
    show.ShowViews,
    streams.DescTableStream,
    streams.ShowTableStreams,
    volume_files.ListVolume,
    volume_files.ShowVolumeDirectory,
    volumes.DescVolume,
    volumes.ShowVolumes,
)


def execute(context: Context, statement: Statement) -> Result:
    """Carry a statement out."""
    return HANDLERS[type(statement)](context, statement)


def execute_relation(context: Context, text: str) -> Result:
    """Carry out a statement that stands in parentheses inside another one."""
    statement = parse(text)
    if not isinstance(statement, RELATIONS):
        raise UserError("NOT_A_RELATION", statement=" ".join(text.split()[:3]))
    inner = replace(context, text=text, tokens=tokenize(text))
    return execute(inner, statement)
