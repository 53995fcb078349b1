"""Applying a write to a table in one Delta commit.

Law: afterwards the table holds what it held and what the write says, as bags, and the commit holds
the note and the transaction; or nothing has changed and an error says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.errors import InternalError, TransientError
from headwater.incremental.checks import NEGATIVE_COUNT, TWO_ROWS
from headwater.lake.commits.change import change
from headwater.lake.commits.choose import Limits
from headwater.lake.commits.delta_transaction import RETRIES_EXCEEDED, DeltaTransaction
from headwater.lake.commits.file_actions import remove
from headwater.lake.commits.leftovers import remove_files, remove_leftovers
from headwater.lake.commits.rewrite import rewrite
from headwater.lake.commits.stored_table import Within, read_stored_table
from headwater.lake.commits.target import Outcome, Target
from headwater.lake.commits.weighted_rows import MISSING_ROW
from headwater.lake.commits.writes import (
    Append,
    Applied,
    Change,
    How,
    Nothing,
    Overwrite,
    Rewrite,
    Write,
)
from headwater.lake.spark_errors import reshape
from headwater.lake.table_folders import TableFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Note = Callable[[int, int], str]


@dataclass(frozen=True, slots=True)
class Mark:
    """What the commit is to hold beside the rows."""

    note: Note
    transaction: tuple[str, int] | None = None


def apply_write(
    session: SparkSession,
    location: str,
    write: Write,
    *,
    folder: TableFolder,
    mark: Mark,
    limits: Limits,
    within: Within | None = None,
) -> Applied:
    """Write, and commit once; see `SparkConnection.apply`."""
    since = time.time()
    transaction = DeltaTransaction(session, location)
    stored = read_stored_table(folder.log, transaction.version)
    if mark.transaction is not None:
        application, number = mark.transaction
        if stored.transactions.get(application, -1) >= number:
            return Applied(How.NOTHING, 0, 0, 0, 0, stored.version, repeated=True)
    if within is not None:
        # For the rest of the write there is nothing else: no other file can be touched.
        stored = stored.within(within)
    target = Target(session, transaction, stored, location)
    try:
        outcome = _written(target, write, limits)
    except BaseException as error:
        remove_leftovers(folder, since=since, after=stored.version)
        raise _explained(error, target) from error
    try:
        if outcome.how is How.NOTHING:
            remove_files(folder, outcome.paths, after=stored.version)
            transaction.forget_written()
            outcome = Outcome(How.NOTHING, 0, 0)
        return _committed(target, outcome, mark)
    except BaseException as error:
        remove_files(folder, outcome.paths, after=stored.version)
        raise _explained(error, target) from error


def _written(target: Target, write: Write, limits: Limits) -> Outcome:
    match write:
        case Nothing():
            return Outcome(How.NOTHING, 0, 0)
        case Append(rows):
            return _append(target, rows)
        case Overwrite(rows):
            return _overwrite(target, rows, produced_only=write.produced_only)
        case Change():
            return change(target, write, limits)
        case Rewrite():
            return rewrite(target, write, limits)


def _append(target: Target, rows: str) -> Outcome:
    written = target.write(target.query(rows))
    how = How.APPEND if written else How.NOTHING
    return Outcome(how, target.transaction.rows_written(), 0, written=written)


def _overwrite(target: Target, rows: str, *, produced_only: bool) -> Outcome:
    written = target.write(target.query(rows))
    stored = target.stored
    if produced_only:
        stored = stored.sharing_partitions(written)
    gone = stored.rows
    if gone is None:
        gone = target.transaction.rows_of(stored.files).count()
    how = How.OVERWRITE if written or stored.files else How.NOTHING
    came = target.transaction.rows_written()
    return Outcome(how, came, gone, written=written, removed=stored.files)


def _committed(target: Target, outcome: Outcome, mark: Mark) -> Applied:
    transaction, now = target.transaction, int(time.time() * 1000)
    changed = outcome.how in (How.REWRITE, How.TOUCHED_FILES, How.DELETION_VECTORS)
    if changed:
        operation = transaction.change_operation()
    else:
        mode = "Overwrite" if outcome.how is How.OVERWRITE else "Append"
        operation = transaction.write_operation(mode)
    version = transaction.commit(
        operation,
        mark.note(outcome.inserted, outcome.deleted),
        removes=[remove(file, at_ms=now) for file in outcome.removed],
        adds=outcome.marked,
        transaction=mark.transaction,
        metrics=outcome.metrics if changed else None,
    )
    return Applied(
        outcome.how,
        outcome.inserted,
        outcome.deleted,
        files_added=len(outcome.written) + len(outcome.marked),
        files_removed=len(outcome.removed),
        delta_version=version,
    )


def _explained(error: BaseException, target: Target) -> BaseException:
    """The error a caller sees; what stops the process goes on as it is."""
    if not isinstance(error, Exception):
        return error
    found = reshape(error)
    words = f"{found.message} {found.detail}"
    if MISSING_ROW in words:
        return target.missing_row(detail=found.detail)
    table, detail = target.location, found.detail
    if NEGATIVE_COUNT in words:
        return InternalError("REFRESH_NEGATIVE_COUNT", table=table, detail=detail)
    if TWO_ROWS in words:
        return InternalError("REFRESH_TWO_ROWS_FOR_A_KEY", table=table, detail=detail)
    if found.condition == RETRIES_EXCEEDED:
        problem = "it committed to the table while this write was under way"
        return TransientError("CONCURRENT_CHANGE", problem=problem, detail=found.detail)
    return found
