"""Making a table ready for streams: its rows get numbers, and Delta remembers what it removed."""

from __future__ import annotations

from headwater.catalog.objects import Table
from headwater.lake.spark_session import SparkConnection
from headwater.runtime.open_lake import OpenLake
from headwater.streams.readable import stream_limit
from headwater.tables.alter import alter, property_steps
from headwater.tables.commits import Author
from headwater.tables.properties import tracks_changes


def is_tracked(lake: OpenLake, table: Table) -> bool:
    """Whether a stream on the table needs nothing more of it."""
    days = stream_limit(lake.config, table).days
    return tracks_changes(table.shape.properties, days=days)


def switch_tracking_on(
    lake: OpenLake, spark: SparkConnection, table: Table, *, author: Author
) -> Table:
    """What ALTER TABLE .. SET PROPERTIES ('change_tracking' = 'true') does: one version."""
    days = lake.config.data_retention_days
    steps = property_steps(table, [("change_tracking", "true")], lake_days=days)
    return alter(lake, spark, table, steps=steps, author=author).table
