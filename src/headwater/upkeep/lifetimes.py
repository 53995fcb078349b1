"""Which rows have outlived the `data_lifecycle` of their table. Pure.

Law: what was changed within the last n days stays. A compaction changes nothing; a refresh of a
dynamic table counts as a change, even if it found nothing to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from headwater.upkeep.small_files import Place

LIFECYCLE = "data_lifecycle"
DELETE_META = "data_lifecycle_delete_meta"


@dataclass(frozen=True, slots=True)
class Part:
    """A partition, or with no values a table without partitions, and when it last changed."""

    place: Place
    changed_at: datetime


def lifetime(properties: Mapping[str, str]) -> timedelta | None:
    """How long rows live; None is for ever."""
    days = properties.get(LIFECYCLE, "-1")
    return timedelta(days=int(days)) if days.isdigit() and int(days) > 0 else None


def deletes_table(properties: Mapping[str, str]) -> bool:
    """Whether the table itself goes with its rows."""
    return properties.get(DELETE_META, "").lower() == "true"


def outlived(parts: Iterable[Part], life: timedelta, *, at: datetime) -> tuple[Part, ...]:
    """The parts that last changed longer ago than they may live, oldest first."""
    old = (part for part in parts if at - part.changed_at > life)
    return tuple(sorted(old, key=lambda part: (part.changed_at, str(part.place))))
