"""What VACUUM leaves alone: everything that a version within retention or a live stream needs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from headwater.streams.vacuum_horizon import Horizon, Need, vacuum_horizon

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
WEEK, LIMIT = timedelta(days=7), timedelta(days=14)


def need(stream: str, since: float, first: float) -> Need:
    return Need(stream, NOW - timedelta(days=since), NOW - timedelta(days=first))


def test_without_streams_the_retention_decides() -> None:
    assert vacuum_horizon([], at=NOW, retention=WEEK, limit=LIMIT) == Horizon(7 * 24)
    assert vacuum_horizon([], at=NOW, retention=timedelta(), limit=LIMIT) == Horizon(0)


def test_a_stream_within_the_retention_holds_nothing_more() -> None:
    found = vacuum_horizon([need("s", 3, 2)], at=NOW, retention=WEEK, limit=LIMIT)
    assert found == Horizon(7 * 24)


def test_a_stream_beyond_the_retention_holds_back_and_is_named() -> None:
    old, older = need("s", 9, 8), need("u", 11, 10)
    found = vacuum_horizon([old, older], at=NOW, retention=WEEK, limit=LIMIT)
    assert found == Horizon(11 * 24 + 1, older)


def test_a_stale_stream_holds_nothing() -> None:
    found = vacuum_horizon([need("s", 20, 15)], at=NOW, retention=WEEK, limit=LIMIT)
    assert found == Horizon(7 * 24)


def test_a_long_quiet_before_the_first_change_is_not_reported_as_held() -> None:
    """The version is old, but was replaced yesterday: the retention alone keeps its files."""
    found = vacuum_horizon([need("s", 100, 1)], at=NOW, retention=WEEK, limit=LIMIT)
    assert found.held_by is None
    assert found.hours >= 24


def test_files_that_a_slow_statement_removed_are_kept_too() -> None:
    """It noted the removals when it began, right after the version that the stream stands at."""
    slow = need("s", 2, 0.1)
    found = vacuum_horizon([slow], at=NOW, retention=timedelta(), limit=LIMIT)
    assert found.hours >= 48
    assert found.held_by == slow


needs = st.lists(
    st.tuples(st.integers(0, 40 * 24), st.integers(0, 40 * 24)).map(
        lambda pair: need("s", max(pair) / 24, min(pair) / 24)
    ),
    max_size=4,
)


@given(needs, st.integers(0, 90), st.integers(0, 90))
def test_nothing_goes_that_somebody_may_still_read(
    given_needs: list[Need], retention_days: int, limit_days: int
) -> None:
    retention, limit = timedelta(days=retention_days), timedelta(days=limit_days)
    found = vacuum_horizon(given_needs, at=NOW, retention=retention, limit=limit)
    oldest_kept = NOW - timedelta(hours=found.hours)
    assert oldest_kept <= NOW - retention
    live = [n for n in given_needs if NOW - n.first_unconsumed_at <= limit]
    assert all(oldest_kept < n.since for n in live)
    if not live:
        assert found == Horizon(retention_days * 24)
