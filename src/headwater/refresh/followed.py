"""Whether a full refresh writes only what differs from the rows that are there."""

from __future__ import annotations

import math

from headwater.refresh.followers import loss_of
from headwater.refresh.given import given_of
from headwater.refresh.planned import PlannedRefresh
from headwater.runtime.open_lake import OpenLake

_REMEMBERED = 20


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


def loss_to_readers(planned: PlannedRefresh, lake: OpenLake) -> float:
    """The seconds that all who follow the table lose if it is overwritten nevertheless.

    Infinite if they would see more than there is, or rows would lose what they were given.
    """
    dynamic_table, table = planned.dynamic_table, planned.table.id
    frozen = dynamic_table.immutable_where is not None or planned.partition is not None
    if frozen or given_of(dynamic_table) or lake.store.streams.watching(table):
        return math.inf
    return sum(
        loss_of(reader.mode, lake.store.refreshes.list(table_id=reader.id, limit=_REMEMBERED))
        for reader in lake.store.dynamic_tables.readers_of(table)
    )
