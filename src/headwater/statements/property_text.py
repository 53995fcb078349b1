"""Properties as DESC shows them: `((key,value),(key,value))`, the lake's inner ones left out."""

from __future__ import annotations

from collections.abc import Mapping

# Delta's own bookkeeping says nothing to a user and changes behind their back.
_INNER = ("delta.columnMapping.maxColumnId", "delta.rowTracking.", "delta.inCommitTimestamp")


def visible_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """The properties a user set, or could have set."""
    return {k: v for k, v in sorted(properties.items()) if not k.startswith(_INNER)}


def shown_properties(properties: Mapping[str, str]) -> str:
    """All visible properties in one text."""
    pairs = visible_properties(properties).items()
    return "(" + ",".join(f"({key},{value})" for key, value in pairs) + ")"
