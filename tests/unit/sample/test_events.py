"""The events of the sample: plausible, the same each time, and as many as are due."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from headwater.sample.events import Event, events
from headwater.sample.state import SampleState, growth
from headwater.sample.texts import insert_text
from headwater.sql.dml import Insert
from headwater.sql.parse import parse
from headwater.sql.tokens import tokenize

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def made(first: int, count: int, seed: int = 1) -> list[Event]:
    return list(events(seed, first, count, since=NOON - HOUR, until=NOON))


def without_times(found: list[Event]) -> list[Event]:
    return [replace(event, event_time=NOON) for event in found]


def test_events_are_the_same_in_whatever_pieces_they_come() -> None:
    pieces = made(0, 7) + made(7, 1) + made(8, 12)
    assert without_times(pieces) == without_times(made(0, 20))
    assert without_times(made(0, 20, seed=2)) != without_times(made(0, 20))


def test_their_times_lie_within_what_was_asked_for_and_end_at_its_end() -> None:
    times = [event.event_time for event in made(0, 60)]
    assert times == sorted(times)
    assert times[0] == NOON - HOUR + timedelta(minutes=1)
    assert times[-1] == NOON


def test_they_look_like_a_shop() -> None:
    found = made(0, 4000)
    kinds = Counter(event.event_type for event in found)
    assert kinds.keys() == {"view", "add_to_cart", "purchase"}
    assert kinds["view"] > 5 * kinds["add_to_cart"] > 5 * kinds["purchase"]
    by_product = {(event.product_id, event.brand, event.price) for event in found}
    assert len(by_product) == len({event.product_id for event in found}), "a product has one price"
    by_session = {(event.user_session, event.user_id) for event in found}
    assert len(by_session) == 4000 / 8, "a session has one user"
    assert all(event.price > 0 for event in found)


@pytest.mark.parametrize(("seconds", "count"), [(0.9, 0), (1, 1), (90, 90), (86_400, 300)])
def test_as_many_are_due_as_the_rate_says_but_no_more_than_five_minutes_of_them(
    seconds: float, count: int
) -> None:
    state = SampleState(60, 1, 500, NOON)
    due = growth(state, NOON + timedelta(seconds=seconds))
    assert (due.count if due else 0) == count


def test_parts_of_events_are_not_lost() -> None:
    state, at, added = SampleState(7, 1, 0, NOON), NOON, 0
    for _ in range(60):
        at += timedelta(seconds=10)
        due = growth(state, at)
        if due is not None:
            assert due.first == state.next
            added += due.count
            state = due.after
    assert added == pytest.approx(70, abs=1)
    assert state.next == added


def test_a_growth_is_one_insert() -> None:
    text = insert_text(made(0, 3))
    assert isinstance(parse(text, tokenize(text)), Insert)
    assert text.count("\n") == 3
    assert text.startswith("INSERT INTO headwater_sample_data.ecommerce_events_history.")
    assert "TIMESTAMP '2026-11-01 12:00:00.000000Z'" in text
