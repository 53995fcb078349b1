"""Needs of those statements that need more than one privilege on the one object they name."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from headwater.access.needs import (
    Need,
    Reading,
    in_schema,
    made,
    on_schema,
    on_table,
    on_volume,
    use_cluster,
)
from headwater.names import ObjectName
from headwater.sql.alter_table import AlterTable, RenameTo
from headwater.sql.connection_keys import ConnectionType
from headwater.sql.connections import CreateStorageConnection
from headwater.sql.copy_into_table import CopyIntoTable
from headwater.sql.copy_into_volume import CopyIntoVolume
from headwater.sql.create_dynamic_table import CreateDynamicTable
from headwater.sql.create_function import CreateFunction
from headwater.sql.create_kafka_table import CreateKafkaTable
from headwater.sql.create_pipe import CreatePipe
from headwater.sql.create_stream import CreateTableStream, CreateVolumeStream
from headwater.sql.create_table import CreateTable
from headwater.sql.dml import Insert, Merge
from headwater.sql.drop import UndropTable
from headwater.sql.dynamic_tables import (
    AlterDynamicTable,
    SetMode,
    SetRefresh,
    SetTargetLag,
    Suspend,
    UnsetSchedule,
)
from headwater.sql.grants import GrantedObject, GrantPrivileges, RevokePrivileges, ShowGrants
from headwater.sql.pipes import AlterPipe, SetPipeProperty
from headwater.sql.privileges import Privilege, Securable
from headwater.sql.roles import Role
from headwater.sql.tasks import AlterTask, ChangeTask
from headwater.sql.tokens import tokenize
from headwater.sql.vclusters import AlterVcluster, SetCluster
from headwater.sql.views import AlterView, CreateView
from headwater.sql.volumes import CreateExternalVolume, CreateVolume

_P = Privilege
_SCHEDULING = (Suspend, SetRefresh, SetTargetLag, UnsetSchedule, SetMode)
_MERGED = (_P.INSERT, _P.UPDATE, _P.DELETE)


def query_of(statement: Any) -> tuple[Reading, ...]:
    """The query that the statement holds, if it does."""
    return () if statement.query is None else (Reading(statement.query),)


def files(privilege: Privilege, statement: Any) -> tuple[Need, ...]:
    """A privilege on the volume that the statement names."""
    return on_volume(privilege, statement.volume)


def role_of_table(statement: CreateTable) -> Role:
    """LOCATION reaches any folder that the process may read."""
    return Role.DEVELOPER if statement.location is None else Role.ADMIN


def made_table(statement: CreateTable) -> tuple[Need, ...]:
    """CREATE TABLE; LIKE reads no rows, but all there is to know of the columns."""
    needs = made(_P.CREATE_TABLE, Securable.TABLE, statement.name, replaces=statement.or_replace)
    return needs if statement.like is None else (*needs, on_table(_P.SELECT, statement.like))


def made_view(statement: CreateView) -> tuple[Need, ...]:
    """CREATE VIEW."""
    return made(_P.CREATE_VIEW, Securable.TABLE, statement.name, replaces=statement.or_replace)


def altered_view(statement: AlterView) -> tuple[Need, ...]:
    """ALTER VIEW; what is renamed into another schema is made there."""
    return _renamed(_P.CREATE_VIEW, statement.name, statement.rename_to)


def altered_table(statement: AlterTable) -> tuple[Need, ...]:
    """ALTER TABLE."""
    to = statement.action.name if isinstance(statement.action, RenameTo) else None
    return _renamed(_P.CREATE_TABLE, statement.name, to)


def _renamed(create: Privilege, name: ObjectName, to: ObjectName | None) -> tuple[Need, ...]:
    owned = on_table(_P.OWNERSHIP, name)
    return (owned,) if to is None else (owned, in_schema(create, to))


def made_dynamic_table(statement: CreateDynamicTable) -> tuple[Need, ...]:
    """CREATE DYNAMIC TABLE and CREATE MATERIALIZED VIEW."""
    vcluster = statement.refresh.vcluster if statement.refresh is not None else None
    needs = made(
        _P.CREATE_DYNAMIC_TABLE, Securable.TABLE, statement.name, replaces=statement.or_replace
    )
    return (*needs, *use_cluster(vcluster))


def role_of_alter_dynamic(statement: AlterDynamicTable) -> Role:
    """When it is refreshed is for operators, what it is for who made it."""
    scheduling = isinstance(statement.action, _SCHEDULING)
    return Role.OPERATOR if scheduling else Role.DEVELOPER


def altered_dynamic_table(statement: AlterDynamicTable) -> tuple[Need, ...]:
    """ALTER DYNAMIC TABLE."""
    action = statement.action
    if isinstance(action, _SCHEDULING):
        vcluster = action.clause.vcluster if isinstance(action, SetRefresh) else None
        return (on_table(_P.OPERATE, statement.name), *use_cluster(vcluster))
    to = action.name if isinstance(action, RenameTo) else None
    return _renamed(_P.CREATE_DYNAMIC_TABLE, statement.name, to)


def made_function(statement: CreateFunction) -> tuple[Need, ...]:
    """CREATE FUNCTION."""
    kind = Securable.FUNCTION
    return made(_P.CREATE_FUNCTION, kind, statement.name, replaces=statement.or_replace)


def made_kafka_table(statement: CreateKafkaTable) -> tuple[Need, ...]:
    """CREATE EXTERNAL TABLE over a connection."""
    use = Need(_P.USE, Securable.CONNECTION, statement.connection)
    return (in_schema(_P.CREATE_TABLE, statement.name), use)


def made_table_stream(statement: CreateTableStream) -> tuple[Need, ...]:
    """CREATE TABLE STREAM: who reads the stream reads the table's rows."""
    replaces = statement.or_replace
    needs = made(_P.CREATE_STREAM, Securable.TABLE, statement.name, replaces=replaces)
    return (*needs, on_table(_P.SELECT, statement.table))


