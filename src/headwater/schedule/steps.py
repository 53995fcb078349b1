"""One scheduled refresh: run it, and tell the catalog and its wave how it went."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from headwater.catalog.dynamic_tables import Refresh, RefreshState
from headwater.catalog.schedules import ScheduledTable
from headwater.errors import HeadwaterError, InternalError
from headwater.refresh.pins import WavePins
from headwater.refresh.reasons import Reason
from headwater.runtime.clock import now
from headwater.runtime.failpoints import reach
from headwater.runtime.open_lake import OpenLake
from headwater.schedule.wave_run import Ended

RunRefresh = Callable[[ScheduledTable, WavePins], Refresh]
"""Refreshes a table as a job, and gives back its row of the history; raises what goes wrong."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a refresh ended for its wave, and what was wrong if something was."""

    ended: Ended
    problem: str | None = None


# Another process has the lake, somebody refreshes the table by hand, or a source got new columns:
# none of it is a failure of the table.
_NOT_COUNTED = frozenset({"LAKE_LOCKED", "LEASE_LOST", "REFRESH_RUNNING", "WAVE_SOURCE_CHANGED"})


def refresh_in_wave(
    lake: OpenLake, run: RunRefresh, table: ScheduledTable, pins: WavePins
) -> Outcome:
    """Refresh a table at the versions of its wave; errors become the table's state."""
    reach("schedule.begun")
    try:
        # It may have another name by now, and who suspends a table means its next refresh too.
        current = lake.store.schedules.get(table.id)
        if current is None or current.suspended:
            return Outcome(Ended.OVERTAKEN, "it was dropped or suspended meanwhile")
        done = run(current, pins)
        return Outcome(_done(lake, table, pins, done))
    except HeadwaterError as error:
        return _failed(lake, table, error)
    except Exception as error:
        return _failed(lake, table, InternalError("BUG", problem=repr(error)))


def _done(lake: OpenLake, table: ScheduledTable, pins: WavePins, done: Refresh) -> Ended:
    """What reads the table in this wave reads what this refresh made, and nothing newer."""
    current = lake.store.dynamic_tables.by_id(table.id)
    ours = current is not None and current.refresh_number == done.number
    if current is None or not ours or done.reason == Reason.OVERTAKEN:
        return Ended.OVERTAKEN
    # Nothing may have been written: then the version is that of the wave's beginning.
    versions = (pins.versions.get(table.id), current.delta_version)
    known = [version for version in versions if version is not None]
    if known:
        pins.versions[table.id] = max(known)
    reach("schedule.ended")
    took = (now() - pins.at).total_seconds()
    lake.store.schedules.record_success(table.id, took_seconds=max(0.0, took))
    return Ended.DONE


def _failed(lake: OpenLake, table: ScheduledTable, error: HeadwaterError) -> Outcome:
    message = f"{error.condition}: {error.message}"
    if error.condition in _NOT_COUNTED or lake.writer.fencing is None:
        return Outcome(Ended.OVERTAKEN, message)
    after = lake.store.schedules.record_failure(
        table.id,
        now(),
        message,
        jitter=random.random(),  # noqa: S311 - spreads retries, hides nothing
    )
    if after is None:
        return Outcome(Ended.OVERTAKEN)  # it was dropped
    if after.suspended_by_failures:
        _tell_history(lake, after)
    return Outcome(Ended.FAILED, message)


def _tell_history(lake: OpenLake, table: ScheduledTable) -> None:
    """The failure that suspended a table says so in the history."""
    for last in lake.store.refreshes.list(table_id=table.id, limit=1):
        if last.state is RefreshState.FAILED:
            changed = replace(last, suspended_reason=table.suspended_reason)
            lake.store.refreshes.finish(changed)
