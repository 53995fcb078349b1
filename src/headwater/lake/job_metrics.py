"""What a finished job read, table by table, from Spark's own record of the plans it ran.

Delta reads its log with Spark jobs too; only scans of tables in our catalog count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from headwater.catalog.jobs import TableUse

JsonOf = Callable[[Any], Any]

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
    as_json = _json_writer(context._jvm)
    own = set(as_json(java.statusTracker().getJobIdsForGroup(job_id)))
    if not own:
        return ()
    store = session._jsparkSession.sharedState().statusStore()
    found: dict[str, tuple[int, int]] = {}
    for execution in _newest_executions(store, as_json):
        jobs = {int(job) for job in execution["jobs"]}
        if jobs and max(jobs) < min(own):
            break
        if own.isdisjoint(jobs):
            continue
        for table, rows, size in _scans(store, execution["executionId"], as_json):
            before = found.get(table, (0, 0))
            found[table] = (before[0] + rows, before[1] + size)
    return tuple(TableUse(name, rows, size) for name, (rows, size) in sorted(found.items()))


def _json_writer(jvm: Any) -> JsonOf:
    """Scala objects as plain data in one call; asking them field by field takes hundreds."""
    jackson = jvm.com.fasterxml.jackson
    mapper = jackson.databind.ObjectMapper()
    scala = getattr(jackson.module.scala, "DefaultScalaModule$")
    mapper.registerModule(getattr(scala, "MODULE$"))
    return lambda scala_object: json.loads(mapper.writeValueAsString(scala_object))


def _newest_executions(store: Any, as_json: JsonOf) -> Iterator[Any]:
    """Newest first and few at a time, since each comes with its whole plan."""
    end = store.executionsCount()
    oldest = max(0, end - _RECENT)
    while end > oldest:
        start = max(oldest, end - _AT_ONCE)
        yield from reversed(as_json(store.executionsList(start, end - start)))
        end = start


def _scans(store: Any, execution: int, as_json: JsonOf) -> Iterator[tuple[str, int, int]]:
    values = as_json(store.executionMetrics(execution))
    for node in as_json(store.planGraph(execution).allNodes()):
        scan = _SCAN.match(node["name"])
        if scan is None:
            continue
        shown = {m["name"]: values.get(str(m["accumulatorId"]), "") for m in node["metrics"]}
        rows = parse_metric(shown.get("number of output rows", ""))
        yield scan.group(1), rows, parse_metric(shown.get("size of files read", ""))


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
