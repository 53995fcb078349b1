"""What the rows of a dynamic table are worth after OR REPLACE: the next refresh goes on, or not.

Law: the frontier that comes out calls the rows an answer of the new query only if they are one, at
the versions of the sources that it names. So a refresh after it leaves what the query gives.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from headwater.algebra.replacement import Replacement, compare
from headwater.catalog.dynamic_tables import Frontier
from headwater.catalog.objects import Table
from headwater.errors import UserError
from headwater.lake.delta_log.files import LogFiles
from headwater.lake.delta_log.snapshot import read_metadata
from headwater.lake.delta_log.spark_types import physical_name
from headwater.refresh.definition import Definition
from headwater.refresh.problems import LACKING, QUERY_DIFFERS, lacking_columns
from headwater.refresh.sources import signature
from headwater.runtime.open_lake import OpenLake
from headwater.tables.type_changes import is_widening
from headwater.tables.versions import catch_up

CHECK = "cz.sql.mv.check.before.replacing.sql"
"""The setting of a session that, when false, takes any new query and refreshes it in full."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query and the columns of its table: names, and types in Spark's short form."""

    definition: Definition
    columns: Mapping[str, str]


def anew(frontier: Frontier, why: str) -> Frontier:
    """The frontier of rows that answer another query; the next refresh is a full one."""
    detail = {key: value for key, value in frontier.detail.items() if key != LACKING}
    return replace(frontier, fingerprint="", detail={**detail, QUERY_DIFFERS: why})


def carry_over(lake: OpenLake, frontier: Frontier, old: Asked, new: Asked) -> Frontier:
    """The frontier after a query was replaced; it says why where the rows are none of it."""
    wanted = new.definition.fingerprint
    known = wanted == frontier.fingerprint or bool(lacking_columns(frontier, wanted))
    if known and old.columns == new.columns:
        return frontier
    if old.definition.fingerprint != frontier.fingerprint:
        return anew(frontier, frontier.detail.get(QUERY_DIFFERS, ""))
    before, after = old.definition.check, new.definition.check
    if before is None or after is None:
        problem = (new if after is None else old).definition.not_incremental
        return anew(frontier, problem.detail if problem is not None else "")
    found = compare(before, after, old_names=list(old.columns), new_names=list(new.columns))
    if isinstance(found, str):
        return anew(frontier, found)
    lost = _other_type(old.columns, new.columns)
    if lost is not None:
        return anew(frontier, f"column '{lost}' has another type")
    return _with_sources(lake, frontier, new.definition, found)


def _other_type(old: Mapping[str, str], new: Mapping[str, str]) -> str | None:
    """A column of both whose values the old type did not hold."""
    known = {name.lower(): kind for name, kind in old.items()}
    for name, kind in new.items():
        before = known.get(name.lower())
        if before is not None and not is_widening(before, kind):
            return name
    return None


def _with_sources(
    lake: OpenLake, frontier: Frontier, definition: Definition, found: Replacement
) -> Frontier:
    signatures, lacking = dict(frontier.detail.get("columns", {})), set[str]()
    for table in definition.sources:
        needed = definition.columns.get(table.id, ())
        since = _Since.of(lake, table, frontier.sources.get(table.id))
        problem = since.problem(found, needed)
        if problem is not None:
            return anew(frontier, problem)
        lacking |= since.lacking(found)
        signatures[table.id] = signature(since.files, since.now, needed)
    unseen = [column.name for column in found.added if column.source is None]
    if unseen:
        return anew(frontier, f"column '{unseen[0]}' is worked out for every row")
    detail = {**frontier.detail, "columns": signatures}
    passed_on = [c.name for c in found.added if (c.source or "").lower() in lacking]
    if passed_on:
        missing = {"fingerprint": definition.fingerprint, "columns": passed_on}
        return replace(frontier, fingerprint="", detail={**detail, LACKING: missing})
    return replace(frontier, fingerprint=definition.fingerprint, detail=detail)


@dataclass(frozen=True, slots=True)
class _Since:
    """The columns of a source at the frontier and now, by their names in lower case."""

    name: str
    files: LogFiles
    now: int
    before: Mapping[str, Mapping[str, Any]] | None
    after: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, lake: OpenLake, source: Table, version: int | None) -> _Since:
        table = catch_up(lake, source)
        files, now = lake.log_files(table), table.shape.delta_version
        old = None if version is None else _fields(files, version)
        return cls(f"{table.schema}.{table.name}", files, now, old, _fields(files, now) or {})

    def lacking(self, found: Replacement) -> set[str]:
        """The columns that are passed on now and held values, as far as anybody knows, then."""
        added = {a.source.lower() for a in found.added if a.source is not None}
        held = added & set(self.before or {})
        return held if found.one_table else added

    def problem(self, found: Replacement, needed: Sequence[str]) -> str | None:
        """Why rows of then do not go with rows of now; columns that came since were NULL."""
        if self.before is None:
            return f"the columns that {self.name} had are no longer known"
        added = {a.source.lower() for a in found.added if a.source is not None}
        for name in (column.lower() for column in needed):
            old, new = self.before.get(name), self.after.get(name)
            if new is None:
                return f"{self.name} has no column '{name}'"
            if old is None and name not in added:
                return f"column '{name}' of {self.name} came later"
            if old is None or name in added:
                continue
            if physical_name(old) != physical_name(new):
                return f"column '{name}' of {self.name} is another one"
            if old["type"] != new["type"] and not (
                found.one_table and name not in found.worked_with and _is_wider(old, new)
            ):
                return f"column '{name}' of {self.name} has another type"
        return None


_SHORT = {"byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint"}


def _is_wider(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    before, after = old["type"], new["type"]
    if not isinstance(before, str) or not isinstance(after, str):
        return False
    return is_widening(_SHORT.get(before, before), _SHORT.get(after, after))


def _fields(files: LogFiles, version: int) -> dict[str, Mapping[str, Any]] | None:
    try:
        metadata = read_metadata(files, version)
    except UserError:
        return None
    if metadata is None:
        return None
    return {field["name"].lower(): field for field in json.loads(metadata.schema)["fields"]}
