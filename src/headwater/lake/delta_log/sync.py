"""New commits of a table turned into versions: ours, a killed process's, another tool's.

Invariant: reading twice gives the same, so a reader that dies before it wrote the result down loses
nothing. The cost is that of the new commits: no listing and no live files unless they are needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from headwater.catalog.objects import TableShape, TableVersion
from headwater.errors import SchemaError, UserError
from headwater.lake.delta_log.actions import Commit, commit_timestamp, parse_commit
from headwater.lake.delta_log.files import LogFiles
from headwater.lake.delta_log.fold import fold, next_version, time_of
from headwater.lake.delta_log.layout import shape_at
from headwater.lake.delta_log.snapshot import Snapshot, read_snapshot

News = tuple[TableShape, tuple[TableVersion, ...]]


def read_new(
    files: LogFiles, shape: TableShape, last_version: TableVersion | None, *, default_user: str
) -> News:
    """The shape now and the versions made since `shape`; the same shape and none if nothing is new.

    The first version returned may have the number of `last_version`: then its job committed again
    and it replaces it.

    Raises:
        UserError: TABLE_FILES_MISSING when there is no log, DELTA_LOG_UNREADABLE when a commit is
            damaged, DELTA_LOG_INCOMPLETE when commits are missing and no checkpoint covers them.
        SchemaError: TABLE_LOG_RESTARTED when the log is not the one `shape` was read from.
    """
    known = shape.delta_version
    head = None if known < 0 else files.read_head(known)
    if head is not None and _is_later(head, last_version, known=known):
        raise _restarted(files, known)
    commits = list(_commits_after(files, known))
    if not commits:
        if head is not None:
            return shape, ()
        return _after_gap(files, shape, last_version, default_user=default_user)

    @cache
    def before() -> Snapshot:
        return read_snapshot(files, known)

    try:
        return fold(shape, last_version, commits, before=before, default_user=default_user)
    except UserError as error:
        if error.condition != "DELTA_LOG_INCOMPLETE":
            raise
        # Delta cleaned up what came before the first new commit, so its removes say too little.
        return _after_gap(files, shape, last_version, default_user=default_user)


def _commits_after(files: LogFiles, version: int) -> Iterator[Commit]:
    while (text := files.read_commit(version := version + 1)) is not None:
        yield _dated(files, parse_commit(text, version, table=files.table))


def _after_gap(
    files: LogFiles, shape: TableShape, last: TableVersion | None, *, default_user: str
) -> News:
    """The newest commit as one version, when those between it and `shape` are gone."""
    found = files.list_commits()
    if not found:
        raise UserError("TABLE_FILES_MISSING", location=files.table)
    newest = found[-1]
    if newest < shape.delta_version:
        raise _restarted(files, shape.delta_version)
    text = files.read_commit(newest)
    if newest == shape.delta_version or text is None:
        return shape, ()
    rebuilt = shape_at(read_snapshot(files, newest))
    commit = _dated(files, parse_commit(text, newest, table=files.table))
    version = next_version(last, commit, totals=rebuilt.totals, default_user=default_user)
    return rebuilt, (version,)


def _dated(files: LogFiles, commit: Commit) -> Commit:
    if commit.timestamp_ms is not None:
        return commit
    return replace(commit, timestamp_ms=files.modified_ms(commit.version))


def _is_later(head: str, last: TableVersion | None, *, known: int) -> bool:
    """Whether the commit of version `known` now states a later time than we read from it.

    A commit never changes, and a version's time is never before its commit's: so it is another
    commit, of a table that was created after ours was deleted.
    """
    if last is None or last.delta_version != known:
        return False
    stated = commit_timestamp(head)
    return stated is not None and time_of(stated) > last.committed_at


def _restarted(files: LogFiles, version: int) -> SchemaError:
    return SchemaError("TABLE_LOG_RESTARTED", table=files.table, version=version)
