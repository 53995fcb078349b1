"""Pipes and their batches as plain data, and the rules by which a pipe's state changes. No I/O.

Laws: a pipe is INVALID exactly while it has an `invalid_reason`, and only `resumed` takes it out of
that; a pipe that is not INVALID stops and starts only by `paused` and `resumed`. The number of the
last finished batch never goes back. A rule that changes nothing gives back an equal pipe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from headwater.names import QualifiedName, counted

BODY = "body"
"""What the sealed statement of a pipe is bound to, beside the pipe."""

MAX_BACKOFF = timedelta(seconds=60)
_DOUBLINGS = 6  # 2 ** 6 seconds is the first step above the longest


class PipeKind(StrEnum):
    """Where a pipe reads from."""

    VOLUME = "VOLUME"
    KAFKA = "KAFKA"


class PipeStatus(StrEnum):
    """The states users see in SHOW PIPES."""

    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    INVALID = "INVALID"


class BatchState(StrEnum):
    """How far a batch has come; of an INTENT it is not known whether it was committed."""

    INTENT = "INTENT"
    DONE = "DONE"
    FAILED = "FAILED"


Offsets = Mapping[str, Mapping[str, int]]
"""By topic and partition the offset of the next message to read."""


@dataclass(frozen=True, slots=True)
class PipeCounters:
    """What a pipe did since it was made, and what waits for it."""

    rows: int = 0
    files: int = 0
    bytes: int = 0
    failed_files: int = 0
    skipped_files: int = 0
    malformed_messages: int = 0
    pending_files: int = 0
    pending_bytes: int = 0
    oldest_pending_at: datetime | None = None
    failures_total: int = 0


@dataclass(frozen=True, slots=True)
class Pipe:
    """A pipe. `body` is its statement as users may see it, with secrets masked.

    `sealed_body` is the statement itself, sealed, when it holds a secret. What it reads and writes
    is known by id: a table or volume made anew under the old name is another one.
    """

    id: str
    workspace: str
    schema: str
    name: str
    kind: PipeKind
    status: PipeStatus
    body: str
    body_schema: str
    """The schema in which the names of the body are looked up."""
    creator: str
    created_at: datetime
    modified_at: datetime
    input_name: str
    output_name: str
    target_id: str
    sealed_body: str | None = field(default=None, repr=False)
    comment: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    """As given, in their order."""
    volume_id: str | None = None
    kafka_group: str | None = None
    """`bootstrap|topic|group`, which only one pipe may have."""
    invalid_reason: str | None = None
    failures: int = 0
    """How many times it failed since it last succeeded."""
    last_error: str | None = None
    """Why it failed the last time, while it has not succeeded since."""
    not_before: datetime | None = None
    batch: int = 0
    """The number of its last finished batch."""
    offsets: Offsets | None = None
    last_batch_at: datetime | None = None
    last_message_at: datetime | None = None
    refresh_requested_at: datetime | None = None
    latency: Mapping[str, Any] | None = None
    counters: PipeCounters = PipeCounters()

    def __post_init__(self) -> None:
        if (self.status is PipeStatus.INVALID) != (self.invalid_reason is not None):
            raise ValueError("a pipe is INVALID exactly when there is a reason")

    @property
    def qualified(self) -> QualifiedName:
        """Its complete name."""
        return QualifiedName(self.workspace, self.schema, self.name)


@dataclass(frozen=True, slots=True)
class PipeBatch:
    """One batch of a pipe. `payload` says what it reads, enough to read the same again."""

    pipe_id: str
    number: int
    state: BatchState
    begun_at: datetime
    payload: Mapping[str, Any]
    job_id: str | None = None
    ended_at: datetime | None = None
    rows: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class AsideMessage:
    """A message that a pipe could not understand and laid aside; `body` is its beginning."""

    pipe_id: str
    message_id: str
    body: str
    reason: str
    at: datetime


def paused(pipe: Pipe, at: datetime) -> Pipe:
    """The pipe, stopped by its user; an INVALID one has stopped already and stays as it is."""
    if pipe.status is not PipeStatus.RUNNING:
        return pipe
    return replace(pipe, status=PipeStatus.PAUSED, modified_at=at)


def resumed(pipe: Pipe, at: datetime) -> Pipe:
    """The pipe, running and with its past failures forgotten, so that it tries again at once."""
    running = replace(_well(pipe), status=PipeStatus.RUNNING, invalid_reason=None)
    return pipe if running == pipe else replace(running, modified_at=at)


def invalidated(pipe: Pipe, reason: str, at: datetime) -> Pipe:
    """The pipe, stopped because it cannot go on; the first reason is the one that stays."""
    if pipe.status is PipeStatus.INVALID:
        return pipe
    return replace(
        pipe,
        status=PipeStatus.INVALID,
        invalid_reason=reason,
        not_before=None,
        modified_at=at,
    )


def failed(
    pipe: Pipe, at: datetime, reason: str, *, limit: int, transient: bool, jitter: float
) -> Pipe:
    """The pipe after a batch failed.

    Args:
        pipe: as it was; an INVALID one stays as it is.
        at: now.
        reason: the error, as users may see it.
        limit: so many failures in a row make it INVALID.
        transient: whether it may succeed later; if not, the pipe is INVALID at once.
        jitter: from 0 up to 1, chosen at random, so that pipes do not all retry together.
    """
    if pipe.status is PipeStatus.INVALID:
        return pipe
    failures = pipe.failures + 1
    total = replace(pipe.counters, failures_total=pipe.counters.failures_total + 1)
    tried = replace(pipe, failures=failures, last_error=reason, counters=total)
    if not transient:
        return invalidated(tried, reason, at)
    if failures >= limit:
        often = f"gave up after {counted(failures, 'failure')} in a row; the last one: {reason}"
        return invalidated(tried, often, at)
    return replace(tried, not_before=at + backoff(failures, jitter))


def succeeded(
    pipe: Pipe,
    at: datetime,
    *,
    batch: int | None = None,
    offsets: Offsets | None = None,
    message_at: datetime | None = None,
) -> Pipe:
    """The pipe after a batch succeeded, or after it looked and found nothing to do.

    Args:
        pipe: as it was, whatever its status: a batch may end after the pipe was paused.
        at: now.
        batch: the number of the batch; None when there was none. One that is reported again, or
            late, changes no more than the failures.
        offsets: where the next batch begins, if it read messages.
        message_at: the time of the newest message it read.
    """
    well = _well(pipe)
    if batch is None or batch <= pipe.batch:
        return well
    return replace(
        well,
        batch=batch,
        last_batch_at=at,
        offsets=pipe.offsets if offsets is None else offsets,
        last_message_at=message_at or pipe.last_message_at,
    )


def _well(pipe: Pipe) -> Pipe:
    return replace(pipe, failures=0, last_error=None, not_before=None)


def backoff(failures: int, jitter: float) -> timedelta:
    """How long to wait after so many failures in a row.

    It is 1, 2, 4 .. 60 seconds and up to a quarter more, by `jitter` from 0 up to 1.

    >>> [backoff(failures, 0).seconds for failures in (0, 1, 2, 3, 6, 7, 1000)]
    [0, 1, 2, 4, 32, 60, 60]
    """
    if failures <= 0:
        return timedelta(0)
    doubled = timedelta(seconds=2 ** min(failures - 1, _DOUBLINGS))
    return min(doubled, MAX_BACKOFF) * (1 + jitter / 4)
