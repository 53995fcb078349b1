"""What upkeep has to know of a table: its files, their ages, and who wrote it. No Spark."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from headwater.catalog.objects import Operation, Table, TableKind
from headwater.catalog.partitions import Partition
from headwater.lake.commits.stored_table import read_stored_table
from headwater.lake.delta_log.actions import commit_timestamp, read_actions
from headwater.lake.delta_log.files import LogFiles
from headwater.lake.delta_log.physical_names import physical_names
from headwater.runtime.open_lake import OpenLake
from headwater.sql.vcluster_properties import ClusterType
from headwater.upkeep.lifetimes import Part
from headwater.upkeep.small_files import Place

_CHANGES_NO_ROW = frozenset({Operation.COMPACTION, Operation.ALTER, Operation.UPGRADE})
_LOOKED_AT = 20
"""How many versions back a writer is looked for."""


def file_sizes(lake: OpenLake, table: Table) -> list[tuple[Place, int]]:
    """The partition and the size of each live file."""
    files = lake.log_files(table)
    stored = read_stored_table(files, table.shape.delta_version)
    return [(_place(file), int(file.get("size") or 0)) for file in stored.files]


def is_compacted(lake: OpenLake, table: Table) -> bool:
    """Whether the rows of a table came through a cluster that compacts: GENERAL ones do.

    What another tool wrote came through none and is compacted too.
    """
    for version in lake.store.versions.list(table.id, limit=_LOOKED_AT):
        if version.operation in _CHANGES_NO_ROW:
            continue
        job = None if version.job_id is None else lake.store.jobs.get(version.job_id)
        return job is None or is_general(lake, job.workspace, job.vcluster)
    return True


def is_general(lake: OpenLake, workspace: str, cluster: str) -> bool:
    """Whether a virtual cluster is a GENERAL one; one that is gone is taken for one."""
    found = lake.store.vclusters.get(workspace, cluster)
    return found is None or found.properties.type is ClusterType.GENERAL


def parts_of(lake: OpenLake, table: Table) -> list[Part]:
    """The partitions of a table, or the table, each with the time of its last change."""
    if table.shape.partition_columns:
        return [_refreshed(lake, table, part) for part in _partitions(lake, table)]
    changed = [
        version.committed_at
        for version in lake.store.versions.list(table.id)
        if version.operation not in _CHANGES_NO_ROW
    ]
    return [_refreshed(lake, table, Part((), max(changed, default=table.created_at)))]


def _refreshed(lake: OpenLake, table: Table, part: Part) -> Part:
    """The part of a dynamic table, which was right when it was last refreshed."""
    dynamic = lake.store.dynamic_tables.by_id(table.id) if _is_dynamic(table) else None
    if dynamic is None:
        return part
    times = [part.changed_at]
    if dynamic.frontier is not None:
        times.append(dynamic.frontier.at)
    own = Partition(part.place)
    known = lake.store.dynamic_tables.partitions(table.id)
    times += [one.frontier.at for one in known if one.partition.holds(own)]
    return Part(part.place, max(times))


def _is_dynamic(table: Table) -> bool:
    return table.kind is TableKind.DYNAMIC


def _partitions(lake: OpenLake, table: Table) -> Iterator[Part]:
    """The partitions that have files.

    A compaction gives a file a new time, so what counts is the last commit of the log that says it
    changed rows there. Where the log does not reach back far enough, it was before its beginning.
    """
    files, version = lake.log_files(table), table.shape.delta_version
    logical = {there: own for own, there in physical_names(files, version).items()}
    touched, beginning = _touched(files, version)
    written: dict[Place, datetime] = {}
    for file in read_stored_table(files, version).files:
        place, at = _place(file), _time(int(file.get("modificationTime") or 0))
        written[place] = max(written.get(place, at), at)
    for place, at in written.items():
        changed = touched.get(place) or (at if beginning is None else min(at, beginning))
        yield Part(_ordered(table, {logical[name]: value for name, value in place}), changed)


def _touched(files: LogFiles, last: int) -> tuple[dict[Place, datetime], datetime | None]:
    """When rows of each partition last changed, and when the log begins."""
    found: dict[Place, datetime] = {}
    beginning = None
    for version in files.list_commits():
        text = files.read_commit(version) if version <= last else None
        if text is None:
            continue
        stated = commit_timestamp(text)
        at = _time(stated if stated is not None else files.modified_ms(version) or 0)
        beginning = beginning or at
        for action in read_actions(text, version, table=files.table):
            body = action.get("add") or action.get("remove")
            if body is not None and body.get("dataChange", True):
                found[_place(body)] = at
    return found, beginning


def _ordered(table: Table, values: dict[str, str | None]) -> Place:
    return tuple((name, values[name]) for name in table.shape.partition_columns)


def _place(body: Any) -> Place:
    """The partition of a file; Delta takes an empty text for NULL."""
    values = body.get("partitionValues") or {}
    return tuple(sorted((name, value or None) for name, value in values.items()))


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
