"""When a pipe is looked at next. Pure; time is seconds of a clock that never jumps.

A wall clock may jump, so waiting times are kept as differences: what a pipe still has to wait is
asked once, when it is looked at, and bounded by what it can have to wait at all.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from headwater.catalog.pipes import Pipe, PipeKind
from headwater.sql.pipe_properties import PipeProperties

MOST_BACKOFF_SECONDS = 75.0
"""A minute and the quarter that jitter may add."""


def seconds_until_due(
    pipe: Pipe,
    properties: PipeProperties,
    *,
    at: datetime,
    since_look: float | None,
    poll_seconds: int,
) -> float:
    """How long to wait before a pipe is looked at; 0 when it is due.

    `since_look` is how long ago this process looked at it, None when it has not yet.
    """
    if pipe.refresh_requested_at is not None:
        return 0.0
    return max(
        _left(pipe.not_before, at, MOST_BACKOFF_SECONDS),
        _initial_delay(pipe, properties, at),
        _interval(pipe, properties, since_look, poll_seconds),
    )


def _initial_delay(pipe: Pipe, properties: PipeProperties, at: datetime) -> float:
    delay = properties.initial_delay_seconds
    if pipe.kind is not PipeKind.KAFKA or not delay or pipe.batch:
        return 0.0
    return _left(pipe.created_at + timedelta(seconds=delay), at, delay)


def _interval(
    pipe: Pipe, properties: PipeProperties, since_look: float | None, poll_seconds: int
) -> float:
    if since_look is None:
        return 0.0
    every = properties.batch_interval_seconds if pipe.kind is PipeKind.KAFKA else poll_seconds
    return max(0.0, every - since_look)


def _left(moment: datetime | None, at: datetime, most: float) -> float:
    """The seconds until a moment; if they are more than it can be, the wall clock jumped back."""
    if moment is None:
        return 0.0
    left = (moment - at).total_seconds()
    return 0.0 if left > most else max(0.0, left)
