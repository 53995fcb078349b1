"""What is forgotten, and in which order."""

from __future__ import annotations

from headwater.service.keeping import Kept, to_forget
from headwater.service.limits import Limits

LIMITS = Limits(statements=3, statement_seconds=100, fetched_seconds=10, result_bytes=50)


def test_what_is_old_goes_and_what_was_fetched_goes_sooner() -> None:
    kept = [
        Kept("old", 0, 101, fetched=False),
        Kept("young", 0, 99, fetched=False),
        Kept("had", 0, 11, fetched=True),
        Kept("having", 0, 9, fetched=True),
    ]
    assert to_forget(kept, LIMITS) == {"old", "had"}


def test_too_many_lose_the_oldest_that_were_fetched_first() -> None:
    kept = [Kept(f"w{n}", 0, n, fetched=False) for n in range(3)]
    kept += [Kept(f"f{n}", 0, n, fetched=True) for n in range(2)]
    assert to_forget(kept, LIMITS) == {"f0", "f1"}


def test_too_many_bytes_lose_the_oldest() -> None:
    kept = [Kept("a", 30, 3, fetched=False), Kept("b", 30, 2, fetched=False)]
    assert to_forget(kept, LIMITS) == {"a"}


def test_what_is_within_the_limits_stays() -> None:
    assert to_forget([Kept("a", 50, 1, fetched=False)], LIMITS) == set()
