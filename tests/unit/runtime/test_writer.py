"""The right to write: confirmed at the moment of a commit, and kept by beats that do not end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.unit.catalog.new_catalog import new_catalog
from tests.unit.catalog.samples import FakeClock, an_instance

from headwater.catalog.store import Store
from headwater.errors import TransientError
from headwater.runtime.writer import Heartbeat, Writer

LEASE_SECONDS = 30


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store(tmp_path: Path, clock: FakeClock) -> Iterator[Store]:
    opened = Store.open(new_catalog(tmp_path / "c.db"), clock=clock)
    yield opened
    opened.close()


def a_writer(store: Store, name: str) -> Writer:
    instance = an_instance(name, host=f"host-of-{name}")
    store.instances.register(instance)
    return Writer(store, instance, lease_seconds=LEASE_SECONDS)


def test_who_is_confirmed_keeps_the_lake_for_a_whole_lease(store: Store, clock: FakeClock) -> None:
    writer = a_writer(store, "i1")
    fencing = writer.ensure()
    clock.advance(LEASE_SECONDS - 1)
    writer.confirm(fencing)
    held = store.lease.get()
    assert held is not None
    assert held.expires_at == clock.now + timedelta(seconds=LEASE_SECONDS)


def test_a_lease_that_nobody_took_is_confirmed_late(store: Store, clock: FakeClock) -> None:
    writer = a_writer(store, "i1")
    fencing = writer.ensure()
    clock.advance(10 * LEASE_SECONDS)
    writer.confirm(fencing)
    assert writer.fencing == fencing


def test_who_was_taken_over_from_is_refused_and_knows_it(store: Store, clock: FakeClock) -> None:
    first, second = a_writer(store, "i1"), a_writer(store, "i2")
    fencing = first.ensure()
    clock.advance(2 * LEASE_SECONDS)
    second.ensure()
    with pytest.raises(TransientError, match="LEASE_LOST"):
        first.confirm(fencing)
    assert first.fencing is None
    assert first.lost == 1


def test_an_old_number_is_refused_although_the_lake_is_held_again(
    store: Store, clock: FakeClock
) -> None:
    first, second = a_writer(store, "i1"), a_writer(store, "i2")
    fencing = first.ensure()
    clock.advance(2 * LEASE_SECONDS)
    second.ensure()
    second.release()
    again = first.ensure()
    assert again > fencing
    with pytest.raises(TransientError, match="LEASE_LOST"):
        first.confirm(fencing)
    first.confirm(again)
    assert first.fencing == again


def test_a_heartbeat_goes_on_whatever_a_beat_raises() -> None:
    beats = list[int]()
    third = threading.Event()

    def beat() -> None:
        beats.append(1)
        if len(beats) == 3:
            third.set()
        raise ConnectionRefusedError(111, "Connection refused")

    heartbeat = Heartbeat(beat, every=0.01)
    heartbeat.start()
    assert third.wait(10)
    heartbeat.stop()
