"""What Spark did for a finished job, from its own record: what each table gave, and the stages.

Delta reads its log with Spark jobs too; only scans of tables in our catalog count. The change of a
table is read from a list of files: its scan has no name, but says where the files are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

from headwater.catalog.jobs import SparkStage

JsonOf = Callable[[Any], Any]

_SCAN = re.compile(r"Scan \w+ (?:spark_catalog\.)?(\w+\.\w+)\s*\Z")
_UNNAMED_SCAN = re.compile(r"Scan \w+\s*\Z")
_LOCATION = re.compile(r"Location: \w+\(\d+ paths?\)\[([^\],]+)")
_NUMBER = re.compile(r"([\d.,]+)\s*([KMGT]?i?B)?")
_UNITS = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "TiB": 1024**4}
_RECENT = 200
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Scan:
    """A read of a table, which is named `schema.table` or, if that is None, by where it is."""

    table: str | None
    location: str | None
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Measures:
    """What Spark did for a job."""

    scans: tuple[Scan, ...] = ()
    stages: tuple[SparkStage, ...] = ()


def measures(context: Any, session: Any, job_id: str) -> Measures:
    """What the Spark jobs of `job_id` read, and their stages in the order they started.

    `context` is the Spark context and `session` any session of the lake. Bytes are as exact as
    Spark's own display of them.
    """
    java = context._jsc.sc()
    # Metrics arrive over Spark's event queue; wait until it is empty, but not for ever.
    java.listenerBus().waitUntilEmpty(2_000)
    as_json = _json_writer(context._jvm)
    own = set(as_json(java.statusTracker().getJobIdsForGroup(job_id)))
    if not own:
        return Measures()
    store = session._jsparkSession.sharedState().statusStore()
    scans: list[Scan] = []
    for execution in _newest_executions(store, as_json):
        jobs = {int(job) for job in execution["jobs"]}
        if jobs and max(jobs) < min(own):
            break
        if not own.isdisjoint(jobs):
            scans += _scans(store, execution["executionId"], as_json)
    return Measures(tuple(scans), _stages(java.statusStore(), sorted(own), as_json))


def _stages(store: Any, jobs: Sequence[int], as_json: JsonOf) -> tuple[SparkStage, ...]:
    found: dict[int, SparkStage] = {}
    for job in jobs:
        known = _if_kept(store.job, job)
        for stage in [] if known is None else as_json(known)["stageIds"]:
            if stage in found:
                continue
            attempt = _if_kept(store.lastStageAttempt, stage)
            told = None if attempt is None else as_json(attempt)
            # A stage whose rows another job had worked out already is known but never ran.
            if told is not None and told["submissionTime"] is not None:
                found[stage] = _stage(job, told)
    return tuple(sorted(found.values(), key=lambda stage: (stage.started_at, stage.id)))


def _if_kept(ask: Callable[[int], Any], number: int) -> Any | None:
    """What Spark knows of a job or stage; None if it has forgotten.

    Spark keeps the last thousand (spark.ui.retainedStages) and drops first those that never ran.
    """
    from py4j.protocol import Py4JJavaError

    try:
        return ask(number)
    except Py4JJavaError as error:
        if error.java_exception.getClass().getName() != "java.util.NoSuchElementException":
            raise
        return None


def _stage(job: int, told: dict[str, Any]) -> SparkStage:
    started, ended = told["submissionTime"], told["completionTime"]
    return SparkStage(
        id=told["stageId"],
        spark_job=job,
        name=told["name"],
        started_at=datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=started),
        seconds=((ended or started) - started) / 1000,
        tasks=told["numTasks"],
        rows_in=told["inputRecords"],
        bytes_in=told["inputBytes"],
        rows_out=told["outputRecords"],
        bytes_out=told["outputBytes"],
        shuffled_bytes=told["shuffleReadBytes"],
    )


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


def _scans(store: Any, execution: int, as_json: JsonOf) -> Iterator[Scan]:
    values = as_json(store.executionMetrics(execution))
    for node in as_json(store.planGraph(execution).allNodes()):
        table, location = scanned(node["name"], node["desc"])
        if table is None and location is None:
            continue
        shown = {m["name"]: values.get(str(m["accumulatorId"]), "") for m in node["metrics"]}
        rows = parse_metric(shown.get("number of output rows", ""))
        size = parse_metric(shown.get("size of files read", ""))
        yield Scan(table, location, rows, size)


def scanned(name: str, description: str) -> tuple[str | None, str | None]:
    """The table that an operator of a plan reads, and where its files are; None where not told.

    >>> scanned("Scan parquet spark_catalog.public.t ", "")
    ('public.t', None)
    >>> scanned("Scan parquet ", "Location: CdcAddFileIndex(1 paths)[file:/a%20b/t-1], Read: x")
    (None, '/a b/t-1')
    """
    named = _SCAN.match(name)
    if named is not None:
        return named.group(1), None
    place = _LOCATION.search(description) if _UNNAMED_SCAN.match(name) else None
    if place is None:
        return None, None
    location = place.group(1)
    return None, unquote(location.removeprefix("file:")) if "file:" in location else location


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
