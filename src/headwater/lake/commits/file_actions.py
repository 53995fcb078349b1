"""Actions for Delta's log, made of the `add` actions of live files.

Law: removing a file and adding it with a vector changes nothing but the rows the vector marks.
"""

from __future__ import annotations

import json
from typing import Any

from headwater.lake.commits.stored_table import Body, live_rows

_CARRIED = (
    "path",
    "partitionValues",
    "size",
    "tags",
    "deletionVector",
    "baseRowId",
    "defaultRowCommitVersion",
    "stats",
)


def remove(file: Body, *, at_ms: int) -> dict[str, Any]:
    """The `remove` of a live file; it says all that readers of changes need to know."""
    carried = {key: file[key] for key in _CARRIED if file.get(key) is not None}
    return {
        "partitionValues": {},
        **carried,
        "deletionTimestamp": at_ms,
        "dataChange": True,
        "extendedFileMetadata": True,
    }


def marked(file: Body, vector: Body) -> dict[str, Any] | None:
    """The `add` of a live file with another vector; None if it leaves no row.

    Statistics are of the rows of the file, not of those the vector leaves: Delta wants that said.
    """
    records = live_rows({**file, "deletionVector": vector})
    if records == 0:
        return None
    return {
        "partitionValues": {},
        "modificationTime": 0,
        **file,
        "deletionVector": {key: value for key, value in vector.items() if value is not None},
        "dataChange": True,
        "stats": json.dumps(_wide(file), separators=(",", ":")),
    }


def _wide(file: Body) -> dict[str, Any]:
    """Statistics that say of themselves that they hold for more rows than there are."""
    stats: dict[str, Any] = json.loads(file["stats"])
    if file.get("deletionVector") is not None and stats.get("tightBounds", True):
        # Someone counted the NULLs of the rows that were left, which the new vector changes.
        stats = {"numRecords": stats["numRecords"]}
    return {**stats, "tightBounds": False}
