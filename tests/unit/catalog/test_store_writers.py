"""Threads that write to one catalog file: each gets its turn as soon as the one before is done."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from statistics import median

from tests.unit.catalog.new_catalog import new_catalog
from tests.unit.catalog.samples import FakeClock, a_job

from headwater.catalog.store import Store

HELD_SECONDS = 0.3
SOON_SECONDS = 0.02


def test_a_writer_that_waited_starts_when_the_other_ends_and_not_when_it_looks_again(
    tmp_path: Path,
) -> None:
    store = Store.open(new_catalog(tmp_path / "c.db"), clock=FakeClock())
    delays = [_delay(store, number) for number in range(7)]
    store.close()
    assert median(delays) < SOON_SECONDS, delays


def _delay(store: Store, number: int) -> float:
    """How long a thread goes on waiting after the transaction that it waits for has ended."""
    wrote: list[float] = []

    def write() -> None:
        store.jobs.start(a_job(id=f"job{number}"))
        wrote.append(time.monotonic())

    waiting = threading.Thread(target=write)
    with store.begin():
        waiting.start()
        # A different moment of the sleeps that SQLite would take, each time.
        time.sleep(HELD_SECONDS + number / 100)
        ended = time.monotonic()
    waiting.join()
    return wrote[0] - ended


def test_many_threads_that_write_at_once_all_get_through(tmp_path: Path) -> None:
    store = Store.open(new_catalog(tmp_path / "c.db"), clock=FakeClock())
    failed: list[BaseException] = []

    def write(thread: int) -> None:
        try:
            for number in range(10):
                store.jobs.start(a_job(id=f"job{thread}-{number}"))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(store.jobs.list()) == 400
    store.close()
