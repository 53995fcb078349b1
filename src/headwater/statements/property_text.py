"""Properties as DESC shows them: `((key,value),(key,value))`, without secrets and bookkeeping."""

from __future__ import annotations

from collections.abc import Mapping

from headwater.sql.credentials import is_credential

# What Delta keeps for itself, and what Headwater sets on its own to carry out other properties.
_INNER = (
    "delta.checkpointInterval",
    "delta.columnMapping.",
    "delta.deletedFileRetentionDuration",
    "delta.enableDeletionVectors",
    "delta.enableInCommitTimestamps",
    "delta.enableRowTracking",
    "delta.enableTypeWidening",
    "delta.feature.",
    "delta.inCommitTimestamp",
    "delta.logRetentionDuration",
    "delta.rowTracking.",
    "headwater.layoutWish",
)
_COVER = "****"


def visible_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """The properties a user set, values of credentials covered."""
    return {
        key: _COVER if is_credential(key, is_setting=True) else value
        for key, value in sorted(properties.items())
        if not key.startswith(_INNER)
    }


def shown_properties(properties: Mapping[str, str]) -> str:
    """All visible properties in one text."""
    pairs = visible_properties(properties).items()
    return "(" + ",".join(f"({key},{value})" for key, value in pairs) + ")"
