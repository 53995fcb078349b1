"""Once a day: forget old jobs, refreshes, loads and audits, and purge what was dropped long ago."""

from __future__ import annotations

from datetime import datetime, timedelta

from headwater.errors import HeadwaterError
from headwater.files.volumes import remove_table_volume
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.tables.retention import retention_days
from headwater.upkeep.left_overs import remove_left_overs
from headwater.upkeep.notes import forget_notes

_KEY = "last_upkeep"
_EVERY = timedelta(days=1)


def upkeep_if_due(lake: OpenLake) -> None:
    """Do the daily work in the background, if a day has passed since the last time."""
    last = lake.store.settings.get(_KEY)
    if last is None:
        # A new lake has nothing to clean: the first day starts now.
        lake.store.settings.set(_KEY, now().isoformat())
    elif _is_due(last):
        lake.background.submit(_try_upkeep, lake)


def _is_due(last: str | None) -> bool:
    return last is None or now() - datetime.fromisoformat(last) >= _EVERY


def _try_upkeep(lake: OpenLake) -> None:
    # Whoever asked twice before the first one was done gets it once.
    if not _is_due(lake.store.settings.get(_KEY)):
        return
    try:
        lake.writer.ensure()
    except HeadwaterError:
        return  # another process writes the lake; it does this work itself
    upkeep(lake)
    lake.store.settings.set(_KEY, now().isoformat())


def upkeep(lake: OpenLake) -> None:
    """Forget old jobs and refreshes, and purge dropped tables whose time is over."""
    remove_left_overs(lake, since=_last(lake))
    lake.store.jobs.delete_before(now() - lake.job_retention)
    lake.store.refreshes.delete_before(now() - lake.job_retention)
    lake.store.task_instances.delete_before(now() - lake.job_retention)
    lake.store.alerts.delete_before(now() - lake.job_retention)
    lake.store.audit.delete_before(now() - lake.audit_retention)
    lake.store.load_history.expire(now() - lake.load_history_retention)
    for workspace in lake.store.workspaces.list():
        for table in lake.store.tables.dropped(workspace.name):
            kept = timedelta(days=retention_days(lake.config, table))
            if table.dropped_at is None or now() - table.dropped_at < kept:
                continue
            # The row goes last: if the process dies in between, the files are tried again. The
            # folder also holds the states of a dynamic table.
            if table.managed and table.location and not lake.remove_folder(table):
                continue
            if not remove_table_volume(lake, table):
                continue
            lake.store.tables.purge(table.id)
            forget_notes(lake.store, table.id)


def _last(lake: OpenLake) -> datetime:
    """When the daily work was last done; a job may have ended while it was."""
    last = lake.store.settings.get(_KEY)
    return (datetime.fromisoformat(last) if last is not None else now()) - _EVERY
