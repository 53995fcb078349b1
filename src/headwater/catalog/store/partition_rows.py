"""Frontiers of partitions as rows, and their moves.

Invariant: a frontier never goes back, and none is kept of a partition that lies inside one which
was refreshed later.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from headwater.catalog.dynamic_tables import Frontier, PartitionFrontier
from headwater.catalog.partitions import Partition
from headwater.catalog.store.dynamic_table_model import dynamic_table_partitions, dynamic_tables

_columns = dynamic_table_partitions.c


def partitions_of(connection: Connection, table_id: str) -> tuple[PartitionFrontier, ...]:
    """The partitions of a dynamic table that were refreshed, in the order of their keys."""
    query = select(dynamic_table_partitions).where(_columns.dynamic_table_id == table_id)
    return tuple(
        PartitionFrontier(
            Partition.from_key(row.partition),
            Frontier.from_dict(row.frontier),
            row.refresh_number,
            row.frontier_version,
        )
        for row in connection.execute(query.order_by(_columns.partition))
    )


def move_partition(
    connection: Connection,
    table_id: str,
    partition: Partition,
    frontier: Frontier,
    *,
    number: int,
    delta_version: int | None,
) -> None:
    """Moves the frontier of a partition, unless a refresh with that number or a later one did.

    Without a Delta version, nothing was written: the rows are still those of the last one.
    """
    known = {found.partition: found for found in partitions_of(connection, table_id)}
    # A refresh of a partition around it that came later has counted it.
    later = [one for one in known.values() if one.partition.holds(partition)]
    if any(one.number >= number for one in later):
        return
    before = known.get(partition)
    values: dict[str, Any] = {"frontier": frontier.to_dict(), "refresh_number": number}
    if delta_version is not None:
        values["frontier_version"] = delta_version
        _forget(connection, table_id, [one for one in known if partition.holds(one)])
        before = None
    if before is not None:
        own = _columns.dynamic_table_id == table_id, _columns.partition == partition.key
        connection.execute(update(dynamic_table_partitions).where(*own).values(values))
    elif delta_version is not None:
        names = {"dynamic_table_id": table_id, "partition": partition.key}
        connection.execute(insert(dynamic_table_partitions).values(names | values))
    _count(connection, table_id, number)


def forget_partitions(connection: Connection, table_id: str) -> None:
    """Forgets all: the table was refreshed as a whole, or has other columns."""
    own = _columns.dynamic_table_id == table_id
    connection.execute(delete(dynamic_table_partitions).where(own))


def _forget(connection: Connection, table_id: str, partitions: list[Partition]) -> None:
    keys = [partition.key for partition in partitions]
    own = _columns.dynamic_table_id == table_id, _columns.partition.in_(keys)
    connection.execute(delete(dynamic_table_partitions).where(*own))


def _count(connection: Connection, table_id: str, number: int) -> None:
    """The table as a whole has no frontier any more; its numbers go on."""
    own = dynamic_tables.c.table_id == table_id
    connection.execute(
        update(dynamic_tables).where(own).values({"frontier": None, "frontier_version": None})
    )
    later = dynamic_tables.c.refresh_number < number
    connection.execute(update(dynamic_tables).where(own, later).values(refresh_number=number))
