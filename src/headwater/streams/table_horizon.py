"""The horizon of a table: its own retention, and what its readers still need, as of now."""

from __future__ import annotations

from datetime import timedelta

from headwater.catalog.objects import Table
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.streams.readable import stream_limit
from headwater.streams.vacuum_horizon import Horizon, vacuum_horizon
from headwater.streams.vacuum_needs import vacuum_needs
from headwater.tables.retention import retention_days


def table_horizon(lake: OpenLake, table: Table, *, hours: int | None = None) -> Horizon:
    """For how long replaced files of a table stay; `hours` in the place of its retention."""
    days = timedelta(days=retention_days(lake.config, table))
    return vacuum_horizon(
        vacuum_needs(lake.store, table),
        at=now(),
        retention=days if hours is None else timedelta(hours=hours),
        limit=stream_limit(lake.config, table),
    )
