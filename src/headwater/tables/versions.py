"""Keeping the catalog in step with a table's Delta log, whoever wrote to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from headwater.catalog.dynamic_tables import RefreshMark
from headwater.catalog.objects import Table, TableVersion
from headwater.lake.delta_log.actions import parse_commit
from headwater.lake.delta_log.files import LogFiles
from headwater.lake.delta_log.stamp import BatchMark, Stamp, read_stamp
from headwater.lake.delta_log.sync import read_new
from headwater.runtime.open_lake import OpenLake

UNKNOWN_USER = "unknown"


def catch_up(lake: OpenLake, table: Table) -> Table:
    """Record commits the catalog has not seen, and give back the table as it is now.

    Costs one look into the log folder when nothing is new. Safe to call from readers and writers at
    once: recording compares the Delta version it started from.
    """
    if not table.kind.stores_rows:
        return table
    return _caught_up(lake, table, lake.store.versions.last(table.id))


def catch_up_all(lake: OpenLake, tables: Sequence[Table]) -> list[Table]:
    """The same for many, whose newest versions are asked for at once."""
    kept = [table.id for table in tables if table.kind.stores_rows]
    newest = lake.store.versions.last_of(kept)
    return [
        _caught_up(lake, table, newest.get(table.id)) if table.kind.stores_rows else table
        for table in tables
    ]


def _caught_up(lake: OpenLake, table: Table, last: TableVersion | None) -> Table:
    store, files = lake.store, lake.log_files(table)
    shape, versions = read_new(files, table.shape, last, default_user=UNKNOWN_USER)
    if shape.delta_version == table.shape.delta_version:
        return table
    recorded = store.tables.record(
        table.id, shape, versions=versions, expected_delta_version=table.shape.delta_version
    )
    if not recorded:
        return store.tables.get_by_id(table.id) or replace(table, shape=shape)
    modified_at = versions[-1].committed_at if versions else table.modified_at
    return replace(table, shape=shape, modified_at=modified_at)


def first_commits(lake: OpenLake, table: Table) -> tuple[Table, tuple[TableVersion, ...]]:
    """A table being created, with what its log says so far; no version if nothing was committed."""
    files = lake.log_files(table)
    # A log that another tool has kept for long may have lost its first commits.
    if not files.exists(0) and not files.list_commits():
        return table, ()
    shape, versions = read_new(files, table.shape, None, default_user=table.creator)
    return replace(table, shape=shape), versions


def bytes_written(lake: OpenLake, table_id: str, version: TableVersion) -> int | None:
    """The size of the files that the last Delta commit of a version added; None if it is gone.

    A file that only got another deletion vector was not written again.
    """
    table = lake.store.tables.get_by_id(table_id)
    if table is None or not table.kind.stores_rows:
        return None
    files = lake.log_files(table)
    text = files.read_commit(version.delta_version)
    if text is None:
        return None
    commit = parse_commit(text, version.delta_version, table=files.table)
    kept = {file.id.path for file in commit.removes}
    return sum(file.bytes or 0 for file in commit.adds if file.id.path not in kept)


def batch_mark(lake: OpenLake, table: Table, version: TableVersion) -> BatchMark | None:
    """Which batch of which pipe made a version, if one did and its commit is still there."""
    return _mark(lake.log_files(table), version.delta_version)


def newest_batch(lake: OpenLake, table: Table, pipe_id: str) -> BatchMark | None:
    """The last batch of a pipe that the log of a table holds, from its newest commit backwards."""
    files = lake.log_files(table)
    marks = (_mark(files, version) for version in reversed(files.list_commits()))
    return next((mark for mark in marks if mark is not None and mark.pipe == pipe_id), None)


def refresh_mark(lake: OpenLake, table: Table, version: TableVersion) -> RefreshMark | None:
    """The refresh that made a version, if one did and its commit is still there."""
    stamp = _stamp(lake.log_files(table), version.delta_version)
    return stamp.refresh if stamp is not None else None


def _mark(files: LogFiles, version: int) -> BatchMark | None:
    stamp = _stamp(files, version)
    return stamp.batch if stamp is not None else None


def _stamp(files: LogFiles, version: int) -> Stamp | None:
    text = files.read_commit(version)
    if text is None:
        return None
    return read_stamp(parse_commit(text, version, table=files.table).user_metadata)
