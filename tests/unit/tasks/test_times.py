"""Plan times and periods, also where a clock is changed."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.tasks.definitions import a_cycle

from headwater.tasks.times import next_time, period_of, previous_time, times_between


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("cycle", "zone", "wanted"),
    [
        ("EVERY 20 MINUTES", "UTC", ["00:20", "00:40", "01:00", "01:20"]),
        ("EVERY 1 HOUR AT ':10'", "UTC", ["00:10", "01:10"]),
        ("EVERY 6 HOURS", "UTC", []),
        ("DAILY AT '02:30'", "Asia/Shanghai", []),
        ("DAILY AT '09:00'", "Asia/Shanghai", ["01:00"]),
        ("CRON '0 0/30 * * * ? *'", "UTC", ["00:30", "01:00"]),
    ],
)
def test_plan_times_are_later_than_the_first_moment_and_include_the_last(
    cycle: str, zone: str, wanted: list[str]
) -> None:
    found = times_between(a_cycle(cycle, zone), utc(2026, 11, 15), utc(2026, 11, 15, 1, 20))
    assert [f"{moment:%H:%M}" for moment in found] == wanted


def test_a_schedule_has_a_first_and_a_last_day() -> None:
    cycle = a_cycle("DAILY AT '02:30' FROM '2026-11-16' TO '2026-11-17'")
    found = list(times_between(cycle, utc(2026, 11, 1), utc(2026, 12, 1)))
    assert [moment.day for moment in found] == [16, 17]
    assert next_time(cycle, utc(2026, 11, 18)) is None


def test_a_daily_time_that_the_clock_skips_runs_once_that_day() -> None:
    cycle = a_cycle("DAILY AT '02:30'", "Europe/Berlin")
    found = list(times_between(cycle, utc(2026, 3, 27, 12), utc(2026, 3, 30, 12)))
    assert [f"{moment:%d %H:%M}" for moment in found] == ["28 01:30", "29 01:30", "30 00:30"]


def test_a_daily_time_that_the_clock_shows_twice_runs_once_that_day() -> None:
    cycle = a_cycle("DAILY AT '02:30'", "Europe/Berlin")
    found = list(times_between(cycle, utc(2026, 10, 24, 12), utc(2026, 10, 26, 12)))
    assert [f"{moment:%d %H:%M}" for moment in found] == ["25 00:30", "26 01:30"]


@pytest.mark.parametrize("day", [utc(2026, 3, 28, 12), utc(2026, 10, 24, 12)])
@pytest.mark.parametrize("cycle", ["EVERY 1 HOUR AT ':10'", "EVERY 10 MINUTES"])
def test_cycles_of_hours_and_minutes_have_no_gap_where_the_clock_is_changed(
    cycle: str, day: datetime
) -> None:
    found = list(times_between(a_cycle(cycle, "Europe/Berlin"), day, day + timedelta(days=1)))
    steps = {later - earlier for earlier, later in itertools.pairwise(found)}
    assert steps == {timedelta(hours=1) if "HOUR" in cycle else timedelta(minutes=10)}


CYCLES = st.sampled_from(
    [
        "EVERY 1 MINUTE",
        "EVERY 7 MINUTES",
        "EVERY 1 HOUR AT ':10'",
        "EVERY 5 HOURS AT ':59'",
        "DAILY AT '02:30'",
        "CRON '0 30 2 ? * MON-FRI *'",
        "CRON '0 0/10 8-18 ? * MON *'",
    ]
)
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "+05:30"])
MOMENTS = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)).map(
    lambda moment: moment.replace(tzinfo=UTC)
)


@given(CYCLES, ZONES, MOMENTS)
def test_next_and_previous_are_neighbours(cycle: str, zone: str, at: datetime) -> None:
    made = a_cycle(cycle, zone)
    following = next_time(made, at)
    assert following is not None
    assert following > at
    before = previous_time(made, following, not_before=at - timedelta(days=9))
    assert before is not None
    assert before <= at
    assert list(times_between(made, before, following)) == [following]


@given(CYCLES, ZONES, MOMENTS)
def test_a_period_holds_its_plan_time_and_meets_no_other(
    cycle: str, zone: str, at: datetime
) -> None:
    made = a_cycle(cycle, zone)
    first = next_time(made, at)
    assert first is not None
    second = next_time(made, first)
    assert second is not None
    start, end = period_of(made, first)
    assert start <= first < end
    assert end <= period_of(made, second)[0]


@given(CYCLES, ZONES, MOMENTS, st.integers(0, 72))
def test_plan_times_of_two_ranges_are_those_of_the_whole(
    cycle: str, zone: str, at: datetime, hours: int
) -> None:
    made, middle, end = a_cycle(cycle, zone), at + timedelta(hours=hours), at + timedelta(days=3)
    parts = [*times_between(made, at, middle), *times_between(made, middle, end)]
    assert parts == list(times_between(made, at, end))
