"""Once a day: forget old jobs, refreshes and loads; remove what was dropped too long ago."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path

from headwater.errors import HeadwaterError
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.tables.retention import retention_days

_KEY = "last_upkeep"
_EVERY = timedelta(days=1)


def upkeep_if_due(lake: OpenLake) -> None:
    """Do the daily work in the background, if a day has passed since the last time."""
    last = lake.store.settings.get(_KEY)
    if last is None:
        # A new lake has nothing to clean: the first day starts now.
        lake.store.settings.set(_KEY, now().isoformat())
    elif now() - datetime.fromisoformat(last) >= _EVERY:
        lake.background.submit(_try_upkeep, lake)


def _try_upkeep(lake: OpenLake) -> None:
    try:
        lake.writer.ensure()
    except HeadwaterError:
        return  # another process writes the lake; it does this work itself
    upkeep(lake)
    lake.store.settings.set(_KEY, now().isoformat())


def upkeep(lake: OpenLake) -> None:
    """Forget old jobs and refreshes, and purge dropped tables whose time is over."""
    lake.store.jobs.delete_before(now() - lake.job_retention)
    lake.store.refreshes.delete_before(now() - lake.job_retention)
    lake.store.load_history.expire(now() - lake.load_history_retention)
    for workspace in lake.store.workspaces.list():
        for table in lake.store.tables.dropped(workspace.name):
            kept = timedelta(days=retention_days(lake.config, table))
            if table.dropped_at is None or now() - table.dropped_at < kept:
                continue
            # The row goes last: if the process dies in between, the files are tried again.
            if table.managed and table.location:
                shutil.rmtree(Path(lake.location(table)), ignore_errors=True)
            lake.store.tables.purge(table.id)
