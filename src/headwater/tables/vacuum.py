"""Removing the files that no version needs any more, by Delta's VACUUM.

How long files stay is the caller's rule; Delta's own check, and its habit to note a VACUUM in the
log, are switched off for the call, so that no version comes of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from headwater.catalog.objects import Table
from headwater.lake.spark_session import SparkConnection
from headwater.names import quote_identifier
from headwater.runtime.open_lake import OpenLake
from headwater.sql.edits import own_text
from headwater.tables.registration import register_table

_SETTINGS = {
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
    # Else the hours that are asked for are replaced by those of the table's property.
    "spark.databricks.delta.vacuum.retentionWindowIgnore.enabled": "false",
    "spark.databricks.delta.vacuum.logging.enabled": "false",
}


STATE_HOURS = 24
"""A refresh may write a state now and commit much later."""
_NO_STATES: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Removed:
    """How much went."""

    files: int
    bytes: int


def removable_files(
    lake: OpenLake, spark: SparkConnection, table: Table, *, hours: int
) -> list[str]:
    """The files that a VACUUM would remove, by path."""
    result = _vacuum(spark, f"VACUUM {register_table(lake, table)} RETAIN {hours} HOURS DRY RUN")
    return sorted(str(row[0]) for row in result)


def remove_files(
    lake: OpenLake,
    spark: SparkConnection,
    table: Table,
    *,
    hours: int,
    states: Mapping[str, int] = _NO_STATES,
) -> Removed:
    """Remove what was replaced more than so many hours ago; the caller holds the table's lock.

    `states` are the places of what is kept beside it, each with the version that is needed. One
    that is ahead of it was written by a refresh that has not committed, and is to be taken back.
    """
    lake.writer.ensure()
    before = _size(lake, table)
    _vacuum(spark, f"VACUUM {register_table(lake, table)} RETAIN {hours} HOURS")
    for place, version in states.items():
        if spark.version_of(place) == version:
            state = f"delta.{quote_identifier(place)}"
            _vacuum(spark, f"VACUUM {state} RETAIN {max(hours, STATE_HOURS)} HOURS")
    after = _size(lake, table)
    return Removed(before.files - after.files, before.bytes - after.bytes)


def _vacuum(spark: SparkConnection, sql: str) -> list[tuple[object, ...]]:
    before = {key: spark.get(key) for key in _SETTINGS}
    for key, value in _SETTINGS.items():
        spark.set(key, value)
    try:
        return spark.run(own_text(sql)).rows
    finally:
        for key, old in before.items():
            if old is None:
                spark.reset(key)
            else:
                spark.set(key, old)


def _size(lake: OpenLake, table: Table) -> Removed:
    """Files and bytes of a table, without its log and the checksums beside the files."""
    sizes = [
        size
        for path, size in lake.table_folder(table).sizes()
        if not path.rpartition("/")[2].startswith(".")
    ]
    return Removed(len(sizes), sum(sizes))
