"""The partitions of a table as its log tells of them: rows, bytes, files and times. No Spark.

Times are those of commits, as far back as the log reaches; what lies before its beginning is not
known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from headwater.lake.commits.stored_table import live_rows, read_stored_table
from headwater.lake.delta_log.actions import commit_timestamp, read_actions
from headwater.lake.delta_log.files import LogFiles
from headwater.lake.delta_log.physical_names import physical_names

_NULL = "__HIVE_DEFAULT_PARTITION__"

_Place = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class PartitionFacts:
    """One partition that has rows, or at least files."""

    name: str
    rows: int | None
    bytes: int
    files: int
    created_at: datetime | None
    modified_at: datetime | None
    data_at: datetime | None
    """When rows of it last changed."""
    compacted_at: datetime | None


@dataclass(slots=True)
class _Times:
    created_at: datetime | None = None
    modified_at: datetime | None = None
    data_at: datetime | None = None
    compacted_at: datetime | None = None


def partition_facts(
    files: LogFiles, version: int, columns: tuple[str, ...]
) -> list[PartitionFacts]:
    """The partitions at a Delta version, in the order of their names."""
    physical = physical_names(files, version)
    names = [physical[column] for column in columns]
    times = _times(files, version, names)
    live: dict[_Place, list[Mapping[str, Any]]] = {}
    for file in read_stored_table(files, version).files:
        live.setdefault(_place(file, names), []).append(file)
    found = [
        _facts(columns, place, held, times.get(place, _Times())) for place, held in live.items()
    ]
    return sorted(found, key=lambda facts: facts.name)


def _facts(
    columns: tuple[str, ...], place: _Place, held: list[Mapping[str, Any]], times: _Times
) -> PartitionFacts:
    pairs = zip(columns, place, strict=True)
    rows = [live_rows(file) for file in held]
    return PartitionFacts(
        name="/".join(f"{column}={_NULL if value is None else value}" for column, value in pairs),
        rows=None if None in rows else sum(count or 0 for count in rows),
        bytes=sum(int(file.get("size") or 0) for file in held),
        files=len(held),
        created_at=times.created_at,
        modified_at=times.modified_at,
        data_at=times.data_at,
        compacted_at=times.compacted_at,
    )


def _times(files: LogFiles, last: int, names: list[str]) -> dict[_Place, _Times]:
    found: dict[_Place, _Times] = {}
    versions = [version for version in files.list_commits() if version <= last]
    begins = versions[:1] == [0]
    for version in versions:
        text = files.read_commit(version)
        if text is None:
            continue
        stated = commit_timestamp(text)
        at = _time(stated if stated is not None else files.modified_ms(version) or 0)
        for place, changes_rows in _touched(text, version, files.table, names):
            if place not in found:
                found[place] = _Times(created_at=at if begins else None)
            times = found[place]
            times.modified_at = at
            if changes_rows:
                times.data_at = at
            else:
                times.compacted_at = at
    return found


def _touched(
    text: str, version: int, table: str, names: list[str]
) -> Iterator[tuple[_Place, bool]]:
    """The partitions in which a commit adds or removes files, and whether rows changed by it."""
    for action in read_actions(text, version, table=table):
        body = action.get("add") or action.get("remove")
        if body is not None:
            yield _place(body, names), bool(body.get("dataChange", True))


def _place(body: Mapping[str, Any], names: list[str]) -> _Place:
    """Delta takes an empty text for NULL."""
    values = body.get("partitionValues") or {}
    return tuple(values.get(name) or None for name in names)


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
