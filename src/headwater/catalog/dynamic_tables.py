"""Dynamic tables as plain data: what they compute, up to where, and how it went. No I/O.

Law: a frontier moves by a `RefreshMark`, which the Delta commit of the refresh bears, or by a
refresh that found nothing new. `number` counts refreshes, also failed ones: a mark counts once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from headwater.catalog.partitions import Partition
from headwater.names import QualifiedName


class RefreshMode(StrEnum):
    """What a refresh may do, as REFRESH_MODE says."""

    AUTO = "AUTO"
    """Whatever is cheaper."""
    INCREMENTAL = "INCREMENTAL"
    """Only what changed, if the query allows it; in full otherwise, with the reason."""
    STRICT = "INCREMENTAL STRICT"
    """Only what changed, or an error."""
    FULL = "FULL"


class RefreshKind(StrEnum):
    """What a refresh did."""

    NO_DATA = "NO_DATA"
    """No source had changed."""
    FULL = "FULL"
    INCREMENTAL = "INCREMENTAL"


class RefreshState(StrEnum):
    """Where a refresh is, in the words of SHOW DYNAMIC TABLE REFRESH HISTORY."""

    SETUP = "SETUP"
    RESUMING_CLUSTER = "RESUMING_CLUSTER"
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    SUCCEED = "SUCCEED"
    FAILED = "FAILED"


FINAL_REFRESH_STATES = frozenset({RefreshState.SUCCEED, RefreshState.FAILED})


class RefreshTrigger(StrEnum):
    """Who asked for a refresh."""

    MANUAL = "MANUAL"
    LH_SCHEDULED = "LH_SCHEDULED"


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a table is refreshed of itself: the REFRESH clause, or TARGET_LAG.

    Without an interval there is one refresh, at `start`. `start_text` is the expression as typed.
    `target_lag_seconds` is how far behind its sources the table may be; `downstream` means that
    it is refreshed when a table that reads it is.
    """

    start_text: str | None = None
    start: datetime | None = None
    interval_seconds: int | None = None
    vcluster: str | None = None
    target_lag_seconds: int | None = None
    downstream: bool = False

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "start_text": self.start_text,
            "start": None if self.start is None else self.start.isoformat(),
            "interval_seconds": self.interval_seconds,
            "vcluster": self.vcluster,
            "target_lag_seconds": self.target_lag_seconds,
            "downstream": self.downstream,
        }

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Schedule:
        """What `to_dict` wrote."""
        start = body.get("start")
        return cls(
            body.get("start_text"),
            None if start is None else datetime.fromisoformat(start),
            body.get("interval_seconds"),
            body.get("vcluster"),
            body.get("target_lag_seconds"),
            bool(body.get("downstream", False)),
        )


@dataclass(frozen=True, slots=True)
class OwnColumn:
    """A column that the query gives to its table; `definition` is its type as DDL spells it.

    `given` is the value that a row gets when it comes, for a column that is no part of what the
    row is; it stands in the query under `alias`.
    """

    name: str
    type: str
    definition: str
    comment: str | None = None
    given: str | None = None
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class Frontier:
    """What the contents of a dynamic table are the answer to.

    `sources` are the Delta versions of the tables by their ids, `at` is the time of the refresh,
    `fingerprint` that of the query, `settings` are those of Spark that change results.
    """

    sources: Mapping[str, int]
    at: datetime
    fingerprint: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "sources": dict(self.sources),
            "at": self.at.isoformat(),
            "fingerprint": self.fingerprint,
            "settings": dict(self.settings),
            "detail": dict(self.detail),
        }

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Frontier:
        """What `to_dict` wrote."""
        return cls(
            {str(table): int(version) for table, version in body["sources"].items()},
            datetime.fromisoformat(body["at"]),
            str(body.get("fingerprint", "")),
            body.get("settings", {}),
            body.get("detail", {}),
        )