def made_volume_stream(statement: CreateVolumeStream) -> tuple[Need, ...]:
    """CREATE STREAM on a volume."""
    replaces = statement.or_replace
    needs = made(_P.CREATE_STREAM, Securable.TABLE, statement.name, replaces=replaces)
    return (*needs, Need(_P.READ_VOLUME, Securable.VOLUME, statement.volume))


def made_volume(statement: CreateVolume) -> tuple[Need, ...]:
    """CREATE VOLUME."""
    kind = Securable.VOLUME
    return made(_P.CREATE_VOLUME, kind, statement.name, replaces=statement.or_replace)


def made_external_volume(statement: CreateExternalVolume) -> tuple[Need, ...]:
    """CREATE EXTERNAL VOLUME: with the keys of a connection come its buckets."""
    kind, replaces = Securable.VOLUME, statement.or_replace
    needs = made(_P.CREATE_VOLUME, kind, statement.name, replaces=replaces)
    told = statement.notification
    cluster = use_cluster(told.virtual_cluster if told is not None else None)
    return (*needs, Need(_P.USE, Securable.CONNECTION, statement.connection), *cluster)


def role_of_connection(statement: CreateStorageConnection) -> Role:
    """One that needs no keys reaches what the process itself reaches."""
    keyless = statement.type in (ConnectionType.FILE, ConnectionType.HDFS)
    return Role.ADMIN if keyless else Role.DEVELOPER


def made_pipe(statement: CreatePipe) -> tuple[Need, ...]:
    """CREATE PIPE: what it does for ever its owner must be able to do once."""
    inner = statement.statement
    needs = (
        in_schema(_P.CREATE_PIPE, statement.name),
        *use_cluster(statement.properties.virtual_cluster),
    )
    if isinstance(inner, CopyIntoTable):
        return (*needs, *copied_into_table(inner))
    return (*needs, *(inserted(inner) if isinstance(inner, Insert) else merged(inner)))


def pipe_readings(statement: CreatePipe) -> tuple[Reading, ...]:
    """What the statement of a pipe reads."""
    inner = statement.statement
    if isinstance(inner, CopyIntoTable):
        return query_of(inner)
    return insert_readings(inner) if isinstance(inner, Insert) else merge_readings(inner)


def role_of_alter_pipe(statement: AlterPipe) -> Role:
    """All but properties is for operators."""
    return Role.DEVELOPER if isinstance(statement.action, SetPipeProperty) else Role.OPERATOR


def role_of_alter_task(statement: AlterTask) -> Role:
    """PAUSE, RESUME and OFFLINE are for operators."""
    return Role.OPERATOR if isinstance(statement.action, ChangeTask) else Role.DEVELOPER


def altered_pipe(statement: AlterPipe) -> tuple[Need, ...]:
    """ALTER PIPE."""
    changes = isinstance(statement.action, SetPipeProperty)
    privilege = _P.OWNERSHIP if changes else _P.OPERATE
    needs = (Need(privilege, Securable.PIPE, statement.name),)
    action = statement.action
    if isinstance(action, SetPipeProperty) and action.key.upper() == "VIRTUAL_CLUSTER":
        return (*needs, *use_cluster(action.value))
    return needs


