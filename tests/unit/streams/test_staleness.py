"""When a stream is stale, and when it says so beforehand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.streams.staleness import limit_of, stale_after, staleness

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
LIMIT = timedelta(days=10)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


@pytest.mark.parametrize(("retention", "extension", "days"), [(7, 14, 14), (60, 14, 60), (0, 0, 0)])
def test_the_limit_is_the_longer_of_both(retention: int, extension: int, days: int) -> None:
    found = limit_of(retention_days=retention, extension_days=extension)
    assert found == timedelta(days=days)


def test_a_source_that_does_not_change_never_makes_a_stream_stale() -> None:
    stands = staleness(None, LIMIT, at=NOW + timedelta(days=10_000))
    assert (stands.stale, stands.stale_after, stands.warning) == (False, None, None)


@pytest.mark.parametrize(
    ("days", "stale", "warning"),
    [
        (0, False, None),
        (7.999, False, None),
        (8, False, "it is stale in 2 days: consume it, or raise data_retention_days of its table"),
        (9.99, False, "it is stale in less than an hour: consume it"),
        (10, False, "it is stale in less than an hour"),
        (10.001, True, None),
    ],
)
def test_it_warns_from_four_fifths_of_the_way(
    days: float, stale: bool, warning: str | None
) -> None:
    stands = staleness(ago(days), LIMIT, at=NOW)
    assert stands.stale is stale
    assert stands.stale_after == ago(days) + LIMIT
    assert (stands.warning or "").startswith(warning or "")
    assert (stands.warning is None) == (warning is None)


def test_a_source_that_is_gone_for_good_makes_a_stream_stale() -> None:
    stands = staleness(None, LIMIT, at=NOW, source_purged=True)
    assert stands.stale
    assert stands.warning == "what it watches was dropped for good"


@given(
    st.integers(0, 60 * 86_400), st.integers(0, 60 * 86_400), st.integers(0, 30), st.integers(0, 30)
)
def test_waiting_longer_and_keeping_less_never_makes_it_fresher(
    seconds: int, more: int, days: int, fewer: int
) -> None:
    first = NOW - timedelta(seconds=seconds)
    limit = timedelta(days=days)
    short = timedelta(days=max(0, days - fewer))
    now_stale = staleness(first, limit, at=NOW).stale
    assert now_stale == (stale_after(first, limit) < NOW)  # type: ignore[operator]
    if now_stale:
        assert staleness(first, limit, at=NOW + timedelta(seconds=more)).stale
        assert staleness(first, short, at=NOW).stale
