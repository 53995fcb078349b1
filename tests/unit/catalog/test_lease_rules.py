"""The decision who may write the lake, without any database."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.catalog.samples import START, at

from headwater.catalog.lease_rules import Grant, Lease, Refusal, decide, why_lost

HELD = Lease("other", 7, START, at(30))


def test_a_lease_that_never_was_is_granted_with_the_number_one() -> None:
    assert decide(None, "me", now=START, holder_alive=False) == Grant(1)


def test_a_released_lease_is_granted_with_the_next_number() -> None:
    assert decide(Lease(None, 7), "me", now=START, holder_alive=False) == Grant(8)


def test_a_held_lease_is_refused() -> None:
    assert decide(HELD, "me", now=at(29), holder_alive=True) == Refusal(HELD)


def test_a_lease_is_free_from_the_moment_it_expires() -> None:
    assert decide(HELD, "me", now=at(30), holder_alive=True) == Grant(8)


def test_a_dead_holder_loses_its_lease_at_once() -> None:
    assert decide(HELD, "me", now=at(1), holder_alive=False) == Grant(8)


def test_the_holder_itself_is_granted_again_with_a_new_number() -> None:
    assert decide(HELD, "other", now=at(1), holder_alive=True) == Grant(8)


@pytest.mark.parametrize(
    ("current", "now", "reason"),
    [
        (Lease("me", 7, START, at(30)), at(29), None),
        (Lease("me", 7, START, at(30)), at(30), "its lease was not renewed in time"),
        (Lease("me", 8, START, at(30)), at(1), "it has been taken over since"),
        (Lease("other", 8, START, at(30)), at(1), "it has been taken over since"),
        (Lease(None, 7), at(1), "it was released"),
        (Lease(None, 9), at(1), "it has been taken over since"),
        (None, at(1), "it has been taken over since"),
    ],
)
def test_a_holder_learns_why_it_lost_the_lake(
    current: Lease | None, now: object, reason: str | None
) -> None:
    assert why_lost(current, "me", fencing=7, now=now) == reason  # type: ignore[arg-type]


leases = st.none() | st.builds(
    Lease,
    holder=st.none() | st.sampled_from(["me", "other"]),
    fencing=st.integers(1, 10**9),
    acquired_at=st.none() | st.just(START),
    expires_at=st.none() | st.integers(-100, 100).map(at),
)


@given(current=leases, seconds=st.integers(-100, 100), alive=st.booleans())
def test_every_grant_is_one_above_all_before_and_ends_the_right_of_the_old_holder(
    current: Lease | None, seconds: int, alive: bool
) -> None:
    now = at(seconds)
    decision = decide(current, "me", now=now, holder_alive=alive)
    before = current.fencing if current else 0
    if isinstance(decision, Grant):
        assert decision.fencing == before + 1
        taken = Lease("me", decision.fencing, now, at(1000))
        assert why_lost(taken, "other", fencing=before, now=now) is not None
        assert why_lost(taken, "me", fencing=decision.fencing, now=now) is None
    else:
        assert current is not None
        assert current.holder == "other"
        assert alive
        assert why_lost(current, "other", fencing=before, now=now) is None
