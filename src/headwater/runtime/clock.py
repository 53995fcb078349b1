"""The one place that reads the time."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The present moment, in UTC."""
    return datetime.now(UTC)
