"""Table properties of the documents and the Delta properties that carry them out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from headwater.config import MOST_EXTENSION_DAYS
from headwater.sql.properties import DYNAMIC_TABLE_PROPERTIES

# Delta keeps its log longer than the files, so that versions can still be named.
_LEAST_LOG_DAYS = 30
ROW_TRACKING = "delta.enableRowTracking"
_FILES_KEPT = "delta.deletedFileRetentionDuration"
_LOG_KEPT = "delta.logRetentionDuration"
_DAYS = re.compile(r"interval (\d+) days?\Z")
_NONE: Mapping[str, str] = MappingProxyType({})


def delta_properties(
    properties: Iterable[tuple[str, str]],
    *,
    current: Mapping[str, str] = _NONE,
    lake_days: int,
) -> dict[str, str]:
    """What to set on the Delta table: the properties themselves, and what they mean to Delta.

    `current` are those it has, `lake_days` is the lake's own data_retention_days.
    """
    wanted = dict(properties)
    tracking = wanted.get("change_tracking")
    if tracking is not None:
        wanted[ROW_TRACKING] = tracking
    if "data_retention_days" in wanted or tracking == "true":
        wanted |= _kept({**current, **wanted}, lake_days)
    return wanted


def _kept(properties: Mapping[str, str], lake_days: int) -> dict[str, str]:
    """How long Delta remembers removed files, and its log.

    Where changes are tracked it remembers them for as long as a stream may wait, because it refuses
    to read, and VACUUM to spare, what it does not remember. When they go is VACUUM's own rule.
    """
    own = properties.get("data_retention_days", "")
    days = int(own) if own.isdigit() else lake_days
    tracked = properties.get(ROW_TRACKING) == "true"
    files = max(days, MOST_EXTENSION_DAYS) if tracked else days
    return {
        _FILES_KEPT: f"interval {files} days",
        _LOG_KEPT: f"interval {max(days, _LEAST_LOG_DAYS)} days",
    }


def tracks_changes(properties: Mapping[str, str], *, days: int) -> bool:
    """Whether a table is ready for a stream that may wait so many days."""
    kept = _DAYS.match(properties.get(_FILES_KEPT, ""))
    return properties.get(ROW_TRACKING) == "true" and kept is not None and int(kept[1]) >= days


def unset_properties(
    names: Iterable[str], current: Mapping[str, str], *, lake_days: int
) -> tuple[dict[str, str], tuple[str, ...]]:
    """What to set and what to remove so that `names` are gone, with what they meant to Delta."""
    to_set: dict[str, str] = {}
    to_remove: list[str] = []
    left = dict(current)
    for name in names:
        key = name.lower() if name.lower() in DYNAMIC_TABLE_PROPERTIES else name
        to_remove.append(key)
        left.pop(key, None)
        if key == "change_tracking" and current.get(ROW_TRACKING) == "true":
            to_set[ROW_TRACKING] = left[ROW_TRACKING] = "false"
    if "data_retention_days" in to_remove:
        if left.get(ROW_TRACKING) == "true":
            to_set |= _kept(left, lake_days)
        else:
            to_remove += [_FILES_KEPT, _LOG_KEPT]
    return to_set, tuple(to_remove)
