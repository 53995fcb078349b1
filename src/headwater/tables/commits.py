"""Committing to a table: under its lock, with the lease, stamped, and recorded afterwards.

The lease is asked for before the work, and once more by Delta's commit itself (`stamped`): who
stood still meanwhile, and was taken over from, commits nothing.

The stamp in the Delta commit names the job. If this process dies between the commit and the
recording, whoever looks next finds the stamp and records the version as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from headwater.catalog.dynamic_tables import RefreshMark
from headwater.catalog.objects import Operation, Table, TableVersion
from headwater.catalog.streams import StreamMove
from headwater.errors import SchemaError, TransientError
from headwater.lake.delta_log.stamp import BatchMark, Stamp
from headwater.lake.spark_session import SparkConnection
from headwater.runtime.failpoints import reach
from headwater.runtime.open_lake import OpenLake
from headwater.tables.consumption import consuming
from headwater.tables.versions import catch_up


@dataclass(frozen=True, slots=True)
class Author:
    """Who commits: the job and its user; for a pipe also which of its batches.

    `consumed` are the streams that the statement reads. `refresh` is the refresh of a dynamic table
    that it carries out.
    """

    job_id: str
    user: str
    batch: BatchMark | None = None
    consumed: tuple[StreamMove, ...] = ()
    refresh: RefreshMark | None = None
    only_at: int | None = None
    """The Delta version on which the statement was decided; on another it commits nothing."""


@dataclass(frozen=True, slots=True)
class Committed:
    """What came of it; `version` is None when the statement committed nothing."""

    table: Table
    version: TableVersion | None


def stamp(lake: OpenLake, author: Author, operation: Operation) -> Stamp:
    """The note for Delta commits, after making sure that this process may write."""
    return Stamp(
        author.job_id,
        operation.value,
        author.user,
        lake.writer.ensure(),
        author.batch,
        # What only makes a table ready does not consume: the statement is not done with it.
        () if operation is Operation.UPGRADE else author.consumed,
        None if operation is Operation.UPGRADE else author.refresh,
    )


def stamped(
    lake: OpenLake,
    spark: SparkConnection,
    note: Stamp,
    *,
    transaction: tuple[str, int] | None = None,
    check: Callable[[], None] | None = None,
) -> AbstractContextManager[None]:
    """Delta commits made inside bear the note, and are refused once its fencing number is old.

    So they are when `check` raises, which is asked when all rows are written and none is committed.
    """
    fencing = note.fence
    assert fencing is not None

    def may_commit() -> None:
        reach("commit.fence")
        lake.writer.confirm(fencing)
        if check is not None:
            check()
            # It may have taken long.
            lake.writer.confirm(fencing)
        reach("commit.allowed")

    return spark.commit_note(note.to_json(), may_commit, transaction=transaction)


def commit(
    lake: OpenLake,
    spark: SparkConnection,
    table: Table,
    *,
    operation: Operation,
    author: Author,
    work: Callable[[], object],
    prepare: Callable[[], object] | None = None,
    check: Callable[[], None] | None = None,
) -> Committed:
    """Do `work`, which writes to `table` through `spark`, and record the version it made.

    `prepare` makes the table ready for it by commits of their own. They belong to the same version,
    and say by their operation that the statement is not done with them. `check` is asked at the
    last moment before the commit: if it raises, there is none.
    """
    with lake.locks.hold(table.id), consuming(lake, author.consumed, author.job_id):
        note = stamp(lake, author, operation)
        before = catch_up(lake, _still_there(lake, table))
        _require_version(before, author)
        reach("commit.before")
        try:
            if prepare is not None:
                with stamped(lake, spark, stamp(lake, author, Operation.UPGRADE)):
                    prepare()
                reach("commit.prepared")
            with stamped(lake, spark, note, transaction=_transaction(author), check=check):
                work()
            reach("commit.after_delta")
        finally:
            # Also after a failure: a statement of several Delta commits may have made some.
            after = catch_up(lake, before)
    made = [version for table_id, version in lake.store.versions.by_job(author.job_id)]
    return Committed(after, made[-1] if made else None)


def _transaction(author: Author) -> tuple[str, int] | None:
    """Delta takes each batch of a pipe once, even if a process that seemed dead commits it late.

    So it does with the refreshes of a dynamic table.
    """
    if author.refresh is not None:
        return refresh_transaction(author.refresh)
    batch = author.batch
    return None if batch is None else (f"pipe:{batch.pipe}", batch.number)


def refresh_transaction(mark: RefreshMark) -> tuple[str, int]:
    """The name and the number under which Delta takes a refresh once."""
    # Refreshes of other partitions may overtake each other.
    part = "" if mark.partition is None else f":{mark.partition.key}"
    return f"dynamic_table:{mark.dynamic_table}{part}", mark.number


def _require_version(table: Table, author: Author) -> None:
    if author.only_at is not None and table.shape.delta_version != author.only_at:
        problem = f"table {table.schema}.{table.name} has got a new version since it was looked at"
        raise TransientError("CONCURRENT_CHANGE", problem=problem)


def _still_there(lake: OpenLake, table: Table) -> Table:
    """The table as the catalog has it now: it may have changed while we waited for its lock."""
    current = lake.store.tables.get_by_id(table.id)
    if current is None or current.dropped_at is not None:
        raise SchemaError("TABLE_GONE", table=f"{table.schema}.{table.name}")
    return current
