"""How far a Kafka pipe is behind: as it was found, and as it is when somebody asks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from headwater.pipes.latency import latency, latency_after_failure, latency_at

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
NOON_MS = round(NOON.timestamp() * 1000)
MINUTE = timedelta(minutes=1)


def test_a_pipe_that_has_read_everything_was_current_when_it_looked() -> None:
    found = latency({"orders": {0: 0, 1: 0}}, at=NOON, last_batch_at=NOON - MINUTE)
    assert found == {
        "kafka": {
            "lags": {"0": 0, "1": 0},
            "lastConsumeTimestamp": NOON_MS,
            "offsetLag": 0,
            "timeLag": 0,
        }
    }


def test_a_pipe_with_messages_left_is_behind_since_its_last_batch() -> None:
    found = latency({"orders": {0: 5, 1: 2}}, at=NOON, last_batch_at=NOON - MINUTE)["kafka"]
    assert (found["offsetLag"], found["timeLag"]) == (7, 60_000)
    assert latency({"orders": {0: 5}}, at=NOON, last_batch_at=None)["kafka"]["timeLag"] == -1


def test_time_goes_on_while_nobody_looks() -> None:
    found = latency({"orders": {0: 0}}, at=NOON, last_batch_at=None)
    assert latency_at(found, NOON + MINUTE)["kafka"]["timeLag"] == 60_000
    assert latency_at(found, NOON + MINUTE)["kafka"]["lastConsumeTimestamp"] == NOON_MS
    # A clock that was set back makes nobody early.
    assert latency_at(found, NOON - MINUTE)["kafka"]["timeLag"] == 0


def test_after_a_failure_nobody_knows() -> None:
    failed = latency_after_failure(latency({"orders": {0: 0}}, at=NOON, last_batch_at=None))
    assert latency_at(failed, NOON + MINUTE)["kafka"]["timeLag"] == -1
    assert latency_at(latency_after_failure(None), NOON)["kafka"]["timeLag"] == -1
