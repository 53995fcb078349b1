"""When a pipe is looked at next, whatever the wall clock does."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tests.unit.catalog.samples import START, a_pipe

from headwater.catalog.pipes import PipeKind
from headwater.pipes.due import MOST_BACKOFF_SECONDS, seconds_until_due
from headwater.sql.pipe_properties import PipeProperties


def waits(*, since: float | None = None, at: float = 0, delay: int = 0, **changes: Any) -> float:
    properties = PipeProperties(
        virtual_cluster="default", batch_interval_seconds=60, initial_delay_seconds=delay
    )
    return seconds_until_due(
        a_pipe(**changes),
        properties,
        at=START + timedelta(seconds=at),
        since_look=since,
        poll_seconds=30,
    )


def test_a_pipe_that_was_not_looked_at_is_due() -> None:
    assert waits() == 0
    assert waits(kind=PipeKind.KAFKA) == 0


@pytest.mark.parametrize(("kind", "every"), [(PipeKind.VOLUME, 30), (PipeKind.KAFKA, 60)])
def test_it_is_due_again_when_its_interval_is_over(kind: PipeKind, every: int) -> None:
    assert waits(kind=kind, since=0) == every
    assert waits(kind=kind, since=every - 1) == 1
    assert waits(kind=kind, since=every) == 0
    assert waits(kind=kind, since=every * 9) == 0


def test_a_failure_makes_it_wait() -> None:
    later = START + timedelta(seconds=8)
    assert waits(not_before=later) == 8
    assert waits(not_before=later, at=8) == 0
    assert waits(not_before=later, at=9) == 0
    assert waits(not_before=later, since=5) == 25


def test_a_clock_that_was_put_back_makes_nobody_wait_for_ever() -> None:
    later = START + timedelta(seconds=MOST_BACKOFF_SECONDS)
    assert waits(not_before=later) == MOST_BACKOFF_SECONDS
    assert waits(not_before=later, at=-1) == 0
    assert waits(not_before=later, at=-86_400) == 0


def test_the_first_batch_of_kafka_may_be_delayed() -> None:
    kafka = {"kind": PipeKind.KAFKA, "delay": 100}
    assert waits(**kafka) == 100
    assert waits(**kafka, at=99) == 1
    assert waits(**kafka, at=100) == 0
    assert waits(**kafka, at=-1) == 0
    assert waits(**kafka, batch=1) == 0
    assert waits(delay=100) == 0


def test_refresh_waits_for_nothing() -> None:
    later = START + timedelta(seconds=8)
    assert waits(since=0, not_before=later, refresh_requested_at=START) == 0
