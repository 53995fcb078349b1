"""Instances and the lease in the store, with a clock that the test moves."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.unit.catalog.new_catalog import emptied_store
from tests.unit.catalog.samples import START, FakeClock, an_instance, at

from headwater.catalog.lease_rules import Instance, Lease
from headwater.catalog.store import Store
from headwater.errors import TransientError, UserError

TTL = timedelta(seconds=30)


def alive(_holder: Instance) -> bool:
    return True


def dead(_holder: Instance) -> bool:
    return False


@pytest.fixture
def two(store: Store) -> Store:
    """The store with the processes i1 and i2."""
    store.instances.register(an_instance("i1"))
    store.instances.register(an_instance("i2", host="brook", pid=42, user_name="bob"))
    return store


def test_a_process_registers_shows_signs_of_life_and_goes(store: Store, clock: FakeClock) -> None:
    instance = an_instance()
    store.instances.register(instance)
    assert store.instances.get("i1") == instance
    clock.advance(10)
    assert store.instances.heartbeat("i1")
    found = store.instances.get("i1")
    assert found is not None
    assert (found.heartbeat_at, found.started_at) == (at(10), START)
    assert store.instances.list() == [found]
    store.instances.register(an_instance(pid=99))
    assert store.instances.get("i1") == an_instance(pid=99)
    store.instances.remove("i1")
    assert store.instances.get("i1") is None
    assert not store.instances.heartbeat("i1")


def test_a_second_process_is_refused_and_told_who_holds_the_lake(two: Store) -> None:
    assert two.lease.get() is None
    assert two.lease.acquire("i1", ttl=TTL, holder_alive=alive) == 1
    assert two.lease.get() == Lease("i1", 1, START, START + TTL)
    with pytest.raises(UserError) as caught:
        two.lease.acquire("i2", ttl=TTL, holder_alive=alive)
    assert str(caught.value) == (
        "LAKE_LOCKED: the lake is in use by process 4711 of user 'ada' on host 'river' since "
        "2026-11-15 12:00:00+00:00\n"
        "hint: close that process, or wait until 2026-11-15 12:00:30+00:00"
    )


def test_the_holder_is_shown_to_the_one_who_judges_its_life(two: Store) -> None:
    two.lease.acquire("i1", ttl=TTL, holder_alive=alive)
    asked: list[Instance] = []

    def judge(holder: Instance) -> bool:
        asked.append(holder)
        return False

    assert two.lease.acquire("i2", ttl=TTL, holder_alive=judge) == 2
    assert asked == [an_instance("i1")]


def test_a_dead_holder_is_followed_at_once(two: Store) -> None:
    two.lease.acquire("i1", ttl=TTL, holder_alive=alive)
    assert two.lease.acquire("i2", ttl=TTL, holder_alive=dead) == 2


def test_an_expired_lease_is_taken_over_and_the_old_holder_notices(
    two: Store, clock: FakeClock
) -> None:
    two.lease.acquire("i1", ttl=TTL, holder_alive=alive)
    clock.advance(30)
    assert two.lease.acquire("i2", ttl=TTL, holder_alive=alive) == 2
    with pytest.raises(TransientError, match=r"LEASE_LOST.*taken over"):
        two.lease.check("i1", 1)
    assert not two.lease.renew("i1", 1, ttl=TTL)
    two.lease.release("i1", 1)
    two.lease.check("i2", 2)


def test_a_renewed_lease_goes_on(two: Store, clock: FakeClock) -> None:
    two.lease.acquire("i1", ttl=TTL, holder_alive=alive)
    clock.advance(20)
    assert two.lease.renew("i1", 1, ttl=TTL)
    clock.advance(20)
    two.lease.check("i1", 1)
    with pytest.raises(UserError, match="LAKE_LOCKED"):
        two.lease.acquire("i2", ttl=TTL, holder_alive=alive)


def test_an_expired_lease_fails_the_check_until_it_is_renewed(two: Store, clock: FakeClock) -> None:
    two.lease.acquire("i1", ttl=TTL, holder_alive=alive)
    clock.advance(31)
    with pytest.raises(TransientError, match="not renewed in time"):
        two.lease.check("i1", 1)
    assert two.lease.renew("i1", 1, ttl=TTL)
    two.lease.check("i1", 1)


def test_a_released_lease_keeps_its_number(two: Store) -> None:
    two.lease.acquire("i1", ttl=TTL, holder_alive=alive)
    two.lease.release("i1", 1)
    assert two.lease.get() == Lease(None, 1)
    with pytest.raises(TransientError, match="released"):
        two.lease.check("i1", 1)
    assert two.lease.acquire("i2", ttl=TTL, holder_alive=alive) == 2


def test_the_same_process_gets_a_new_number_and_its_old_one_is_void(two: Store) -> None:
    assert two.lease.acquire("i1", ttl=TTL, holder_alive=alive) == 1
    assert two.lease.acquire("i1", ttl=TTL, holder_alive=alive) == 2
    with pytest.raises(TransientError):
        two.lease.check("i1", 1)
    two.lease.check("i1", 2)


def test_removing_the_holder_frees_the_lake_and_keeps_its_number(two: Store) -> None:
    two.lease.acquire("i1", ttl=TTL, holder_alive=alive)
    two.instances.remove("i1")
    assert two.lease.acquire("i2", ttl=TTL, holder_alive=alive) == 2


def test_a_check_inside_a_transaction_stops_its_writes(two: Store) -> None:
    two.lease.acquire("i1", ttl=TTL, holder_alive=alive)
    two.lease.acquire("i2", ttl=TTL, holder_alive=dead)

    def write_from_the_past() -> None:
        with two.begin() as connection:
            two.settings.set("key", "value", connection=connection)
            two.lease.check("i1", 1, connection=connection)

    with pytest.raises(TransientError, match="LEASE_LOST"):
        write_from_the_past()
    assert two.settings.all() == {}


def test_a_holder_that_renews_while_it_is_judged_dead_keeps_the_lake(
    two: Store, clock: FakeClock
) -> None:
    two.lease.acquire("i1", ttl=TTL, holder_alive=alive)
    verdicts = iter([False, True])

    def judge(_holder: Instance) -> bool:
        clock.advance(1)
        two.lease.renew("i1", 1, ttl=TTL)
        return next(verdicts)

    with pytest.raises(UserError, match="LAKE_LOCKED"):
        two.lease.acquire("i2", ttl=TTL, holder_alive=judge)
    two.lease.check("i1", 1)


def test_no_number_is_given_twice_when_the_holder_asks_again_while_it_is_judged(
    two: Store,
) -> None:
    two.lease.acquire("i1", ttl=TTL, holder_alive=alive)
    asked: list[Instance] = []

    def judge(holder: Instance) -> bool:
        if not asked:
            assert two.lease.acquire("i1", ttl=TTL, holder_alive=alive) == 2
        asked.append(holder)
        return False

    assert two.lease.acquire("i2", ttl=TTL, holder_alive=judge) == 3
    assert len(asked) == 2


def test_of_many_that_ask_at_once_exactly_one_gets_the_lake(two: Store) -> None:
    names = [f"n{n}" for n in range(4)]
    for name in names:
        two.instances.register(an_instance(name))
    barrier = Barrier(4)

    def ask(name: str) -> int | str:
        barrier.wait()
        try:
            return two.lease.acquire(name, ttl=TTL, holder_alive=alive)
        except UserError as error:
            return error.condition

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(ask, names))
    assert sorted(answers, key=str) == [1, *["LAKE_LOCKED"] * 3]


class LeaseMachine(RuleBasedStateMachine):
    """Three processes do what they like with one lease, while time goes by."""

    def __init__(self) -> None:
        super().__init__()
        self.store, self.clock = emptied_store()
        self.numbers: dict[str, int] = {}
        self.highest = 0
        for name in ("a", "b", "c"):
            self.store.instances.register(an_instance(name))

    who = st.sampled_from(["a", "b", "c"])

    @rule(name=who, holder_is_alive=st.booleans())
    def acquire(self, name: str, holder_is_alive: bool) -> None:
        try:
            number = self.store.lease.acquire(
                name, ttl=TTL, holder_alive=lambda _holder: holder_is_alive
            )
        except UserError:
            assert holder_is_alive
            return
        assert number == self.highest + 1
        self.numbers[name] = self.highest = number

    @rule(name=who)
    def renew(self, name: str) -> None:
        if name in self.numbers:
            renewed = self.store.lease.renew(name, self.numbers[name], ttl=TTL)
            assert renewed <= (self.numbers[name] == self.highest)

    @rule(name=who)
    def release(self, name: str) -> None:
        if name in self.numbers:
            self.store.lease.release(name, self.numbers[name])

    @rule(seconds=st.sampled_from([1, 15, 29, 31]))
    def time_goes_by(self, seconds: int) -> None:
        self.clock.advance(seconds)

    @invariant()
    def at_most_one_holds_the_lake_and_it_has_the_highest_number(self) -> None:
        holders = []
        for name, number in self.numbers.items():
            try:
                self.store.lease.check(name, number)
            except TransientError:
                continue
            holders.append(number)
        assert holders in ([], [self.highest])


LeaseMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
TestLeaseMachine = LeaseMachine.TestCase
