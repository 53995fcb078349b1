"""Whether a VACUUM of a table would find something. Pure.

Law: it is due only if a version replaced files that the last VACUUM had to leave, and that nobody
can ask for any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from headwater.catalog.objects import Operation, TableVersion

_ONLY_ADDS = frozenset(
    {
        Operation.CREATE,
        Operation.CREATE_TABLE_AS,
        Operation.INSERT_INTO,
        Operation.COPY_INTO,
        Operation.ALTER,
        Operation.UPGRADE,
    }
)


def replaces_files(version: TableVersion) -> bool:
    """Whether a version may have replaced files; what an unknown tool did may have."""
    return version.operation not in _ONLY_ADDS


def vacuum_due(
    versions: Iterable[TableVersion],
    *,
    horizon: datetime,
    done: datetime | None,
    every: timedelta,
) -> bool:
    """Whether files were replaced between the last horizon, `done`, and that of now."""
    if done is not None and horizon - done < every:
        return False
    times = (version.committed_at for version in versions if replaces_files(version))
    return any((done is None or done < time) and time <= horizon for time in times)
