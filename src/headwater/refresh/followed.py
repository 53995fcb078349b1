"""Whether a full refresh writes only what differs from the rows that are there."""

from __future__ import annotations

from headwater.refresh.given import given_of
from headwater.refresh.planned import PlannedRefresh
from headwater.runtime.open_lake import OpenLake


def is_followed(planned: PlannedRefresh, lake: OpenLake) -> bool:
    """Whether someone reads the changes of the table, who should see no more than there are.

    Rows that were given values keep them, so of such a table too only what differs is written.
    """
    if planned.dynamic_table.frontier is None:
        return False
    if given_of(planned.dynamic_table):
        return True
    table = planned.table.id
    return bool(lake.store.dynamic_tables.readers_of(table) or lake.store.streams.watching(table))
