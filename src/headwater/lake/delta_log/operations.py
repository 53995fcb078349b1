"""What a commit did, in the words of DESC HISTORY, and how many rows it says it touched.

Invariant: a count that the commit does not state is None, never a guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headwater.catalog.objects import Operation
from headwater.lake.delta_log.actions import Commit

_NAMES: Mapping[str, Operation] = {
    "CREATE TABLE": Operation.CREATE,
    "CONVERT": Operation.CREATE,
    "CREATE TABLE AS SELECT": Operation.CREATE_TABLE_AS,
    "CLONE": Operation.CREATE_TABLE_AS,
    "REPLACE TABLE": Operation.REPLACE,
    "CREATE OR REPLACE TABLE": Operation.REPLACE,
    "REPLACE TABLE AS SELECT": Operation.REPLACE_TABLE_AS,
    "CREATE OR REPLACE TABLE AS SELECT": Operation.REPLACE_TABLE_AS,
    "DELETE": Operation.DELETE,
    "UPDATE": Operation.UPDATE,
    "MERGE": Operation.MERGE_INTO,
    "TRUNCATE": Operation.TRUNCATE,
    "RESTORE": Operation.RESTORE,
    "OPTIMIZE": Operation.COMPACTION,
    "REORG": Operation.COMPACTION,
}

_ALTERS = frozenset(
    {
        "SET TBLPROPERTIES",
        "UNSET TBLPROPERTIES",
        "ADD COLUMNS",
        "ADD COLUMN",
        "CHANGE COLUMN",
        "CHANGE COLUMNS",
        "REPLACE COLUMNS",
        "RENAME COLUMN",
        "DROP COLUMNS",
        "UPDATE SCHEMA",
        "UPDATE COLUMN METADATA",
        "ADD CONSTRAINT",
        "DROP CONSTRAINT",
        "UPGRADE PROTOCOL",
        "ADD FEATURE",
        "DROP FEATURE",
        "CLUSTER BY",
        "ROW TRACKING BACKFILL",
        "ROW TRACKING UNBACKFILL",
        "DOMAIN METADATA CLEANUP",
        "REMOVE COLUMN MAPPING",
    }
)

_CREATING: Mapping[Operation, Operation] = {
    Operation.REPLACE: Operation.CREATE,
    Operation.REPLACE_TABLE_AS: Operation.CREATE_TABLE_AS,
    Operation.INSERT_INTO: Operation.CREATE_TABLE_AS,
    Operation.INSERT_OVERWRITE: Operation.CREATE_TABLE_AS,
}


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Rows that a commit says it touched."""

    inserted: int | None = None
    updated: int | None = None
    deleted: int | None = None


def operation_of(commit: Commit) -> str:
    """Delta's operation in our words; Delta's own name where we have none."""
    name = commit.operation.upper()
    if name == "WRITE":
        mode = commit.operation_parameters.get("mode", "").strip('"').lower()
        found = Operation.INSERT_OVERWRITE if mode == "overwrite" else Operation.INSERT_INTO
    elif name in _ALTERS:
        return Operation.ALTER.value
    elif name in _NAMES:
        found = _NAMES[name]
    else:
        return "_".join(name.split())
    if commit.version == 0:
        # The first commit of a log creates the table, whatever the writer was asked to do.
        found = _CREATING.get(found, found)
    return found.value


def row_counts(commit: Commit) -> RowCounts:
    """The counts of a commit's metrics, under Spark's names or those of delta-rs."""
    stated = {key.replace("_", "").lower(): value for key, value in commit.metrics.items()}
    if commit.operation.upper() == "MERGE":
        # Its numOutputRows counts copied rows too.
        return RowCounts(
            inserted=_count(stated, "numtargetrowsinserted"),
            updated=_count(stated, "numtargetrowsupdated"),
            deleted=_count(stated, "numtargetrowsdeleted"),
        )
    return RowCounts(
        inserted=_count(stated, "numoutputrows", "numaddedrows"),
        updated=_count(stated, "numupdatedrows"),
        deleted=_count(stated, "numdeletedrows"),
    )


def _count(stated: Mapping[str, str], *names: str) -> int | None:
    for name in names:
        if (value := stated.get(name)) is not None and value.isdigit():
            return int(value)
    return None