def role_of_alter_vcluster(statement: AlterVcluster) -> Role:
    """RESUME, SUSPEND and CANCEL are for operators."""
    return Role.DEVELOPER if isinstance(statement.action, SetCluster) else Role.OPERATOR


def altered_vcluster(statement: AlterVcluster) -> tuple[Need, ...]:
    """ALTER VCLUSTER."""
    privilege = _P.OWNERSHIP if isinstance(statement.action, SetCluster) else _P.OPERATE
    return (Need(privilege, Securable.VCLUSTER, ObjectName(statement.name.upper())),)


def copied_into_table(statement: CopyIntoTable) -> tuple[Need, ...]:
    """COPY INTO a table; PURGE deletes files, OVERWRITE rows."""
    needs = [on_table(_P.INSERT, statement.target)]
    if statement.overwrite:
        needs.append(on_table(_P.DELETE, statement.target))
    if statement.source is not None:
        needs += on_volume(_P.READ_VOLUME, statement.source.volume)
        if statement.purge:
            needs += on_volume(_P.WRITE_VOLUME, statement.source.volume)
    return tuple(needs)


def copied_into_volume(statement: CopyIntoVolume) -> tuple[Need, ...]:
    """COPY INTO a volume."""
    needs = on_volume(_P.WRITE_VOLUME, statement.volume)
    if statement.table is not None:
        return (*needs, on_table(_P.SELECT, statement.table))
    return needs


def inserted(statement: Insert) -> tuple[Need, ...]:
    """INSERT: on the target that the parser sees; `insert_readings` finds all of them."""
    return tuple(on_table(p, statement.target) for p in _inserting(statement))


def insert_readings(statement: Insert) -> tuple[Reading, ...]:
    """INSERT may have several targets: FROM s INSERT INTO t .. INSERT OVERWRITE u .."""
    return (Reading(statement.text, _inserting(statement)),)


def _inserting(statement: Insert) -> tuple[Privilege, ...]:
    words = {token.upper for token in tokenize(statement.text)}
    # REPLACE WHERE takes rows away, too.
    removes = statement.overwrite or bool(words & {"OVERWRITE", "REPLACE"})
    return (_P.INSERT, _P.DELETE) if removes else (_P.INSERT,)


def merged(statement: Merge) -> tuple[Need, ...]:
    """MERGE: on its target."""
    return tuple(on_table(p, statement.target) for p in _merging(statement))


def merge_readings(statement: Merge) -> tuple[Reading, ...]:
    """MERGE reads its target's rows to compare them."""
    return (Reading(statement.text, _merging(statement)),)


def _merging(statement: Merge) -> tuple[Privilege, ...]:
    words = [token.upper for token in tokenize(statement.text)]
    done = {after for word, after in pairwise(words) if word == "THEN"}
    return (_P.SELECT, *(privilege for privilege in _MERGED if privilege in done))


def undropped(statement: UndropTable) -> tuple[Need, ...]:
    """UNDROP: the table comes back into its schema."""
    owned = Need(_P.OWNERSHIP, Securable.TABLE, statement.name, dropped=True)
    return (owned, in_schema(_P.CREATE_TABLE, statement.name))


def role_of_grant(statement: GrantPrivileges) -> Role:
    """Who gives an object away lends it the rights of somebody else, so admins do that."""
    return Role.ADMIN if _P.OWNERSHIP in statement.privileges else Role.VIEWER


def granted(statement: GrantPrivileges | RevokePrivileges) -> tuple[Need, ...]:
    """GRANT and REVOKE: each privilege, to pass it on."""
    return tuple(_on(statement.on, p, to_grant=True) for p in statement.privileges)


def shown_grants(statement: ShowGrants) -> tuple[Need, ...]:
    """SHOW GRANTS ON an object."""
    return () if statement.on is None else (_on(statement.on, _P.MONITOR),)


def _on(on: GrantedObject, privilege: Privilege, *, to_grant: bool = False) -> Need:
    if on.kind is Securable.SCHEMA:
        schema = on_schema(privilege, on.name)
        return Need(privilege, Securable.SCHEMA, schema.name, to_grant=to_grant)
    name = ObjectName(on.name.name.upper()) if on.kind is Securable.VCLUSTER else on.name
    return Need(privilege, on.kind, name, to_grant=to_grant)
