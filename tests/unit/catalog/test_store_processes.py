"""The store used by several real processes at once."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack
from datetime import timedelta

import pytest
from tests.processes import python, read_line
from tests.unit.catalog.lake_process import TTL, lake_process, now, process_lives
from tests.unit.catalog.samples import FakeClock, an_instance

from headwater.catalog.store import Store
from headwater.errors import UserError


@pytest.fixture
def clock(clock: FakeClock) -> FakeClock:
    """Starts at the real time, because the other processes live in it."""
    clock.now = now()
    return clock


def test_processes_that_open_a_fresh_lake_at_once_all_succeed_with_one_lake(fresh_url: str) -> None:
    with ExitStack() as stack:
        others = [stack.enter_context(lake_process(fresh_url, f"p{n}")) for n in range(4)]
        assert [other.ask("ready") for other in others] == ["ready"] * 4
        for other in others:
            other.tell("open")
        lakes = {other.answer() for other in others}
    assert len(lakes) == 1
    store = Store.open(fresh_url, clock=now)
    assert {store.lake_id} == lakes
    assert len(store.instances.list()) == 4
    store.close()


def test_of_processes_that_ask_for_the_lake_at_once_one_gets_it(url: str) -> None:
    with ExitStack() as stack:
        others = [stack.enter_context(lake_process(url, f"p{n}")) for n in range(3)]
        for other in others:
            other.ask("open")
        for other in others:
            other.tell("acquire")
        answers = [other.answer() for other in others]
    refused = [answer for answer in answers if answer != 1]
    assert answers.count(1) == 1
    assert [answer["condition"] for answer in refused] == ["LAKE_LOCKED"] * 2


def test_a_living_holder_is_named_to_the_second_process(store: Store, url: str) -> None:
    store.instances.register(an_instance("me"))
    with lake_process(url, "holder") as holder:
        holder.ask("open")
        assert holder.ask("acquire") == 1
        with pytest.raises(UserError) as caught:
            store.lease.acquire("me", ttl=TTL, holder_alive=process_lives)
    error = caught.value
    assert error.condition == "LAKE_LOCKED"
    assert f"process {holder.pid} of user 'user-holder' on host 'host-holder'" in error.message


def test_a_killed_holder_that_is_known_to_be_dead_is_followed_at_once(
    store: Store, url: str
) -> None:
    store.instances.register(an_instance("me"))
    with lake_process(url, "holder") as holder:
        holder.ask("open")
        holder.ask("acquire")
        holder.kill()
    assert store.lease.acquire("me", ttl=TTL, holder_alive=process_lives) == 2


def test_a_killed_holder_of_which_nothing_is_known_is_followed_when_its_lease_ends(
    store: Store, clock: FakeClock, url: str
) -> None:
    store.instances.register(an_instance("me"))
    with lake_process(url, "holder") as holder:
        holder.ask("open")
        holder.ask("acquire")
        holder.kill()
    with pytest.raises(UserError, match="LAKE_LOCKED"):
        store.lease.acquire("me", ttl=TTL, holder_alive=lambda _holder: True)
    clock.now = now() + TTL + timedelta(seconds=1)
    assert store.lease.acquire("me", ttl=TTL, holder_alive=lambda _holder: True) == 2


def test_a_holder_that_slept_through_its_lease_finds_it_lost(
    store: Store, clock: FakeClock, url: str
) -> None:
    store.instances.register(an_instance("me"))
    with lake_process(url, "sleeper") as sleeper:
        sleeper.ask("open")
        sleeper.ask("acquire")
        assert sleeper.ask("check") is None
        os.kill(sleeper.pid, signal.SIGSTOP)
        clock.now = now() + TTL + timedelta(seconds=1)
        assert store.lease.acquire("me", ttl=TTL, holder_alive=process_lives) == 2
        os.kill(sleeper.pid, signal.SIGCONT)
        lost = sleeper.ask("check")
        assert lost["condition"] == "LEASE_LOST"
        assert "taken over" in lost["message"]
        assert sleeper.ask("renew") is False
    store.lease.check("me", 2)


SHOW_LOADED = """
import sys
from datetime import UTC, datetime
from headwater.catalog.store import Store
print(*sorted(sys.modules))
store = Store.open(sys.argv[1], clock=lambda: datetime.now(UTC))
print(*sorted(sys.modules))
"""


def test_importing_the_store_loads_no_driver_and_opening_a_current_one_no_alembic(
    store: Store, url: str
) -> None:
    with python(SHOW_LOADED, url) as reader:
        imported, opened = (set(read_line(reader).split()) for _ in range(2))
    assert not {"alembic", "psycopg", "sqlalchemy.dialects.postgresql"} & imported
    assert "alembic" not in opened
    uses_postgres = url.startswith("postgresql")
    assert ("psycopg" in opened) == uses_postgres
    assert ("sqlalchemy.dialects.postgresql" in opened) == uses_postgres
