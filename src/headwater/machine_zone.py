"""The time zone of this machine, by the name the zone database has for it."""

from __future__ import annotations

import os
from pathlib import Path

from headwater.time_zones import zone_of


def machine_zone() -> str:
    """The name of this machine's time zone, UTC when it does not say."""
    for candidate in (os.environ.get("TZ", "").lstrip(":"), _linked_zone()):
        if candidate:
            try:
                zone_of(candidate)
            except ValueError:
                continue
            return candidate
    return "UTC"


def _linked_zone() -> str:
    target = os.path.realpath("/etc/localtime")
    _, _, name = target.partition("zoneinfo/")
    return name if Path(target).exists() else ""
