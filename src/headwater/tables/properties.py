"""Table properties of the documents and the Delta properties that carry them out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from headwater.sql.properties import TABLE_PROPERTIES

# Delta keeps its log longer than the files, so that versions can still be named.
_LEAST_LOG_DAYS = 30
ROW_TRACKING = "delta.enableRowTracking"


def delta_properties(properties: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What to set on the Delta table: the properties themselves, and what they mean to Delta."""
    wanted: dict[str, str] = {}
    for key, value in properties:
        wanted[key] = value
        if key == "change_tracking":
            wanted[ROW_TRACKING] = value
        elif key == "data_retention_days":
            days = int(value)
            wanted["delta.deletedFileRetentionDuration"] = f"interval {days} days"
            wanted["delta.logRetentionDuration"] = f"interval {max(days, _LEAST_LOG_DAYS)} days"
    return wanted


def unset_properties(
    names: Iterable[str], current: Mapping[str, str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """What to set and what to remove so that `names` are gone, with what they meant to Delta."""
    to_set: dict[str, str] = {}
    to_remove: list[str] = []
    for name in names:
        key = name.lower() if name.lower() in TABLE_PROPERTIES else name
        to_remove.append(key)
        if key == "change_tracking" and current.get(ROW_TRACKING) == "true":
            to_set[ROW_TRACKING] = "false"
        elif key == "data_retention_days":
            to_remove += ["delta.deletedFileRetentionDuration", "delta.logRetentionDuration"]
    return to_set, tuple(to_remove)
