"""What upkeep has to do, each as one statement, and what comes first. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from headwater.catalog.objects import Table, TableKind
from headwater.names import quote_identifier, quote_literal
from headwater.refresh.hints import BACKFILL
from headwater.upkeep.lifetimes import Part, deletes_table
from headwater.upkeep.small_files import SmallFiles

_MIN_SIZE = "spark.databricks.delta.optimize.minFileSize"
_MAX_SIZE = "spark.databricks.delta.optimize.maxFileSize"
_MOST_PARTS = 100
"""How many partitions one statement empties."""
_LITERAL_TYPES = ("string", "date", "boolean", "tinyint", "smallint", "int", "bigint")
"""Types whose values the log spells as a literal does, whatever the time zone."""


class Kind(IntEnum):
    """In the order in which they are done: what takes rows away leaves less to compact."""

    EXPIRE = 1
    COMPACT = 2
    VACUUM = 3


@dataclass(frozen=True, slots=True)
class Task:
    """A statement for one table, with the settings of the session that runs it."""

    kind: Kind
    table_id: str
    text: str
    settings: Mapping[str, str] = field(default_factory=dict)
    gain: int = 0
    """Of two tasks of a kind, the one with the larger gain comes first."""
    only_at: int | None = None
    """The Delta version that the decision was made for; on another one it must not run."""


def first(tasks: Iterable[Task]) -> Task | None:
    """The task to do now."""
    return min(tasks, key=lambda task: (task.kind, -task.gain, task.table_id), default=None)


def full_name(table: Table) -> str:
    """The table with its workspace, quoted."""
    parts = (table.workspace, table.schema, table.name)
    return ".".join(quote_identifier(part) for part in parts)


def compaction_sizes(*, small_bytes: int, file_bytes: int) -> dict[str, str]:
    """The settings by which OPTIMIZE takes small files and leaves the others alone."""
    return {_MIN_SIZE: str(small_bytes), _MAX_SIZE: str(max(small_bytes, file_bytes))}


def compaction(table: Table, found: SmallFiles, sizes: Mapping[str, str]) -> Task:
    """Write the small files of a table together."""
    text = f"OPTIMIZE {full_name(table)}"
    return Task(Kind.COMPACT, table.id, text, sizes, gain=found.files)


def vacuuming(table: Table) -> Task:
    """Remove the files of versions that nobody can ask for."""
    return Task(Kind.VACUUM, table.id, f"VACUUM {full_name(table)}")


def expiry(table: Table, parts: Sequence[Part]) -> Task | None:
    """Empty the parts of a table, or drop it; None if its partitions cannot be named safely."""
    version, name = table.shape.delta_version, full_name(table)
    if not table.shape.partition_columns:
        if deletes_table(table.shape.properties):
            return Task(Kind.EXPIRE, table.id, f"DROP {table.kind.words} {name}", only_at=version)
        text = f"TRUNCATE TABLE {name}"
    elif _nameable(table):
        chosen = " OR ".join(f"({_condition(table, part)})" for part in parts[:_MOST_PARTS])
        text = f"DELETE FROM {name} WHERE {chosen}"  # noqa: S608 - all is quoted
    else:
        return None
    allowed = {BACKFILL: "true"} if table.kind is TableKind.DYNAMIC else {}
    return Task(Kind.EXPIRE, table.id, text, allowed, gain=len(parts), only_at=version)


def _nameable(table: Table) -> bool:
    types = {column.name: column.type for column in table.shape.columns}
    return all(types.get(name) in _LITERAL_TYPES for name in table.shape.partition_columns)


def _condition(table: Table, part: Part) -> str:
    types = {column.name: column.type for column in table.shape.columns}
    return " AND ".join(
        f"{quote_identifier(name)} IS NULL"
        if value is None
        else f"{quote_identifier(name)} = CAST({quote_literal(value)} AS {types[name]})"
        for name, value in part.place
    )
