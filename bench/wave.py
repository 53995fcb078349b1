"""A wave over 30 dynamic tables in 4 layers after a change of 1 %, against recomputing them all.

All tables are due at once, so the schedule refreshes them in one wave: parents first, siblings side
by side. Plain Spark works the same queries out over its own Delta tables of the layers and
overwrites them, layer by layer, with as many siblings side by side, in the same process. Both have
built all tables before, and both are taken on the same changed raw tables. Of the waves the first
does not count: Spark has not compiled the queries of a refresh before, as it has those that built
the tables. At the end every table is verified. HEADWATER_BENCH_WAVE_ROWS is how many orders there
are.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime

import headwater
from bench.layers.queries import Layered
from bench.layers.raw_tables import SHARE, RawTables
from bench.outcome import Findings, Outcome, shown
from bench.plain_spark import PlainTables, plain_session, timed, verify
from bench.scratch import Scratch
from headwater.catalog.dynamic_tables import Refresh

ROWS = int(os.environ.get("HEADWATER_BENCH_WAVE_ROWS", "4000000"))
WAVES = 3
MOST_OF_FULL = 0.65
_INTERVAL = 60
_STATUSES = ("open", "sent", "done", "changed")
_GROUPS = ("customer", "product", "status", "day")


def layers() -> list[list[Layered]]:
    """The tables of each layer, 8, 10, 8 and 4; the raw tables have no layer."""
    first = [
        *(
            Layered(
                f"w1_orders_{status}", f"SELECT * FROM {{raw_orders}} WHERE status = '{status}'"
            )
            for status in _STATUSES
        ),
        Layered("w1_orders", "SELECT id, customer, product, quantity, day FROM {raw_orders}"),
        Layered("w1_payments", "SELECT * FROM {raw_payments} WHERE amount > 0"),
        Layered(
            "w1_products", "SELECT id, trim(name) AS name, category, price FROM {raw_products}"
        ),
        Layered("w1_customers", "SELECT id, trim(name) AS name, city, tier FROM {raw_customers}"),
    ]
    second = [
        *(
            Layered(
                f"w2_paid_{status}",
                "SELECT o.id, o.customer, o.product, o.status, o.day, o.quantity, p.amount FROM"
                f" {{w1_orders_{status}}} o JOIN {{w1_payments}} p ON o.id = p.order_id",
            )
            for status in _STATUSES
        ),
        *(
            Layered(
                f"w2_by_{key}_{status}",
                f"SELECT {key}, COUNT(*) AS orders, SUM(quantity) AS quantity"
                f" FROM {{w1_orders_{status}}} GROUP BY {key}",
            )
            for key in ("customer", "day")
            for status in _STATUSES[:3]
        ),
    ]
    third = [
        Layered(
            "w3_paid",
            " UNION ALL ".join(f"SELECT * FROM {{w2_paid_{status}}}" for status in _STATUSES),
        ),
        *(
            Layered(
                f"w3_open_by_{key}",
                f"SELECT {key}, COUNT(*) AS orders, SUM(amount) AS amount"
                f" FROM {{w2_paid_open}} GROUP BY {key}",
            )
            for key in _GROUPS
        ),
        Layered(
            "w3_cities",
            "SELECT c.city, SUM(b.orders) AS orders FROM {w2_by_customer_open} b"
            " JOIN {w1_customers} c ON b.customer = c.id GROUP BY c.city",
        ),
        Layered(
            "w3_categories",
            "SELECT p.category, COUNT(*) AS orders, MAX(o.amount) AS largest FROM {w2_paid_sent} o"
            " JOIN {w1_products} p ON o.product = p.id GROUP BY p.category",
        ),
        Layered(
            "w3_days",
            "SELECT a.day, a.orders AS open, b.orders AS sent FROM {w2_by_day_open} a"
            " FULL JOIN {w2_by_day_sent} b ON a.day = b.day",
        ),
    ]
    fourth = [
        Layered(
            f"w4_by_{key}", f"SELECT {key}, SUM(amount) AS amount FROM {{w3_paid}} GROUP BY {key}"
        )
        for key in ("customer", "product")
    ]
    fourth += [
        Layered(
            "w4_best_days", "SELECT * FROM {w3_open_by_day} ORDER BY amount DESC, day LIMIT 10"
        ),
        Layered("w4_large_cities", "SELECT city, orders FROM {w3_cities} WHERE orders > 10"),
    ]
    return [first, second, third, fourth]


def run(scratch: Scratch) -> Findings:
    """Build the layers by both, change the raw tables, and take both."""
    found = layers()
    names = [table.name for layer in found for table in layer]
    assert (len(names), len(found)) == (30, 4), f"{len(names)} tables"
    with closing(headwater.connect(scratch.folder / "wave")) as connection:
        scratch.say(f"raw tables of {ROWS:,} orders")
        raw = RawTables(connection, ROWS)
        raw.create()
        plain = PlainTables(plain_session(connection), scratch.folder / "wave-plain")
        at_once = connection.session.lake.config.refreshes_at_once
        _build(connection, found)
        _recompute(plain, found, at_once)
        scratch.say(f"{len(names)} tables built by both")
        outcomes: list[Outcome] = []
        for wave in range(WAVES):
            raw.change(wave)
            theirs = timed(lambda: _recompute(plain, found, at_once))
            ours, refreshes = _wave(connection, names)
            scratch.say(f"wave {shown(ours)}, plain Spark {shown(theirs)}")
            outcomes.append(_outcome(wave, ours, theirs, refreshes))
        verify(connection, *names)
    return Findings(tuple(outcomes), tuple(_note(refresh) for refresh in refreshes))


def _outcome(wave: int, ours: float, theirs: float, refreshes: list[Refresh]) -> Outcome:
    most, counts = _side_by_side(refreshes), wave > 0
    which = f"wave {wave}" if counts else "a first wave, which does not count"
    return Outcome(
        f"30 tables in 4 layers over {ROWS:,} orders, {SHARE:.0%} changed, {which}",
        shown(ours),
        shown(theirs),
        f"{ours / theirs:.2f}x, up to {most} side by side",
        f"<= {MOST_OF_FULL:g}x" if counts else "none",
        not counts or (ours / theirs <= MOST_OF_FULL and most > 1),
    )


def _build(connection: headwater.Connection, found: Iterable[list[Layered]]) -> None:
    for layer in found:
        for table in layer:
            query = table.sql(lambda name: name)
            head = f"CREATE DYNAMIC TABLE {table.name} REFRESH INTERVAL {_INTERVAL} SECOND"
            connection.sql(f"{head} AS {query}")
            connection.sql(f"REFRESH DYNAMIC TABLE {table.name}")


def _recompute(plain: PlainTables, found: Iterable[list[Layered]], at_once: int) -> None:
    """All tables by plain Spark; a layer begins when the one below it is done."""

    def named(name: str) -> str:
        return plain.sql(name) if name.startswith("w") else name

    with ThreadPoolExecutor(at_once) as pool:
        for layer in found:
            list(pool.map(lambda table: plain.overwrite(table.name, table.sql(named)), layer))


def _wave(connection: headwater.Connection, names: list[str]) -> tuple[float, list[Refresh]]:
    """Wait until all are due, then refresh what is; the refreshes, in the order of their begin."""
    time.sleep(_INTERVAL + 1)
    store = connection.session.lake.store
    before = {(refresh.table_id, refresh.number) for refresh in store.refreshes.list()}
    taken = timed(connection.run_until_idle)
    new = [r for r in store.refreshes.list() if (r.table_id, r.number) not in before]
    assert sorted(refresh.name for refresh in new) == sorted(names), "it was not one wave"
    return taken, sorted(new, key=lambda refresh: refresh.started_at)


def _side_by_side(refreshes: list[Refresh]) -> int:
    """How many refreshes ran at the same moment at most."""
    return max(
        sum(_runs_at(other, refresh.started_at) for other in refreshes) for refresh in refreshes
    )


def _runs_at(refresh: Refresh, at: datetime) -> bool:
    return refresh.started_at <= at and refresh.ended_at is not None and at < refresh.ended_at


def _note(refresh: Refresh) -> str:
    assert refresh.ended_at is not None
    seconds = (refresh.ended_at - refresh.started_at).total_seconds()
    return f"{refresh.name}: {shown(seconds)}, {refresh.kind} ({refresh.reason})"
