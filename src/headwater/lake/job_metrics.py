"""What a finished job read, table by table, from Spark's own record of the plans it ran.

Delta reads its log with Spark jobs too; only scans of tables in our catalog count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from headwater.catalog.jobs import TableUse

_SCAN = re.compile(r"Scan \w+ (?:spark_catalog\.)?(\w+\.\w+)\s*\Z")
_NUMBER = re.compile(r"([\d.,]+)\s*([KMGT]?i?B)?")
_UNITS = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "TiB": 1024**4}
_RECENT = 200
_AT_ONCE = 4


def tables_read(context: Any, session: Any, job_id: str) -> tuple[TableUse, ...]:
    """The tables that the Spark jobs of `job_id` scanned, each with its rows and bytes.

    `context` is the Spark context and `session` any session of the lake. Bytes are as exact as
    Spark's own display of them.
    """
    java = context._jsc.sc()
    # Metrics arrive over Spark's event queue; wait until it is empty, but not for ever.
    java.listenerBus().waitUntilEmpty(2_000)
    own = set(java.statusTracker().getJobIdsForGroup(job_id))
    if not own:
        return ()
    store = session._jsparkSession.sharedState().statusStore()
    found: dict[str, tuple[int, int]] = {}
    for execution in _newest_executions(store):
        jobs = set(_items(execution.jobs().keys()))
        if jobs and max(jobs) < min(own):
            break
        if own.isdisjoint(jobs):
            continue
        for table, rows, size in _scans(store, execution.executionId()):
            before = found.get(table, (0, 0))
            found[table] = (before[0] + rows, before[1] + size)
    return tuple(TableUse(name, rows, size) for name, (rows, size) in sorted(found.items()))


def _items(scala: Any) -> Iterator[Any]:
    iterator = scala.iterator()
    while iterator.hasNext():
        yield iterator.next()


def _newest_executions(store: Any) -> Iterator[Any]:
    """Newest first and few at a time: every one of them costs calls to the JVM."""
    end = store.executionsCount()
    oldest = max(0, end - _RECENT)
    while end > oldest:
        start = max(oldest, end - _AT_ONCE)
        yield from reversed(list(_items(store.executionsList(start, end - start))))
        end = start


def _scans(store: Any, execution: int) -> Iterator[tuple[str, int, int]]:
    values = store.executionMetrics(execution)
    for node in _items(store.planGraph(execution).allNodes()):
        scan = _SCAN.match(node.name())
        if scan is None:
            continue
        metrics = {m.name(): m.accumulatorId() for m in _items(node.metrics())}
        rows = _value(values, metrics.get("number of output rows"))
        yield scan.group(1), rows, _value(values, metrics.get("size of files read"))


def _value(values: Any, accumulator: int | None) -> int:
    """A metric's value; Spark keeps it as the text it shows, such as `1,000` or `4.1 KiB`."""
    text = None if accumulator is None else values.get(accumulator)
    if text is None or not text.isDefined():
        return 0
    return parse_metric(str(text.get()))


def parse_metric(text: str) -> int:
    """The number that Spark shows; of a metric over several tasks, the total.

    >>> parse_metric("1,000"), parse_metric("total (min, med, max)\\n4.0 KiB (1.0 B, 2.0 B, 3.0 B)")
    (1000, 4096)
    """
    found = _NUMBER.search(text.split("\n")[-1])
    if found is None:
        return 0
    number, unit = found.groups()
    return round(float(number.replace(",", "")) * _UNITS.get(unit or "B", 1))
