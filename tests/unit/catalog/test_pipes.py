"""The rules by which a pipe's state changes, without any database."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.catalog.samples import a_pipe, at

from headwater.catalog.pipes import (
    MAX_BACKOFF,
    Pipe,
    PipeStatus,
    backoff,
    failed,
    invalidated,
    paused,
    resumed,
    succeeded,
)

LIMIT = 5


def broken(pipe: Pipe, seconds: float, reason: str = "no route", *, transient: bool = True) -> Pipe:
    return failed(pipe, at(seconds), reason, limit=LIMIT, transient=transient, jitter=0.0)


def test_a_pipe_is_paused_and_resumed() -> None:
    stopped = paused(a_pipe(), at(1))
    assert (stopped.status, stopped.modified_at) == (PipeStatus.PAUSED, at(1))
    assert paused(stopped, at(2)) == stopped
    again = resumed(stopped, at(3))
    assert (again.status, again.modified_at) == (PipeStatus.RUNNING, at(3))
    assert resumed(again, at(4)) == again


def test_a_definite_failure_stops_a_pipe_at_once() -> None:
    stopped = broken(a_pipe(), 1, "column 'x' does not exist", transient=False)
    assert stopped.status is PipeStatus.INVALID
    assert stopped.invalid_reason == "column 'x' does not exist"
    assert stopped.modified_at == at(1)


def test_a_transient_failure_makes_a_pipe_wait_longer_each_time_and_then_stops_it() -> None:
    pipe = a_pipe()
    for failures, seconds in enumerate([1, 2, 4, 8], start=1):
        pipe = broken(pipe, 100)
        assert (pipe.status, pipe.failures) == (PipeStatus.RUNNING, failures)
        assert pipe.not_before == at(100 + seconds)
    stopped = broken(pipe, 200, "timed out")
    assert stopped.status is PipeStatus.INVALID
    expected = "gave up after 5 failures in a row; the last one: timed out"
    assert stopped.invalid_reason == expected
    assert stopped.not_before is None
    assert stopped.counters.failures_total == 5
    assert (pipe.last_error, stopped.last_error) == (broken(pipe, 1).last_error, "timed out")


def test_a_resumed_pipe_has_all_its_tries_again() -> None:
    stopped = broken(a_pipe(), 1, transient=False)
    again = resumed(stopped, at(2))
    assert (again.invalid_reason, again.failures, again.not_before) == (None, 0, None)
    assert again.last_error is None
    # What was counted since the pipe was made stays.
    assert again.counters.failures_total == 1
    assert resumed(broken(a_pipe(), 1), at(2)).not_before is None


def test_success_ends_a_row_of_failures() -> None:
    well = succeeded(broken(broken(a_pipe(), 1), 2), at(3))
    assert (well.failures, well.not_before) == (0, None)
    assert well.last_batch_at is None


def test_a_finished_batch_is_noted_with_where_it_ended() -> None:
    first = succeeded(a_pipe(), at(3), batch=7, offsets={"orders": {"0": 42}}, message_at=at(2))
    assert (first.batch, first.last_batch_at, first.last_message_at) == (7, at(3), at(2))
    assert first.offsets == {"orders": {"0": 42}}
    second = succeeded(first, at(5), batch=8)
    assert (second.offsets, second.last_message_at) == (first.offsets, at(2))


def test_a_batch_that_is_reported_again_or_late_changes_nothing() -> None:
    pipe = succeeded(a_pipe(), at(3), batch=7, offsets={"orders": {"0": 42}})
    for batch in (7, 6):
        late = succeeded(pipe, at(9), batch=batch, offsets={"orders": {"0": 1}}, message_at=at(9))
        assert late == pipe


def test_a_batch_that_ends_after_its_pipe_was_stopped_does_not_start_it() -> None:
    for stopped in (paused(a_pipe(), at(1)), invalidated(a_pipe(), "gone", at(1))):
        ended = succeeded(stopped, at(2), batch=1)
        assert (ended.status, ended.batch) == (stopped.status, 1)


def test_a_pipe_that_fails_while_it_is_paused_stays_paused_until_it_cannot_go_on() -> None:
    stopped = paused(a_pipe(), at(1))
    assert broken(stopped, 2).status is PipeStatus.PAUSED
    assert broken(stopped, 2, transient=False).status is PipeStatus.INVALID


def test_the_first_reason_stays() -> None:
    stopped = invalidated(a_pipe(), "the table was dropped", at(1))
    assert invalidated(stopped, "the volume was dropped", at(2)) == stopped
    assert broken(stopped, 2) == stopped
    assert paused(stopped, at(2)) == stopped


@pytest.mark.parametrize("status", list(PipeStatus))
def test_a_pipe_has_a_reason_exactly_when_it_is_invalid(status: PipeStatus) -> None:
    reason = None if status is PipeStatus.INVALID else "why"
    with pytest.raises(ValueError, match="exactly when there is a reason"):
        a_pipe(status=status, invalid_reason=reason)


def test_a_sealed_body_is_not_in_the_text_of_a_pipe() -> None:
    assert "s3aled" not in repr(a_pipe(sealed_body="s3aled"))


jitters = st.floats(0, 1, exclude_max=True)


@given(failures=st.integers(-3, 10**6), jitter=jitters)
def test_to_wait_is_never_negative_nor_longer_than_a_quarter_above_the_longest(
    failures: int, jitter: float
) -> None:
    plain, wait = backoff(failures, 0), backoff(failures, jitter)
    assert timedelta(0) <= plain <= wait <= plain * 1.25
    assert plain <= MAX_BACKOFF
    assert (wait > timedelta(0)) == (failures > 0)


@given(failures=st.integers(0, 100), one=jitters, other=jitters)
def test_each_wait_is_longer_than_the_last_until_the_longest(
    failures: int, one: float, other: float
) -> None:
    if backoff(failures, 0) < MAX_BACKOFF:
        assert backoff(failures, one) < backoff(failures + 1, other)
    low, high = sorted((one, other))
    assert backoff(failures, low) <= backoff(failures, high)


steps = st.lists(st.sampled_from(["pause", "resume", "invalidate", "fail", "break", "succeed"]))


def step(pipe: Pipe, verb: str, seconds: int) -> Pipe:
    match verb:
        case "pause":
            return paused(pipe, at(seconds))
        case "resume":
            return resumed(pipe, at(seconds))
        case "invalidate":
            return invalidated(pipe, "gone", at(seconds))
        case "fail":
            return broken(pipe, seconds)
        case "break":
            return broken(pipe, seconds, transient=False)
        case _:
            return succeeded(pipe, at(seconds), batch=seconds)


@given(verbs=steps)
def test_whatever_happens_to_a_pipe_the_laws_hold(verbs: list[str]) -> None:
    pipe = a_pipe()
    for seconds, verb in enumerate(verbs, start=1):
        before, pipe = pipe, step(pipe, verb, seconds)
        if before.status is not pipe.status:
            allowed = {
                "pause": {(PipeStatus.RUNNING, PipeStatus.PAUSED)},
                "resume": {(old, PipeStatus.RUNNING) for old in PipeStatus},
                "succeed": set(),
            }.get(verb, {(old, PipeStatus.INVALID) for old in PipeStatus})
            assert (before.status, pipe.status) in allowed
        assert (pipe.status is PipeStatus.INVALID) == (pipe.invalid_reason is not None)
        assert 0 <= pipe.failures <= LIMIT
        assert pipe.status is PipeStatus.INVALID or pipe.failures < LIMIT
        assert pipe.not_before is None or (pipe.failures > 0 and pipe.not_before > at(0))
        assert pipe.batch >= before.batch
        assert pipe.counters.failures_total >= before.counters.failures_total
        # No rule touches who the pipe is, what it does or how it was made.
        kept = {"name", "body", "properties", "target_id", "created_at", "creator"}
        assert all(getattr(pipe, name) == getattr(before, name) for name in kept)


@given(verbs=steps, jitter=jitters)
def test_a_pipe_that_is_resumed_is_as_new(verbs: list[str], jitter: float) -> None:
    pipe = a_pipe()
    for seconds, verb in enumerate(verbs, start=1):
        pipe = step(pipe, verb, seconds)
    again = resumed(pipe, at(1000))
    one = failed(again, at(1000), "no route", limit=LIMIT, transient=True, jitter=jitter)
    assert one.status is PipeStatus.RUNNING
    assert one.not_before == at(1000) + backoff(1, jitter)
