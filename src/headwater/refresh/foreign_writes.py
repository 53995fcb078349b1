"""What else than refreshes wrote to a dynamic table: a RESTORE, a backfill, another tool. No Spark.

Law: rows of a partition are taken for those of its last refresh only if no commit since then, but
for refreshes of others, added or removed a file of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from headwater.catalog.dynamic_tables import DynamicTable
from headwater.catalog.objects import Operation, Table, TableVersion
from headwater.catalog.partitions import Partition
from headwater.lake.delta_log.actions import read_actions
from headwater.lake.delta_log.files import LogFiles
from headwater.lake.delta_log.physical_names import physical_names
from headwater.refresh.partitions import holds_file
from headwater.runtime.open_lake import OpenLake

# What a refresh does to the rows, and what changes none of them.
_HARMLESS = frozenset(
    {Operation.REFRESH, Operation.CREATE, Operation.COMPACTION, Operation.ALTER, Operation.UPGRADE}
)


def changed_by(
    lake: OpenLake, dynamic_table: DynamicTable, table: Table, partition: Partition | None
) -> str | None:
    """A version after the last refresh that may have changed rows, in words; None without one."""
    files = lake.log_files(table)
    for version, before in _since(lake, dynamic_table):
        if version.operation in _HARMLESS:
            continue
        if partition is None or _touches(files, table, partition, before, version):
            return f"{version.operation} made version {version.version}"
    return None


def _since(lake: OpenLake, dynamic_table: DynamicTable) -> Iterator[tuple[TableVersion, int]]:
    """The versions since the last refresh, newest first, each with the Delta version before it."""
    refreshed = dynamic_table.delta_version
    versions = lake.store.versions.list(dynamic_table.id)
    for place, version in enumerate(versions):
        if refreshed is not None and version.delta_version <= refreshed:
            return
        older = versions[place + 1].delta_version if place + 1 < len(versions) else -1
        yield version, older


def _touches(
    files: LogFiles, table: Table, partition: Partition, before: int, version: TableVersion
) -> bool:
    """Whether the commits of a version added or removed files of a partition."""
    physical = physical_names(files, table.shape.delta_version)
    for number in range(before + 1, version.delta_version + 1):
        text = files.read_commit(number)
        if text is None:
            return True
        for action in read_actions(text, number, table=files.table):
            body = action.get("add") or action.get("remove")
            if body is None or not body.get("dataChange", True):
                continue
            values = body.get("partitionValues")
            if values is None or holds_file(partition, physical, values):
                return True
    return False