@dataclass(frozen=True, slots=True)
class RefreshMark:
    """A refresh in its Delta commit: the contents and the frontier move together.

    With a `partition` they are those of that partition alone.
    """

    dynamic_table: str
    number: int
    kind: RefreshKind
    frontier: Frontier
    partition: Partition | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        body = {
            "dynamic_table": self.dynamic_table,
            "number": self.number,
            "kind": self.kind.value,
            "frontier": self.frontier.to_dict(),
        }
        return body if self.partition is None else body | {"partition": self.partition.key}

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> RefreshMark:
        """What `to_dict` wrote."""
        frontier = Frontier.from_dict(body["frontier"])
        kind = RefreshKind(body["kind"])
        key = body.get("partition")
        partition = None if key is None else Partition.from_key(key)
        return cls(str(body["dynamic_table"]), int(body["number"]), kind, frontier, partition)


@dataclass(frozen=True, slots=True)
class PartitionFrontier:
    """What the rows of one partition are the answer to, and by which refresh and Delta version."""

    partition: Partition
    frontier: Frontier
    number: int
    delta_version: int


@dataclass(frozen=True, slots=True)
class DynamicTable:
    """A table that a query defines; its rows, versions and comment are those of the table `id`.

    `query` is as typed, and its names are resolved in `query_workspace` and `query_schema`.
    `sources` are the ids of the tables it reads, also through views, in their order, and
    `source_columns` the columns that they had when it was made, which is what a star in the query
    means. `frontier` is None until the first refresh; `refresh_number` and `delta_version` are the
    number and the Delta version, in its own log, of the refresh that wrote the contents.
    The schedule counts from `baseline`, when it was made or last refreshed by hand; `failures` are
    scheduled ones in a row, `suspended_reason` says why the schedule leaves it alone.
    `columns` are those that its table is to have; until the next refresh it may have others. None
    means those that it has. `initialize` is what CREATE said of the first refresh.
    Rows for which `immutable_where` holds are never changed once they were written.
    `query_rewrite` is said of a materialized view: whether queries may be rewritten onto it.
    """

    id: str
    workspace: str
    schema: str
    name: str
    query: str
    query_workspace: str
    query_schema: str
    mode: RefreshMode = RefreshMode.AUTO
    schedule: Schedule | None = None
    sources: tuple[str, ...] = ()
    source_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    frontier: Frontier | None = None
    refresh_number: int = 0
    delta_version: int | None = None
    suspended: bool = False
    baseline: datetime | None = None
    failures: int = 0
    suspended_reason: str | None = None
    columns: tuple[OwnColumn, ...] | None = None
    initialize: str | None = None
    immutable_where: str | None = None
    materialized_view: bool = False
    query_rewrite: bool = True

    @property
    def words(self) -> str:
        """What statements call it."""
        return "MATERIALIZED VIEW" if self.materialized_view else "DYNAMIC TABLE"

    @property
    def qualified(self) -> QualifiedName:
        """Its full name."""
        return QualifiedName(self.workspace, self.schema, self.name)


@dataclass(frozen=True, slots=True)
class Refresh:
    """One refresh, as the history keeps it; names are as they were then."""

    table_id: str
    number: int
    workspace: str
    schema: str
    name: str
    virtual_cluster: str
    started_at: datetime
    job_id: str
    state: RefreshState = RefreshState.RUNNING
    trigger: RefreshTrigger = RefreshTrigger.MANUAL
    ended_at: datetime | None = None
    suspended_reason: str | None = None
    kind: RefreshKind | None = None
    reason: str | None = None
    """Why it was of that kind."""
    error_message: str | None = None
    source_tables: tuple[QualifiedName, ...] = ()
    rows_inserted: int | None = None
    rows_deleted: int | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def partition(self) -> Partition | None:
        """The partition that it refreshes, if it is not the whole table."""
        key = self.detail.get("partition")
        return None if key is None else Partition.from_key(key)
