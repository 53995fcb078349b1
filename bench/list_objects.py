"""Listing 100,000 objects of a real S3 server against obstore, the fastest public client we know.

Both list the same bucket of a SeaweedFS on this machine and take every object's name, size, time
and etag into Python. The target is a rate, so it is written as the time it allows: 1 / 0.9. Memory
is that of this process; the server has its own.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from bench.machine import memory_megabytes
from bench.measure import Contender, duel
from bench.outcome import Findings, Outcome, times_rival
from bench.scratch import Scratch
from headwater.storage.addresses import parse_location
from headwater.storage.open_store import open_store

if TYPE_CHECKING:
    from tests.seaweedfs import SeaweedServer

    from headwater.storage.store import Store

OBJECTS = 100_000
LEAST_RATE = 0.9
MOST_GROWTH_MEGABYTES = 20.0
_FOLDERS = 100
_ROUNDS = 7
_WRITERS = 32


def run(scratch: Scratch) -> Findings:
    """Fill a bucket, then list it in turn."""
    from tests.seaweedfs import running_seaweedfs

    with running_seaweedfs() as server:
        bucket = server.create_bucket()
        store = open_store(parse_location(f"s3://{bucket}/many"), server.connection)
        scratch.say(f"writing {OBJECTS:,} objects")
        with ThreadPoolExecutor(_WRITERS) as pool:
            list(pool.map(lambda number: store.write(_name(number), b"1,2\n"), range(OBJECTS)))
        scratch.say(f"listing {OBJECTS:,} objects")
        ours, theirs = _ours(store), _obstore(server, bucket)
        assert ours() == theirs() == OBJECTS
        growth = _growth(ours)
        found = duel(Contender("Headwater", ours), Contender("obstore", theirs), rounds=_ROUNDS)
        store.close()
    rate = OBJECTS / found.ours.median
    return Findings(
        (times_rival("list 100,000 objects", found, most=1 / LEAST_RATE), _flat(growth)),
        (f"{rate:,.0f} objects a second; memory grew by {growth:.1f} MB in the second listing",),
    )


def _name(number: int) -> str:
    return f"d{number % _FOLDERS:02}/part-{number:08}.csv"


def _ours(store: Store) -> Callable[[], int]:
    return lambda: sum(len(page) for page in store.list())


def _obstore(server: SeaweedServer, bucket: str) -> Callable[[], int]:
    import obstore
    from obstore.store import S3Store

    keys = server.connection.keys
    assert keys is not None
    rival = S3Store(
        bucket,
        endpoint=server.endpoint,
        region=server.connection.region,
        access_key_id=keys.access_key,
        secret_access_key=keys.secret_key,
        client_options={"allow_http": True},
    )
    return lambda: sum(len(page) for page in obstore.list(rival, "many", chunk_size=1000))


def _growth(listing: Callable[[], object]) -> float:
    """By how many megabytes one more listing makes this process larger."""
    gc.collect()
    before = memory_megabytes()
    listing()
    return memory_megabytes() - before


def _flat(growth: float) -> Outcome:
    return Outcome(
        "memory of a listing",
        f"{growth:.1f} MB",
        "",
        f"{growth:.1f} MB",
        f"<= {MOST_GROWTH_MEGABYTES:.0f} MB",
        growth <= MOST_GROWTH_MEGABYTES,
    )
