"""The table of statements: the role that each is for, and what it needs on which objects.

Invariant: every statement has a line; a test compares it with the handlers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headwater.access import needs_of_statements as of
from headwater.access.code_in_text import role_of_command, role_of_setting
from headwater.access.needs import Need, Reading, on_schema, on_table
from headwater.names import ObjectName
from headwater.sql import (
    alerts,
    alter_table,
    connections,
    copy_into_table,
    copy_into_volume,
    create_dynamic_table,
    create_function,
    create_kafka_table,
    create_materialized_view,
    create_pipe,
    create_stream,
    create_table,
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
    show_load_history,
    show_table_extended,
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
from headwater.sql.privileges import Privilege, Securable
from headwater.sql.roles import Role

_P, _V, _O, _D, _A = Privilege, Role.VIEWER, Role.OPERATOR, Role.DEVELOPER, Role.ADMIN


@dataclass(frozen=True, slots=True)
class Rule:
    """What one kind of statement needs."""

    role: Role | Callable[[Any], Role]
    needs: Callable[[Any], tuple[Need, ...]] = lambda statement: ()
    reads: Callable[[Any], tuple[Reading, ...]] = lambda statement: ()
    about: Callable[[Any], str | None] = lambda statement: None
    """The user whom it is about, who may type it about itself whatever its role."""

    def role_of(self, statement: object, user: str) -> Role:
        """The role a user needs for a statement."""
        if self.about(statement) == user:
            return Role.VIEWER
        return self.role if isinstance(self.role, Role) else self.role(statement)


def _named(
    privilege: Privilege, kind: Securable = Securable.TABLE
) -> Callable[[Any], tuple[Need, ...]]:
    """A privilege on the one object that the statement names."""
    return lambda statement: (Need(privilege, kind, statement.name),)


def _cluster(privilege: Privilege) -> Callable[[Any], tuple[Need, ...]]:
    return lambda statement: (
        Need(privilege, Securable.VCLUSTER, ObjectName(statement.name.upper())),
    )


def _job(privilege: Privilege) -> Callable[[Any], tuple[Need, ...]]:
    return lambda statement: (Need(privilege, Securable.JOB, ObjectName(statement.job_id)),)


def _whole(*writes: Privilege) -> Callable[[Any], tuple[Reading, ...]]:
    return lambda statement: (Reading(statement.text, writes),)


_owned, _seen, _operated = _named(_P.OWNERSHIP), _named(_P.MONITOR), _named(_P.OPERATE)
_shown = Rule(_V)
"""Lists only what may be seen, so it needs nothing."""

REQUIREMENTS: dict[type, Rule] = {
    # An alert sends messages to wherever it was told.
    alerts.CreateAlert: Rule(_A),
    alerts.DropAlert: Rule(_A),
    alerts.ShowAlertEvents: Rule(_O),
    alerts.ShowAlerts: Rule(_O),
    alter_table.AlterTable: Rule(_D, of.altered_table),
    connections.CreateStorageConnection: Rule(of.role_of_connection),
    connections.DescConnection: Rule(_V, _named(_P.MONITOR, Securable.CONNECTION)),
    connections.DropConnection: Rule(_D, _named(_P.OWNERSHIP, Securable.CONNECTION)),
    connections.ShowConnections: _shown,
    copy_into_table.CopyIntoTable: Rule(_O, of.copied_into_table, of.query_of),
    copy_into_volume.CopyIntoVolume: Rule(_O, of.copied_into_volume, of.query_of),
    create_dynamic_table.CreateDynamicTable: Rule(_D, of.made_dynamic_table, of.query_of),
    create_function.CreateFunction: Rule(_D, of.made_function),
    create_kafka_table.CreateKafkaTable: Rule(_D, of.made_kafka_table),
    create_materialized_view.CreateMaterializedView: Rule(
        _D, lambda s: of.made_dynamic_table(s.table), lambda s: of.query_of(s.table)
    ),
    create_pipe.CreatePipe: Rule(_D, of.made_pipe, of.pipe_readings),
    create_stream.CreateTableStream: Rule(_D, of.made_table_stream),
    create_stream.CreateVolumeStream: Rule(_D, of.made_volume_stream),
    create_table.CreateTable: Rule(of.role_of_table, of.made_table, of.query_of),
    describe.DescTable: Rule(_V, _seen),
    dml.Delete: Rule(_O, reads=_whole(_P.DELETE, _P.SELECT)),
    dml.Insert: Rule(_O, of.inserted, of.insert_readings),
    dml.Merge: Rule(_O, of.merged, of.merge_readings),
    dml.Update: Rule(_O, reads=_whole(_P.UPDATE, _P.SELECT)),
    drop.DropTable: Rule(_D, _owned),
    drop.DropView: Rule(_D, _owned),
    drop.TruncateTable: Rule(_O, _named(_P.DELETE)),
    drop.UndropTable: Rule(_D, of.undropped),
    dynamic_tables.AlterDynamicTable: Rule(of.role_of_alter_dynamic, of.altered_dynamic_table),
    dynamic_tables.DropDynamicTable: Rule(_D, _owned),
    dynamic_tables.ExplainCreate: Rule(_D, reads=lambda s: of.query_of(s.create)),
    dynamic_tables.ExplainRefresh: Rule(_V, _seen),
    dynamic_tables.RefreshDynamicTable: Rule(_O, _operated),
    dynamic_tables.ShowDynamicTables: _shown,
    dynamic_tables.ShowRefreshHistory: Rule(
        _V, lambda s: () if s.name is None else (on_table(_P.MONITOR, s.name),)
    ),
    dynamic_tables.VerifyDynamicTable: Rule(_O, _operated),
    functions.DescFunction: Rule(_V, _named(_P.MONITOR, Securable.FUNCTION)),
    functions.DropFunction: Rule(_D, _named(_P.OWNERSHIP, Securable.FUNCTION)),
    functions.ShowUserFunctions: _shown,
    grants.GrantPrivileges: Rule(of.role_of_grant, of.granted),
    grants.RevokePrivileges: Rule(_V, of.granted),
    grants.ShowGrants: Rule(_V, of.shown_grants),
    history.DescHistory: Rule(_V, _seen),
    history.Optimize: Rule(_O, _operated),
    history.RestoreTable: Rule(_D, _owned),
    jobs.CancelJob: Rule(_V, _job(_P.OPERATE)),
    jobs.DescJob: Rule(_V, _job(_P.MONITOR)),
    jobs.ShowJobs: _shown,
    lineage.ShowLineage: Rule(
        _V, lambda s: () if s.name is None else (on_table(_P.MONITOR, s.name),)
    ),
    pipes.AlterPipe: Rule(of.role_of_alter_pipe, of.altered_pipe),
    pipes.DescPipe: Rule(_V, _named(_P.MONITOR, Securable.PIPE)),
    pipes.DropPipe: Rule(_D, _named(_P.OWNERSHIP, Securable.PIPE)),
    pipes.ShowCreatePipe: Rule(_V, _named(_P.MONITOR, Securable.PIPE)),
    pipes.ShowPipes: _shown,
    query.Query: Rule(_V, reads=_whole(_P.SELECT)),
    query.SparkCommand: Rule(lambda s: role_of_command(s.text), reads=_whole(_P.SELECT)),
    schemas.AlterSchema: Rule(_D, lambda s: (on_schema(_P.OWNERSHIP, s.name),)),
    schemas.CreateSchema: Rule(_D),
    schemas.DescSchema: Rule(_V, lambda s: (on_schema(_P.MONITOR, s.name),)),
    schemas.DropSchema: Rule(_D, lambda s: (on_schema(_P.OWNERSHIP, s.name),)),
    schemas.Use: Rule(_V, lambda s: (on_schema(_P.MONITOR, s.name),)),
    settings.Reset: Rule(_V),
    settings.Set: Rule(lambda s: role_of_setting(s.key)),
    settings.ShowSettings: Rule(_V),
    show.ShowColumns: Rule(_V, lambda s: (on_table(_P.MONITOR, s.table),)),
    show.ShowCreateTable: Rule(_V, _seen),
    show.ShowPartitions: Rule(_V, lambda s: (on_table(_P.MONITOR, s.table),)),
    show.ShowSchemas: _shown,
    show.ShowTables: _shown,
    show.ShowTablesHistory: _shown,
    show.ShowViews: _shown,
    show_load_history.ShowLoadHistory: Rule(_V, lambda s: (on_table(_P.MONITOR, s.table),)),
    show_table_extended.ShowTableExtended: _shown,
    streams.DescTableStream: Rule(_V, _seen),
    streams.DropTableStream: Rule(_D, _owned),
    streams.ShowTableStreams: _shown,
    # A task runs with its owner's rights; that nobody else changes it, its handlers see to.
    task_instances.AlterTaskInstance: Rule(_O),
    task_instances.DescTaskInstance: Rule(_O),
    task_instances.RerunTaskInstance: Rule(_O),
    task_instances.ShowTaskInstances: Rule(_O),
    tasks.AlterTask: Rule(of.role_of_alter_task),
    tasks.BackfillTask: Rule(_O),
    tasks.CreateTask: Rule(_D),
    tasks.DescTask: Rule(_O),
    tasks.DropTask: Rule(_D),
    tasks.ExecuteTask: Rule(_O),
    tasks.ShowCreateTask: Rule(_O),
    tasks.ShowTaskVersions: Rule(_O),
    tasks.ShowTasks: Rule(_O),
    tasks.SubmitTask: Rule(_D),
    user_tokens.CreateToken: Rule(_A, about=lambda s: s.user),
    user_tokens.DropToken: Rule(_A, about=lambda s: s.user),
    user_tokens.ShowTokens: _shown,
    users.AlterUser: Rule(_A, about=lambda s: s.name if s.password is not None else None),
    users.CreateUser: Rule(_A),
    users.DropUser: Rule(_A),
    users.ShowAudit: _shown,
    users.ShowRoles: _shown,
    users.ShowUsers: _shown,
    vacuum.Vacuum: Rule(_O, _operated),
    vclusters.AlterVcluster: Rule(of.role_of_alter_vcluster, of.altered_vcluster),
    vclusters.CreateVcluster: Rule(_A),
    vclusters.DescVcluster: Rule(_V, _cluster(_P.MONITOR)),
    vclusters.DropVcluster: Rule(_D, _cluster(_P.OWNERSHIP)),
    vclusters.ShowPreloadStatus: Rule(
        _V, lambda s: () if s.name is None else _cluster(_P.MONITOR)(s)
    ),
    vclusters.ShowVclusters: _shown,
    vclusters.UseVcluster: Rule(_V, _cluster(_P.USE)),
    views.AlterView: Rule(_D, of.altered_view, of.query_of),
    views.CreateView: Rule(_D, of.made_view, of.query_of),
    # GET and PUT reach the files of the machine that runs the lake.
    volume_files.Get: Rule(_A, lambda s: of.files(_P.READ_VOLUME, s)),
    volume_files.ListVolume: Rule(_V, lambda s: of.files(_P.READ_VOLUME, s)),
    volume_files.Put: Rule(_A, lambda s: of.files(_P.WRITE_VOLUME, s)),
    volume_files.Remove: Rule(_O, lambda s: of.files(_P.WRITE_VOLUME, s)),
    volume_files.ShowVolumeDirectory: Rule(_V, lambda s: of.files(_P.READ_VOLUME, s)),
    volumes.AlterVolumeRefresh: Rule(_O, _named(_P.OPERATE, Securable.VOLUME)),
    volumes.CreateExternalVolume: Rule(_D, of.made_external_volume),
    volumes.CreateVolume: Rule(_D, of.made_volume),
    volumes.DescVolume: Rule(_V, _named(_P.MONITOR, Securable.VOLUME)),
    volumes.DropVolume: Rule(_D, _named(_P.OWNERSHIP, Securable.VOLUME)),
    volumes.ShowVolumes: _shown,
}
