"""Delta commits folded into the versions users count and the shape the table has after them.

Law: folding commits in pieces, each piece from the result of the one before, gives the same shape
and, by version number, the same versions as folding them at once. One job makes one version however
often it committed; a commit of another tool is a version of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from headwater.catalog.objects import TableShape, TableVersion, Totals
from headwater.lake.delta_log.actions import Commit
from headwater.lake.delta_log.layout import RunningLayout
from headwater.lake.delta_log.operations import operation_of, row_counts
from headwater.lake.delta_log.snapshot import Snapshot
from headwater.lake.delta_log.stamp import read_stamp
from headwater.lake.delta_log.totals import RunningTotals

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def fold(
    shape: TableShape,
    last: TableVersion | None,
    commits: Sequence[Commit],
    *,
    before: Callable[[], Snapshot],
    default_user: str,
) -> tuple[TableShape, tuple[TableVersion, ...]]:
    """The shape after `commits`, and the versions they make.

    Args:
        shape: the shape at the commit before the first of `commits`.
        last: the newest version known. If its job goes on in `commits`, the first version returned
            has its number and takes its place.
        commits: the commits that follow `shape.delta_version`, without a gap.
        before: the snapshot at `shape.delta_version`; called only when the commits alone do not say
            enough, and possibly twice.
        default_user: the user of commits that name none.
    """
    start = Totals(0, 0) if shape.delta_version < 0 else shape.totals
    totals = RunningTotals(start, lambda: before().files)
    layout = RunningLayout(shape, before)
    versions: list[TableVersion] = []
    for commit in commits:
        shape = replace(layout.after(commit), totals=totals.after(commit))
        made = next_version(last, commit, totals=shape.totals, default_user=default_user)
        if versions and versions[-1].version == made.version:
            versions[-1] = made
        else:
            versions.append(made)
        last = made
    return shape, tuple(versions)


def next_version(
    last: TableVersion | None, commit: Commit, *, totals: Totals, default_user: str
) -> TableVersion:
    """The version `commit` makes after `last`, or `last` extended when it is the same job's."""
    stamp = read_stamp(commit.user_metadata)
    counts = row_counts(commit)
    made = TableVersion(
        version=1 if last is None else last.version + 1,
        delta_version=commit.version,
        committed_at=_committed_at(last, commit),
        operation=(stamp and stamp.operation) or operation_of(commit),
        user=(stamp and stamp.user) or commit.user_name or default_user,
        job_id=stamp.job if stamp else None,
        totals=totals,
        rows_inserted=counts.inserted,
        rows_updated=counts.updated,
        rows_deleted=counts.deleted,
        consumed=stamp.consumed if stamp else (),
        refreshed=stamp.refresh if stamp else None,
    )
    if last is None or made.job_id is None or last.job_id != made.job_id:
        return made
    return replace(
        made,
        version=last.version,
        rows_inserted=_added(last.rows_inserted, made.rows_inserted),
        rows_updated=_added(last.rows_updated, made.rows_updated),
        rows_deleted=_added(last.rows_deleted, made.rows_deleted),
    )


def _committed_at(last: TableVersion | None, commit: Commit) -> datetime:
    earliest = _EPOCH if last is None else last.committed_at
    if commit.timestamp_ms is None:
        return earliest
    # Clocks of several writers disagree; AS OF a time needs times that never go back.
    return max(earliest, time_of(commit.timestamp_ms))


def time_of(milliseconds: int) -> datetime:
    """A time of the log, exactly."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def _added(before: int | None, more: int | None) -> int | None:
    if before is None or more is None:
        return before if more is None else more
    return before + more
