"""From a statement to its handler: the one table of all statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from headwater.errors import UserError
from headwater.files.unreadable import TextIsUtf8
from headwater.result import Result
from headwater.sql import (
    alerts,
    connections,
    describe,
    dml,
    drop,
    dynamic_tables,
    functions,
    grants,
    history,
    jobs,
    lineage,
    pipes,
    query,
    schemas,
    settings,
    show,
    streams,
    task_instances,
    tasks,
    user_tokens,
    users,
    vacuum,
    vclusters,
    views,
    volume_files,
    volumes,
)
from headwater.sql import alter_table as alter_table_sql
from headwater.sql import copy_into_table as copy_into_table_sql
from headwater.sql import copy_into_volume as copy_into_volume_sql
from headwater.sql import create_dynamic_table as create_dynamic_table_sql
from headwater.sql import create_function as create_function_sql
from headwater.sql import create_kafka_table as create_kafka_table_sql
from headwater.sql import create_materialized_view as create_materialized_view_sql
from headwater.sql import create_pipe as create_pipe_sql
from headwater.sql import create_stream as create_stream_sql
from headwater.sql import create_table as create_table_sql
from headwater.sql import show_load_history as show_load_history_sql
from headwater.sql import show_table_extended as show_table_extended_sql
from headwater.sql.parse import Statement, parse
from headwater.sql.tokens import tokenize
from headwater.statements.alter_dynamic_table import alter_dynamic_table
from headwater.statements.alter_pipe import alter_pipe
from headwater.statements.alter_schema import alter_schema
from headwater.statements.alter_table import alter_table
from headwater.statements.alter_task import alter_task
from headwater.statements.alter_task_instance import alter_task_instance
from headwater.statements.alter_user import alter_user
from headwater.statements.alter_vcluster import alter_vcluster
from headwater.statements.alter_view import alter_view
from headwater.statements.alter_volume_refresh import alter_volume_refresh
from headwater.statements.backfill_task import backfill_task
from headwater.statements.cancel_job import cancel_job
from headwater.statements.context import Context
from headwater.statements.copy_into_table import copy_into_table
from headwater.statements.copy_into_volume import copy_into_volume
from headwater.statements.create_alert import create_alert
from headwater.statements.create_dynamic_table import create_dynamic_table
from headwater.statements.create_external_volume import create_external_volume
from headwater.statements.create_function import create_function
from headwater.statements.create_kafka_table import create_kafka_table
from headwater.statements.create_materialized_view import create_materialized_view
from headwater.statements.create_pipe import create_pipe
from headwater.statements.create_schema import create_schema
from headwater.statements.create_storage_connection import create_storage_connection
from headwater.statements.create_table import create_table
from headwater.statements.create_table_stream import create_table_stream
from headwater.statements.create_task import create_task
from headwater.statements.create_token import create_token
from headwater.statements.create_user import create_user
from headwater.statements.create_vcluster import create_vcluster
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
from headwater.statements.desc_task import desc_task
from headwater.statements.desc_task_instance import desc_task_instance
from headwater.statements.desc_vcluster import desc_vcluster
from headwater.statements.desc_volume import desc_volume
from headwater.statements.drop_alert import drop_alert
from headwater.statements.drop_connection import drop_connection
from headwater.statements.drop_dynamic_table import drop_dynamic_table
from headwater.statements.drop_function import drop_function
from headwater.statements.drop_pipe import drop_pipe
from headwater.statements.drop_schema import drop_schema
from headwater.statements.drop_table import drop_table
from headwater.statements.drop_table_stream import drop_table_stream
from headwater.statements.drop_task import drop_task
from headwater.statements.drop_token import drop_token
from headwater.statements.drop_user import drop_user
from headwater.statements.drop_vcluster import drop_vcluster
from headwater.statements.drop_view import drop_view
from headwater.statements.drop_volume import drop_volume
from headwater.statements.execute_task import execute_task
from headwater.statements.explain_refresh import explain_create, explain_refresh
from headwater.statements.get import get
from headwater.statements.grant import grant
from headwater.statements.insert import insert
from headwater.statements.list_volume import list_volume
from headwater.statements.merge import merge
from headwater.statements.optimize import optimize
from headwater.statements.put import put
from headwater.statements.query import query as run_query
from headwater.statements.refresh_dynamic_table import refresh_dynamic_table
from headwater.statements.remove import remove
from headwater.statements.rerun_task_instance import rerun_task_instance
from headwater.statements.reset import reset
from headwater.statements.restore_table import restore_table
from headwater.statements.revoke import revoke
from headwater.statements.set_setting import set_setting
from headwater.statements.show_alert_events import show_alert_events
from headwater.statements.show_alerts import show_alerts
from headwater.statements.show_audit import show_audit
from headwater.statements.show_columns import show_columns
from headwater.statements.show_connections import show_connections
from headwater.statements.show_create_pipe import show_create_pipe
from headwater.statements.show_create_table import show_create_table
from headwater.statements.show_create_task import show_create_task
from headwater.statements.show_dynamic_tables import show_dynamic_tables
from headwater.statements.show_grants import show_grants
from headwater.statements.show_jobs import show_jobs
from headwater.statements.show_lineage import show_lineage
from headwater.statements.show_load_history import show_load_history
from headwater.statements.show_partitions import show_partitions
from headwater.statements.show_pipes import show_pipes
from headwater.statements.show_preload_status import show_preload_status
from headwater.statements.show_refresh_history import show_refresh_history
from headwater.statements.show_roles import show_roles
from headwater.statements.show_schemas import show_schemas
from headwater.statements.show_settings import show_settings
from headwater.statements.show_table_extended import show_table_extended
from headwater.statements.show_table_streams import show_table_streams
from headwater.statements.show_tables import show_tables
from headwater.statements.show_tables_history import show_tables_history
from headwater.statements.show_task_instances import show_task_instances
from headwater.statements.show_task_versions import show_task_versions
from headwater.statements.show_tasks import show_tasks
from headwater.statements.show_tokens import show_tokens
from headwater.statements.show_user_functions import show_user_functions
from headwater.statements.show_users import show_users
from headwater.statements.show_vclusters import show_vclusters
from headwater.statements.show_views import show_views
from headwater.statements.show_volume_directory import show_volume_directory
from headwater.statements.show_volumes import show_volumes
from headwater.statements.sound_query import sound_query
from headwater.statements.spark_command import spark_command
from headwater.statements.submit_task import submit_task
from headwater.statements.truncate_table import truncate_table
from headwater.statements.undrop_table import undrop_table
from headwater.statements.update import update
from headwater.statements.use import use
from headwater.statements.use_vcluster import use_vcluster
from headwater.statements.vacuum import vacuum as run_vacuum
from headwater.statements.verify_dynamic_table import verify_dynamic_table

Handler = Callable[[Context, Any], Result]

HANDLERS: dict[type, Handler] = {
    alerts.CreateAlert: create_alert,
    alerts.DropAlert: drop_alert,
    alerts.ShowAlertEvents: show_alert_events,
    alerts.ShowAlerts: show_alerts,
    alter_table_sql.AlterTable: alter_table,
    copy_into_table_sql.CopyIntoTable: copy_into_table,
    copy_into_volume_sql.CopyIntoVolume: copy_into_volume,
    connections.CreateStorageConnection: create_storage_connection,
    connections.DescConnection: desc_connection,
    connections.DropConnection: drop_connection,
    connections.ShowConnections: show_connections,
    create_dynamic_table_sql.CreateDynamicTable: create_dynamic_table,
    create_function_sql.CreateFunction: create_function,
    create_materialized_view_sql.CreateMaterializedView: create_materialized_view,
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
    dynamic_tables.ShowDynamicTables: show_dynamic_tables,
    dynamic_tables.ShowRefreshHistory: show_refresh_history,
    dynamic_tables.VerifyDynamicTable: verify_dynamic_table,
    functions.DescFunction: desc_function,
    functions.DropFunction: drop_function,
    functions.ShowUserFunctions: show_user_functions,
    grants.GrantPrivileges: grant,
    grants.RevokePrivileges: revoke,
    grants.ShowGrants: show_grants,
    history.DescHistory: desc_history,
    history.Optimize: optimize,
    history.RestoreTable: restore_table,
    jobs.CancelJob: cancel_job,
    jobs.DescJob: desc_job,
    jobs.ShowJobs: show_jobs,
    lineage.ShowLineage: show_lineage,
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
    show.ShowPartitions: show_partitions,
    show.ShowSchemas: show_schemas,
    show.ShowTables: show_tables,
    show.ShowTablesHistory: show_tables_history,
    show.ShowViews: show_views,
    show_load_history_sql.ShowLoadHistory: show_load_history,
    show_table_extended_sql.ShowTableExtended: show_table_extended,
    streams.DescTableStream: desc_table_stream,
    streams.DropTableStream: drop_table_stream,
    streams.ShowTableStreams: show_table_streams,
    user_tokens.CreateToken: create_token,
    user_tokens.DropToken: drop_token,
    user_tokens.ShowTokens: show_tokens,
    users.AlterUser: alter_user,
    users.CreateUser: create_user,
    users.DropUser: drop_user,
    users.ShowAudit: show_audit,
    users.ShowRoles: show_roles,
    users.ShowUsers: show_users,
    task_instances.AlterTaskInstance: alter_task_instance,
    task_instances.DescTaskInstance: desc_task_instance,
    task_instances.RerunTaskInstance: rerun_task_instance,
    task_instances.ShowTaskInstances: show_task_instances,
    tasks.AlterTask: alter_task,
    tasks.BackfillTask: backfill_task,
    tasks.CreateTask: create_task,
    tasks.DescTask: desc_task,
    tasks.DropTask: drop_task,
    tasks.ExecuteTask: execute_task,
    tasks.ShowCreateTask: show_create_task,
    tasks.ShowTaskVersions: show_task_versions,
    tasks.ShowTasks: show_tasks,
    tasks.SubmitTask: submit_task,
    vacuum.Vacuum: run_vacuum,
    vclusters.AlterVcluster: alter_vcluster,
    vclusters.CreateVcluster: create_vcluster,
    vclusters.DescVcluster: desc_vcluster,
    vclusters.DropVcluster: drop_vcluster,
    vclusters.ShowPreloadStatus: show_preload_status,
    vclusters.ShowVclusters: show_vclusters,
    vclusters.UseVcluster: use_vcluster,
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
    alerts.ShowAlertEvents,
    alerts.ShowAlerts,
    connections.DescConnection,
    connections.ShowConnections,
    describe.DescTable,
    dynamic_tables.ShowDynamicTables,
    dynamic_tables.ShowRefreshHistory,
    functions.ShowUserFunctions,
    grants.ShowGrants,
    history.DescHistory,
    jobs.DescJob,
    jobs.ShowJobs,
    lineage.ShowLineage,
    pipes.DescPipe,
    pipes.ShowPipes,
    schemas.DescSchema,
    show.ShowColumns,
    show_load_history_sql.ShowLoadHistory,
    show.ShowPartitions,
    show.ShowSchemas,
    show.ShowTables,
    show.ShowTablesHistory,
    show.ShowViews,
    show_table_extended_sql.ShowTableExtended,
    streams.DescTableStream,
    streams.ShowTableStreams,
    user_tokens.ShowTokens,
    users.ShowAudit,
    users.ShowRoles,
    users.ShowUsers,
    task_instances.DescTaskInstance,
    task_instances.ShowTaskInstances,
    tasks.DescTask,
    tasks.ShowTaskVersions,
    tasks.ShowTasks,
    vclusters.DescVcluster,
    vclusters.ShowPreloadStatus,
    vclusters.ShowVclusters,
    volume_files.ListVolume,
    volume_files.ShowVolumeDirectory,
    volumes.DescVolume,
    volumes.ShowVolumes,
)


def execute(context: Context, statement: Statement) -> Result:
    """Carry a statement out; once more if the files it reads were taken for damaged and are not.

    It has changed nothing by then: a statement that fails never does.
    """
    handler = HANDLERS[type(statement)]
    with sound_query(context, statement):
        try:
            return handler(context, statement)
        except TextIsUtf8 as found:
            return handler(replace(context, known_utf8=found.urls), statement)


def execute_relation(context: Context, text: str) -> Result:
    """Carry out a statement that stands in parentheses inside another one."""
    statement = parse(text)
    if not isinstance(statement, RELATIONS):
        raise UserError("NOT_A_RELATION", statement=" ".join(text.split()[:3]))
    inner = replace(context, text=text, tokens=tokenize(text))
    return execute(inner, statement)
