"""A job is one executed statement: its identity, its states, and which state may follow which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

_BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
_SUFFIX_LENGTH = 12


class JobState(StrEnum):
    """The states users see in SHOW JOBS."""

    SETUP = "SETUP"
    RESUMING_CLUSTER = "RESUMING_CLUSTER"
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    SUCCEED = "SUCCEED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


FINAL_STATES = frozenset({JobState.SUCCEED, JobState.FAILED, JobState.CANCELLED})

NEXT_STATES: Mapping[JobState, frozenset[JobState]] = {
    JobState.SETUP: frozenset({JobState.RESUMING_CLUSTER, JobState.QUEUED, JobState.RUNNING})
    | FINAL_STATES,
    JobState.RESUMING_CLUSTER: frozenset({JobState.QUEUED, JobState.RUNNING}) | FINAL_STATES,
    JobState.QUEUED: frozenset({JobState.RUNNING}) | FINAL_STATES,
    JobState.RUNNING: FINAL_STATES,
    JobState.SUCCEED: frozenset(),
    JobState.FAILED: frozenset(),
    JobState.CANCELLED: frozenset(),
}


def may_follow(before: JobState, after: JobState) -> bool:
    """Whether a job in state `before` may go to state `after`."""
    return after in NEXT_STATES[before]


def job_id(now: datetime, entropy: int) -> str:
    """An id of the documented shape: yyyyMMddHHmmssSSS and twelve characters in base 36.

    >>> from datetime import UTC
    >>> job_id(datetime(2024, 5, 17, 3, 33, 14, 979000, tzinfo=UTC), 35)
    '2024051703331497900000000000z'
    """
    stamp = now.strftime("%Y%m%d%H%M%S") + f"{now.microsecond // 1000:03d}"
    return stamp + base36(entropy).rjust(_SUFFIX_LENGTH, "0")[-_SUFFIX_LENGTH:]


def base36(number: int) -> str:
    """`number` written with digits and lower-case letters."""
    digits = ""
    while number:
        number, remainder = divmod(number, 36)
        digits = _BASE36[remainder] + digits
    return digits or "0"


@dataclass(frozen=True, slots=True)
class TableUse:
    """A table that a job read or wrote, with how much of it."""

    table: str
    rows: int | None = None
    bytes: int | None = None
    table_id: str | None = None


@dataclass(frozen=True, slots=True)
class SparkStage:
    """A stage of a Spark job that a job of ours ran; what it read and wrote, without shuffles."""

    id: int
    spark_job: int
    name: str
    started_at: datetime
    seconds: float
    tasks: int
    rows_in: int = 0
    bytes_in: int = 0
    rows_out: int = 0
    bytes_out: int = 0
    shuffled_bytes: int = 0

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "started_at": self.started_at.isoformat()}

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> SparkStage:
        """What `to_dict` wrote."""
        return cls(**{**body, "started_at": datetime.fromisoformat(body["started_at"])})


@dataclass(frozen=True, slots=True)
class Job:
    """One executed statement. `text` never holds a credential: it is masked before it gets here."""

    id: str
    state: JobState
    workspace: str
    schema: str
    creator: str
    text: str
    started_at: datetime
    instance: str
    """The process that runs it; a job of a dead process is finished by recovery."""
    ended_at: datetime | None = None
    kind: str = ""
    """The statement's name, such as INSERT or SHOW_TABLES."""
    query_tag: str = ""
    vcluster: str = "DEFAULT"
    priority: int = 0
    rows_produced: int | None = None
    rows_inserted: int | None = None
    rows_updated: int | None = None
    rows_deleted: int | None = None
    input_rows: int | None = None
    input_bytes: int | None = None
    output_bytes: int | None = None
    input_tables: tuple[TableUse, ...] = ()
    output_tables: tuple[TableUse, ...] = ()
    stages: tuple[SparkStage, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None

    def execution_time(self, now: datetime) -> timedelta:
        """How long it ran, or has been running."""
        return (self.ended_at or now) - self.started_at


@dataclass(frozen=True, slots=True)
class JobEntry:
    """A job in a listing: no more of it than a list of thousands should load."""

    id: str
    state: str
    creator: str
    priority: int
    started_at: datetime
    ended_at: datetime | None
    vcluster: str
    text: str
    query_tag: str
