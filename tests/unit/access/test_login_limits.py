"""How often somebody may try."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.access import login_limits
from headwater.access.login_limits import LoginLimits

START = datetime(2026, 11, 16, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_after_a_burst_each_try_has_to_be_waited_for() -> None:
    limits = LoginLimits(burst=3, seconds_per_try=10)
    for _ in range(3):
        assert limits.wait("ann", START) == 0
        limits.spend("ann", START)
    assert limits.wait("ann", START) == 10
    assert limits.wait("bob", START) == 0
    assert limits.wait("ann", after(4)) == 6
    assert limits.wait("ann", after(10)) == 0
    limits.clear("ann")
    assert limits.wait("ann", START) == 0


@given(st.lists(st.floats(min_value=0, max_value=30), max_size=60))
def test_no_stretch_of_time_has_more_tries_than_it_may(pauses: list[float]) -> None:
    limits = LoginLimits(burst=3, seconds_per_try=10)
    taken: list[float] = []
    at = 0.0
    for pause in pauses:
        at += pause
        if limits.wait("ann", after(at)) == 0:
            limits.spend("ann", after(at))
            taken.append(at)
    for first, start in enumerate(taken):
        for last, end in enumerate(taken[first:], start=1):
            assert last <= 3 + (end - start) / 10 + 1e-3


def test_many_names_take_bounded_memory() -> None:
    limits = LoginLimits()
    for number in range(login_limits._MOST_KEYS * 2):
        limits.spend(str(number), START)
    assert len(limits._buckets) <= login_limits._MOST_KEYS
