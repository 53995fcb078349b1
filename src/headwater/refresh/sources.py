"""The sources of a dynamic table between two refreshes: versions, and what the log says between.

No Spark: a refresh that finds nothing new is over after this.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from headwater.catalog.dynamic_tables import Frontier
from headwater.catalog.objects import Table
from headwater.errors import SchemaError, TransientError
from headwater.incremental.deltas import Change
from headwater.lake.changes.classify import Classified, classify
from headwater.lake.changes.data_files import missing_because
from headwater.lake.changes.images import Image, WholeFile
from headwater.lake.changes.ranges import ChangeRange, Reader, Wanted
from headwater.lake.delta_log.files import LogFiles
from headwater.lake.delta_log.snapshot import read_metadata
from headwater.lake.delta_log.spark_types import physical_name
from headwater.refresh.facts import Problem, SourceFacts
from headwater.refresh.pins import WavePins
from headwater.refresh.reasons import Reason
from headwater.runtime.open_lake import OpenLake
from headwater.tables.versions import catch_up


@dataclass(frozen=True, slots=True)
class Source:
    """A source pinned at its version of now, with its changes since the frontier if there is one.

    `signature` tells columns apart that have the same names: a column that was dropped and added
    again is another one.
    """

    table: Table
    facts: SourceFacts
    signature: str
    classified: Classified | None = None


def pin_sources(
    lake: OpenLake,
    sources: Iterable[Table],
    frontier: Frontier | None,
    columns: Mapping[str, Sequence[str]],
    *,
    dimensions: Collection[str] = (),
    wave: WavePins | None = None,
) -> tuple[Source, ...]:
    """Every source as it is now, or as its wave reads it; `columns` are those of the query.

    Changes of `dimensions` are not looked at.
    """
    current = tuple(catch_up(lake, table) for table in sources)
    tables = current if wave is None else tuple(_as_of(lake, table, wave) for table in current)
    found = tuple(_pin(lake, table, frontier, columns.get(table.id)) for table in tables)
    return tuple(_still(one) if one.table.id in dimensions else one for one in found)


def _as_of(lake: OpenLake, table: Table, wave: WavePins) -> Table:
    """A source at the version of a wave; its columns must be those that it has by now."""
    newest = table.shape.delta_version
    version = min(newest, wave.version(table.id, newest))
    if version == newest:
        return table
    files = lake.log_files(table)
    if signature(files, version, None) != signature(files, newest, None):
        raise TransientError("WAVE_SOURCE_CHANGED", table=_name(table))
    return replace(table, shape=replace(table.shape, delta_version=version))


def is_overtaken(lake: OpenLake, sources: Iterable[Source]) -> bool:
    """Whether the frontier knows versions of sources that the wave does not know yet."""
    for source in sources:
        before, facts = source.facts.from_version, source.facts
        if before is not None and before > facts.to_version:
            newest = lake.store.tables.get_by_id(source.table.id)
            if newest is not None and newest.shape.delta_version >= before:
                return True
    return False


def _still(source: Source) -> Source:
    """A dimension table, taken for one that did not change."""
    facts = source.facts
    if facts.problem is not None and facts.problem.reason is not Reason.HISTORY_GONE:
        return source
    if facts.from_version is None or facts.change is Change.NONE:
        return source
    quiet = replace(
        facts,
        change=Change.NONE,
        told_by="a dimension table, its changes are not looked at",
        changed_rows=None,
        changed_bytes=0,
        problem=None,
        ignored=True,
    )
    return replace(source, facts=quiet, classified=None)


def _pin(
    lake: OpenLake, table: Table, frontier: Frontier | None, columns: Sequence[str] | None
) -> Source:
    files = lake.log_files(table)
    version = table.shape.delta_version
    columns_now = signature(files, version, columns)
    before = None if frontier is None else frontier.sources.get(table.id)
    if frontier is None or before is None:
        return Source(table, _unknown(table), columns_now)
    if frontier.detail.get("columns", {}).get(table.id) != columns_now:
        problem = Problem(Reason.SOURCE_COLUMNS_CHANGED, _name(table))
        return Source(table, _unknown(table, before, problem), columns_now)
    if before > version:
        problem = Problem(Reason.SOURCE_REPLACED, _name(table))
        return Source(table, _unknown(table, before, problem), columns_now)
    try:
        found = classify(files, ChangeRange(before, version), Wanted.WEIGHTED, name=_name(table))
    except SchemaError as error:
        gone = error.condition != "CHANGES_SCHEMA_CHANGED"
        reason = Reason.HISTORY_GONE if gone else Reason.SOURCE_COLUMNS_CHANGED
        problem = Problem(reason, str(error.message))
        return Source(table, _unknown(table, before, problem), columns_now)
    missing = missing_because(lake.table_folder(table), found.images)
    if missing is not None:
        problem = Problem(Reason.HISTORY_GONE, f"{_name(table)}: {missing}")
        return Source(table, _unknown(table, before, problem), columns_now)
    return Source(table, _facts(table, before, found), columns_now, found)


def _facts(table: Table, before: int, found: Classified) -> SourceFacts:
    change = Change.INSERTS if found.insert_only else Change.ANY
    return SourceFacts(
        table.id,
        _name(table),
        before,
        table.shape.delta_version,
        Change.NONE if found.reader is Reader.NOTHING else change,
        found.reason,
        changed_rows=_changed_rows(found.images),
        changed_bytes=sum(_bytes(image) for image in found.images),
        rows=table.shape.totals.rows,
        bytes=table.shape.totals.bytes or 0,
    )


def _unknown(
    table: Table, before: int | None = None, problem: Problem | None = None
) -> SourceFacts:
    """A source of which nothing between the versions counts."""
    totals = table.shape.totals
    return SourceFacts(
        table.id,
        _name(table),
        before,
        table.shape.delta_version,
        Change.ANY,
        "read as a whole",
        rows=totals.rows,
        bytes=totals.bytes or 0,
        problem=problem,
    )


def _name(table: Table) -> str:
    return f"{table.schema}.{table.name}"


def signature(files: LogFiles, version: int, columns: Sequence[str] | None) -> str:
    """A short form of what columns of a table are at a version, of all of them if none is named."""
    metadata = read_metadata(files, version)
    fields = [] if metadata is None else json.loads(metadata.schema)["fields"]
    wanted = None if columns is None else {name.lower() for name in columns}
    parts = [
        [field["name"].lower(), physical_name(field), field["type"], field["nullable"]]
        for field in fields
        if wanted is None or field["name"].lower() in wanted
    ]
    text = json.dumps(sorted(parts, key=str), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _changed_rows(images: Iterable[Image]) -> int | None:
    """How many rows came or went; of rewritten files every row counts on both sides."""
    total = 0
    for image in images:
        if isinstance(image, WholeFile):
            rows = _records(image)
            if rows is None:
                return None
            total += rows
        else:
            total += abs(_marked(image.after) - _marked(image.before))
    return total


def _records(image: WholeFile) -> int | None:
    stats = image.file.body.get("stats")
    found = json.loads(stats).get("numRecords") if isinstance(stats, str) and stats else None
    return None if found is None else int(found) - _marked(image.file.vector)


def _marked(vector: Mapping[str, object] | None) -> int:
    return int(str(vector.get("cardinality", 0))) if vector else 0


def _bytes(image: Image) -> int:
    """What must be read: a whole file, also one of which few rows went."""
    return int(image.file.body.get("size") or 0)
