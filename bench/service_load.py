"""A service under load: SHOW and DESC beside refreshes, and 200 clients at once that do everything.

The clients are processes of their own. The first case has 20 clients that look while one inserts
and refreshes without a pause; the second has 200 for two minutes, each of which looks, queries,
inserts and refreshes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import headwater
from bench.http_statements import serving
from bench.load_client import Order, Tally
from bench.load_clients import Memory, clients, percentile
from bench.outcome import Findings, Outcome, shown
from bench.scratch import Scratch

LEAST_PER_SECOND = 100.0
MOST_SECONDS_OF_SHOW = 10.0
MOST_MEGABYTES_MORE = 200.0
CLIENTS = 200
PROCESSES = 2
TABLES = 4
SECONDS = float(os.environ.get("HEADWATER_LOAD_SECONDS", "120"))

LOOKING = [
    (3, "SHOW TABLES"),
    (3, "DESC t0"),
    (2, "SHOW SCHEMAS"),
    (1, "DESC HISTORY t0"),
    (1, "SHOW DYNAMIC TABLES"),
]
WRITING = {
    "insert": [(1, f"INSERT INTO t{i} VALUES ({{n}}, 'k', 1.0)") for i in range(TABLES)],
    "refresh": [(1, f"REFRESH DYNAMIC TABLE d{i}") for i in range(TABLES)],
}
QUERYING = [
    (1, "SELECT count(*), sum(amount) FROM t0"),
    (1, "SELECT name, count(*) FROM t1 GROUP BY name"),
    (1, "SELECT count(*) FROM range(3000000) WHERE id % 7 = 1"),
]


@dataclass(frozen=True, slots=True)
class _Served:
    address: Path
    token: str
    pid: int


def run(scratch: Scratch) -> Findings:
    """Measure both cases on one service."""
    with _service(scratch) as served:
        scratch.say("20 clients that look, beside refreshes")
        beside = _tally(served, [(20, 1, {"show": LOOKING}), (1, 2, WRITING)], SECONDS / 2)
        scratch.say(f"{CLIENTS} clients that do everything for {SECONDS:.0f} seconds")
        everything = {
            "show": [(10 * weight, text) for weight, text in LOOKING],
            "query": [(12 * weight, text) for weight, text in QUERYING],
            **WRITING,
        }
        share = CLIENTS // PROCESSES
        with Memory(served.pid) as memory:
            many = _tally(served, [(share, 10 + i, everything) for i in range(PROCESSES)], SECONDS)
    outcomes = (_rate(beside), *_of_many(many, memory.growth()))
    return Findings(outcomes, (_note("20 clients", beside), _note(f"{CLIENTS} clients", many)))


def _tally(
    served: _Served, groups: list[tuple[int, int, dict[str, list[tuple[int, str]]]]], seconds: float
) -> Tally:
    orders = [
        Order(str(served.address), served.token, count, seconds, statements, seed=seed)
        for count, seed, statements in groups
    ]
    with clients(orders) as running:
        return running.tally()


def _rate(tally: Tally) -> Outcome:
    took = tally.seconds["show"]
    rate = len(took) / (SECONDS / 2)
    refreshed = len(tally.seconds.get("refresh", []))
    passed = rate >= LEAST_PER_SECOND and refreshed > 0 and not tally.errors
    return Outcome(
        "SHOW and DESC beside refreshes, 20 clients",
        f"{rate:.0f} per second",
        f"{refreshed} refreshes",
        f"{rate:.0f} per second, 99% within {shown(percentile(took, 0.99))}",
        f">= {LEAST_PER_SECOND:.0f} per second",
        passed,
    )


def _of_many(tally: Tally, growth: float) -> Iterator[Outcome]:
    took = tally.seconds["show"]
    # No schedule refreshes these tables, and clients' refreshes of one table wait for each other.
    failed = sum(tally.errors.values()) + tally.overlapping
    ended = sum(len(seconds) for seconds in tally.seconds.values())
    case = f"{CLIENTS} clients, {SECONDS:.0f} s"
    yield Outcome(
        f"{case}: errors",
        f"{ended} ended",
        f"{tally.refused} told to come back",
        f"{failed} errors",
        "0 errors",
        failed == 0,
    )
    longest = max(took)
    yield Outcome(
        f"{case}: the slowest SHOW",
        shown(longest),
        f"{shown(max(tally.seconds['query']))} the slowest query",
        f"{shown(longest)} (99% within {shown(percentile(took, 0.99))})",
        f"<= {shown(MOST_SECONDS_OF_SHOW)}",
        longest <= MOST_SECONDS_OF_SHOW,
    )
    yield Outcome(
        f"{case}: memory of the service",
        f"{growth:.0f} MB more",
        "",
        f"{growth:.0f} MB more at the end",
        f"<= {MOST_MEGABYTES_MORE:.0f} MB more",
        growth <= MOST_MEGABYTES_MORE,
    )


def _note(who: str, tally: Tally) -> str:
    kinds = ", ".join(
        f"{len(seconds)} x {kind} (half within {shown(percentile(seconds, 0.5))})"
        for kind, seconds in tally.seconds.items()
    )
    met = "; ".join(f"{count} x {error}" for error, count in tally.errors.items())
    again = f", {tally.overlapping} refreshes of a table that was being refreshed"
    return f"{who}: {kinds}{again}" + (f"; errors: {met}" if met else "")


@contextmanager
def _service(scratch: Scratch) -> Iterator[_Served]:
    path = scratch.folder / "load"
    headwater.connect(path).close()
    with serving(path) as (service, process):
        scratch.say("making tables")
        with headwater.connect(service.url, token=service.token) as lake:
            for i in range(TABLES):
                lake.sql(
                    f"CREATE TABLE t{i} AS SELECT id, 'k' || id % 20 AS name,"
                    " CAST(id AS DOUBLE) AS amount FROM range(100000)"
                )
                lake.sql(
                    f"CREATE DYNAMIC TABLE d{i} AS"
                    f" SELECT name, count(*) AS n, sum(id) AS total FROM t{i} GROUP BY name"
                )
                lake.sql(f"REFRESH DYNAMIC TABLE d{i}")
        address = scratch.folder / "address"
        address.write_text(service.url)
        yield _Served(address, service.token, process.pid)
