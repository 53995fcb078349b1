"""The first row of a refresh in the history: it is under way, and no other of the same rows is.

A table with a schedule is refreshed by it as soon as it is made, so whoever makes one and refreshes
it, as the documents do, would often come second. A refresh by hand therefore waits for one of the
schedule; it may have begun before the changes that the user wants to see.
"""

from __future__ import annotations

import time
from dataclasses import replace

from headwater.catalog.dynamic_tables import Refresh, RefreshState, RefreshTrigger
from headwater.errors import TransientError, UserError
from headwater.runtime.clock import now
from headwater.statements.context import Context

_RUNNING = "REFRESH_RUNNING"
_LOOK_AGAIN = 0.2
_MOST = 20
"""Refreshes of one table that are looked at; those of its partitions may run at once."""


def begun(context: Context, new: Refresh) -> Refresh:
    """The refresh, begun; REFRESH_RUNNING if another one that nobody waits for is under way."""
    by_hand = new.trigger is RefreshTrigger.MANUAL
    while True:
        try:
            return context.store.refreshes.start(new)
        except TransientError as error:
            if error.condition != _RUNNING or not (by_hand and _is_scheduled(context, new)):
                raise
        if context.job_id in context.store.jobs.cancel_requested(context.lake.instance.id):
            raise UserError("JOB_CANCELLED", job_id=context.job_id)
        time.sleep(_LOOK_AGAIN)
        new = replace(new, started_at=now())


def _is_scheduled(context: Context, new: Refresh) -> bool:
    """Whether no other refresh by hand is in the way; what has ended meanwhile is in nobody's."""
    found = context.store.refreshes.list(table_id=new.table_id, limit=_MOST)
    under_way = (refresh for refresh in found if refresh.state is RefreshState.RUNNING)
    return all(refresh.trigger is RefreshTrigger.LH_SCHEDULED for refresh in under_way)
