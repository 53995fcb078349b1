"""What happened over time, counted in spans."""

from __future__ import annotations

from datetime import datetime, timedelta

from headwater.studio.buckets import Happened, buckets

_NOW = datetime(2026, 11, 16, 12, 34)
_HOUR = timedelta(hours=1)


def test_spans_begin_at_full_hours_and_the_last_is_that_of_now() -> None:
    found = buckets([], _NOW, count=3)
    assert [bucket.begin.hour for bucket in found] == [10, 11, 12]
    assert {bucket.begin.minute for bucket in found} == {0}


def test_every_event_of_the_time_shown_is_counted_once() -> None:
    events = [Happened(_NOW - minute * timedelta(minutes=1), amount=2) for minute in range(120)]
    events.append(Happened(_NOW - 9 * _HOUR))
    found = buckets(events, _NOW, count=3)
    assert sum(bucket.done for bucket in found) == 120
    assert sum(bucket.amount for bucket in found) == 240
    assert [bucket.done for bucket in found] == [25, 60, 35]


def test_failures_are_counted_apart() -> None:
    (found,) = buckets([Happened(_NOW), Happened(_NOW, ok=False)], _NOW, count=1)
    assert (found.done, found.failed) == (1, 1)


def test_an_event_of_the_future_is_not_shown() -> None:
    assert sum(b.done for b in buckets([Happened(_NOW + 2 * _HOUR)], _NOW)) == 0
