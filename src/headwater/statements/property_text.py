"""Properties as DESC shows them: `((key,value),(key,value))`, the lake's inner ones left out."""

from __future__ import annotations

from collections.abc import Mapping

# Delta's own bookkeeping says nothing to a user and changes behind their back.
_INNER = ("delta.columnMapping.maxColumnId", "delta.rowTracking.", "delta.inCommitTimestamp")
# What every table of ours starts with (lake/engine_settings.py).
_DEFAULTS = {
    "delta.checkpointInterval": "100",
    "delta.enableDeletionVectors": "true",
    "delta.enableInCommitTimestamps": "true",
}


def visible_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """The properties a user set, or could have set."""
    return {
        key: value
        for key, value in sorted(properties.items())
        if not key.startswith(_INNER) and _DEFAULTS.get(key) != value
    }


def shown_properties(properties: Mapping[str, str]) -> str:
    """All visible properties in one text."""
    pairs = visible_properties(properties).items()
    return "(" + ",".join(f"({key},{value})" for key, value in pairs) + ")"
