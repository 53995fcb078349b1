"""The table of statements: from leading words to the parser that reads on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from headwater.sql.alerts import (
    parse_create_alert,
    parse_drop_alert,
    parse_show_alert_events,
    parse_show_alerts,
)
from headwater.sql.alter_table import parse_alter_table
from headwater.sql.connections import (
    parse_create_storage_connection,
    parse_desc_connection,
    parse_drop_connection,
    parse_show_connections,
)
from headwater.sql.copy_into_volume import parse_copy
from headwater.sql.create_dynamic_table import parse_create_dynamic_table
from headwater.sql.create_function import parse_create_function
from headwater.sql.create_kafka_table import parse_create_kafka_table
from headwater.sql.create_materialized_view import parse_create_materialized_view
from headwater.sql.create_pipe import parse_create_pipe
from headwater.sql.create_stream import parse_create_stream, parse_create_table_stream
from headwater.sql.create_table import parse_create_table
from headwater.sql.create_volume import parse_create_volume
from headwater.sql.cursor import Cursor
from headwater.sql.describe import parse_desc_schema, parse_desc_table
from headwater.sql.dml import parse_delete, parse_insert, parse_merge, parse_update
from headwater.sql.drop import (
    parse_drop_table,
    parse_drop_view,
    parse_truncate_table,
    parse_undrop_table,
)
from headwater.sql.dynamic_tables import (
    parse_alter_dynamic_table,
    parse_drop_dynamic_table,
    parse_explain_create,
    parse_explain_refresh,
    parse_refresh_dynamic_table,
    parse_show_dynamic_tables,
    parse_show_refresh_history,
    parse_verify_dynamic_table,
)
from headwater.sql.functions import (
    parse_desc_function,
    parse_drop_function,
    parse_show_user_functions,
)
from headwater.sql.grants import parse_grant, parse_revoke, parse_show_grants
from headwater.sql.history import parse_desc_history, parse_optimize, parse_restore_table
from headwater.sql.jobs import parse_cancel_job, parse_desc_job, parse_show_jobs
from headwater.sql.lineage import parse_show_lineage
from headwater.sql.pipes import (
    parse_alter_pipe,
    parse_desc_pipe,
    parse_drop_pipe,
    parse_show_create_pipe,
    parse_show_pipes,
)
from headwater.sql.query import parse_explain, parse_query
from headwater.sql.schemas import (
    parse_alter_schema,
    parse_create_schema,
    parse_drop_schema,
    parse_use,
)
from headwater.sql.settings import parse_reset, parse_set
from headwater.sql.show import (
    parse_show_columns,
    parse_show_create_table,
    parse_show_partitions,
    parse_show_schemas,
    parse_show_tables,
    parse_show_views,
)
from headwater.sql.show_load_history import parse_show_load_history
from headwater.sql.show_table_extended import parse_show_table_extended
from headwater.sql.streams import (
    parse_desc_table_stream,
    parse_drop_stream,
    parse_drop_table_stream,
    parse_show_table_streams,
)
from headwater.sql.task_instances import (
    parse_alter_task_instance,
    parse_desc_task_instance,
    parse_rerun_task_instance,
    parse_show_task_instances,
)
from headwater.sql.tasks import (
    parse_alter_task,
    parse_backfill_task,
    parse_create_task,
    parse_desc_task,
    parse_drop_task,
    parse_execute_task,
    parse_show_create_task,
    parse_show_task_versions,
    parse_show_tasks,
    parse_submit_task,
)
from headwater.sql.user_tokens import parse_create_token, parse_drop_token, parse_show_tokens
from headwater.sql.users import (
    parse_alter_user,
    parse_create_user,
    parse_drop_user,
    parse_show_audit,
    parse_show_roles,
    parse_show_users,
)
from headwater.sql.vacuum import parse_vacuum
from headwater.sql.vclusters import (
    parse_alter_vcluster,
    parse_create_vcluster,
    parse_desc_vcluster,
    parse_drop_vcluster,
    parse_show_preload_status,
    parse_show_vclusters,
    parse_use_vcluster,
)
from headwater.sql.views import parse_alter_view, parse_create_view
from headwater.sql.volume_files import (
    parse_get,
    parse_list,
    parse_put,
    parse_remove,
    parse_show_volume_directory,
)
from headwater.sql.volumes import (
    parse_alter_volume,
    parse_desc_volume,
    parse_drop_volume,
    parse_show_volumes,
)


class Statement(Protocol):
    """Every statement is a frozen dataclass that can be written back."""

    def to_sql(self) -> str:
        """The statement as text."""
        ...


Parser = Callable[[Cursor], Statement]

# The longest match wins, so `DESC HISTORY` comes before `DESC` without any order here.
PARSERS: dict[str, Parser] = {
    "ALTER DATABASE": parse_alter_schema,
    "ALTER DYNAMIC TABLE": parse_alter_dynamic_table,
    "ALTER MATERIALIZED VIEW": parse_alter_dynamic_table,
    "ALTER PIPE": parse_alter_pipe,
    "ALTER SCHEMA": parse_alter_schema,
    "ALTER TABLE": parse_alter_table,
    "ALTER USER": parse_alter_user,
    "ALTER TASK": parse_alter_task,
    "ALTER TASK INSTANCE": parse_alter_task_instance,
    "ALTER VCLUSTER": parse_alter_vcluster,
    "ALTER VIEW": parse_alter_view,
    "ALTER VOLUME": parse_alter_volume,
    "BACKFILL TASK": parse_backfill_task,
    "CANCEL JOB": parse_cancel_job,
    "COPY": parse_copy,
    "CREATE ALERT": parse_create_alert,
    "CREATE DATABASE": parse_create_schema,
    "CREATE DYNAMIC TABLE": parse_create_dynamic_table,
    "CREATE EXTERNAL TABLE": parse_create_kafka_table,
    "CREATE EXTERNAL VOLUME": parse_create_volume,
    "CREATE FUNCTION": parse_create_function,
    "CREATE IF NOT EXISTS DYNAMIC TABLE": parse_create_dynamic_table,
    "CREATE IF NOT EXISTS MATERIALIZED VIEW": parse_create_materialized_view,
    "CREATE MATERIALIZED VIEW": parse_create_materialized_view,
    "CREATE OR REPLACE ALERT": parse_create_alert,
    "CREATE OR REPLACE DYNAMIC TABLE": parse_create_dynamic_table,
    "CREATE OR REPLACE EXTERNAL VOLUME": parse_create_volume,
    "CREATE OR REPLACE FUNCTION": parse_create_function,
    "CREATE OR REPLACE MATERIALIZED VIEW": parse_create_materialized_view,
    "CREATE OR REPLACE STREAM": parse_create_stream,
    "CREATE OR REPLACE TABLE": parse_create_table,
    "CREATE OR REPLACE TABLE STREAM": parse_create_table_stream,
    "CREATE OR REPLACE TASK": parse_create_task,
    "CREATE OR REPLACE VIEW": parse_create_view,
    "CREATE OR REPLACE VOLUME": parse_create_volume,
    "CREATE PIPE": parse_create_pipe,
    "CREATE SCHEMA": parse_create_schema,
    "CREATE STORAGE CONNECTION": parse_create_storage_connection,
    "CREATE STREAM": parse_create_stream,
    "CREATE TABLE": parse_create_table,
    "CREATE TABLE STREAM": parse_create_table_stream,
    "CREATE TOKEN": parse_create_token,
    "CREATE USER": parse_create_user,
    "CREATE TASK": parse_create_task,
    "CREATE VCLUSTER": parse_create_vcluster,
    "CREATE VIEW": parse_create_view,
    "CREATE VOLUME": parse_create_volume,
    "DELETE": parse_delete,
    "DESC": parse_desc_table,
    "DESC CONNECTION": parse_desc_connection,
    "DESC DATABASE": parse_desc_schema,
    "DESC DYNAMIC TABLE": parse_desc_table,
    "DESC FUNCTION": parse_desc_function,
    "DESC HISTORY": parse_desc_history,
    "DESC JOB": parse_desc_job,
    "DESC MATERIALIZED VIEW": parse_desc_table,
    "DESC PIPE": parse_desc_pipe,
    "DESC SCHEMA": parse_desc_schema,
    "DESC STREAM": parse_desc_table_stream,
    "DESC TABLE STREAM": parse_desc_table_stream,
    "DESC TASK": parse_desc_task,
    "DESC TASK INSTANCE": parse_desc_task_instance,
    "DESC VCLUSTER": parse_desc_vcluster,
    "DESC VOLUME": parse_desc_volume,
    "DROP ALERT": parse_drop_alert,
    "DROP CONNECTION": parse_drop_connection,
    "DROP DATABASE": parse_drop_schema,
    "DROP DYNAMIC TABLE": parse_drop_dynamic_table,
    "DROP FUNCTION": parse_drop_function,
    "DROP MATERIALIZED VIEW": parse_drop_dynamic_table,
    "DROP PIPE": parse_drop_pipe,
    "DROP SCHEMA": parse_drop_schema,
    "DROP STREAM": parse_drop_stream,
    "DROP TABLE": parse_drop_table,
    "DROP TABLE STREAM": parse_drop_table_stream,
    "DROP TOKEN": parse_drop_token,
    "DROP USER": parse_drop_user,
    "DROP TASK": parse_drop_task,
    "DROP VCLUSTER": parse_drop_vcluster,
    "DROP VIEW": parse_drop_view,
    "DROP VOLUME": parse_drop_volume,
    "EXECUTE TASK": parse_execute_task,
    "EXPLAIN": parse_explain,
    "EXPLAIN CREATE DYNAMIC TABLE": parse_explain_create,
    "EXPLAIN CREATE MATERIALIZED VIEW": parse_explain_create,
    "EXPLAIN CREATE OR REPLACE DYNAMIC TABLE": parse_explain_create,
    "EXPLAIN FORMAT JSON CREATE DYNAMIC TABLE": parse_explain_create,
    "EXPLAIN FORMAT JSON CREATE MATERIALIZED VIEW": parse_explain_create,
    "EXPLAIN FORMAT JSON CREATE OR REPLACE DYNAMIC TABLE": parse_explain_create,
    "EXPLAIN FORMAT JSON REFRESH DYNAMIC TABLE": parse_explain_refresh,
    "EXPLAIN FORMAT JSON REFRESH MATERIALIZED VIEW": parse_explain_refresh,
    "EXPLAIN REFRESH DYNAMIC TABLE": parse_explain_refresh,
    "EXPLAIN REFRESH MATERIALIZED VIEW": parse_explain_refresh,
    "FROM": parse_query,
    "GET": parse_get,
    "GRANT": parse_grant,
    "INSERT": parse_insert,
    "LIST": parse_list,
    "MERGE": parse_merge,
    "OPTIMIZE": parse_optimize,
    "PUT": parse_put,
    "REFRESH DYNAMIC TABLE": parse_refresh_dynamic_table,
    "REFRESH MATERIALIZED VIEW": parse_refresh_dynamic_table,
    "REMOVE": parse_remove,
    "RERUN TASK INSTANCE": parse_rerun_task_instance,
    "RESET": parse_reset,
    "RESTORE": parse_restore_table,
    "REVOKE": parse_revoke,
    "REVOKE TOKEN": parse_drop_token,
    "SELECT": parse_query,
    "SET": parse_set,
    "SHOW ALERT EVENTS": parse_show_alert_events,
    "SHOW ALERTS": parse_show_alerts,
    "SHOW COLUMNS": parse_show_columns,
    "SHOW CONNECTIONS": parse_show_connections,
    "SHOW CREATE": parse_show_create_table,
    "SHOW CREATE PIPE": parse_show_create_pipe,
    "SHOW CREATE TASK": parse_show_create_task,
    "SHOW DATABASES": parse_show_schemas,
    "SHOW DYNAMIC TABLE REFRESH HISTORY": parse_show_refresh_history,
    "SHOW DYNAMIC TABLES": parse_show_dynamic_tables,
    "SHOW GRANTS": parse_show_grants,
    "SHOW JOBS": parse_show_jobs,
    "SHOW LINEAGE": parse_show_lineage,
    "SHOW LOAD HISTORY": parse_show_load_history,
    "SHOW MATERIALIZED VIEW REFRESH HISTORY": parse_show_refresh_history,
    "SHOW MATERIALIZED VIEWS": parse_show_dynamic_tables,
    "SHOW PARTITIONS": parse_show_partitions,
    "SHOW PIPES": parse_show_pipes,
    "SHOW PRELOAD": parse_show_preload_status,
    "SHOW SCHEMAS": parse_show_schemas,
    "SHOW STREAMS": parse_show_table_streams,
    "SHOW TABLE EXTENDED": parse_show_table_extended,
    "SHOW TABLE STREAMS": parse_show_table_streams,
    "SHOW TABLE VOLUME DIRECTORY": parse_show_volume_directory,
    "SHOW TABLES": parse_show_tables,
    "SHOW TOKENS": parse_show_tokens,
    "SHOW TASK INSTANCES": parse_show_task_instances,
    "SHOW TASK VERSIONS": parse_show_task_versions,
    "SHOW TASKS": parse_show_tasks,
    "SHOW USER FUNCTIONS": parse_show_user_functions,
    "SHOW USER VOLUME DIRECTORY": parse_show_volume_directory,
    "SHOW USERS": parse_show_users,
    "SHOW AUDIT": parse_show_audit,
    "SHOW ROLES": parse_show_roles,
    "SHOW VCLUSTER": parse_show_preload_status,
    "SHOW VCLUSTERS": parse_show_vclusters,
    "SHOW VIEWS": parse_show_views,
    "SHOW VOLUME DIRECTORY": parse_show_volume_directory,
    "SHOW VOLUMES": parse_show_volumes,
    "SUBMIT TASK": parse_submit_task,
    "TABLE": parse_query,
    "TRUNCATE": parse_truncate_table,
    "UNDROP": parse_undrop_table,
    "UPDATE": parse_update,
    "USE": parse_use,
    "USE VCLUSTER": parse_use_vcluster,
    "VACUUM": parse_vacuum,
    "VALUES": parse_query,
    "VERIFY DYNAMIC TABLE": parse_verify_dynamic_table,
    "VERIFY MATERIALIZED VIEW": parse_verify_dynamic_table,
    "WITH": parse_query,
}
