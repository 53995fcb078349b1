"""The loop of upkeep: looks now and then, and does one thing at a time, when nothing else runs.

Invariant: nothing here fails a user's work. What goes wrong is a failed job, and is left alone for
a while.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from headwater.errors import HeadwaterError, TransientError
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake
from headwater.upkeep.cleaning import upkeep_if_due
from headwater.upkeep.lookout import Lookout
from headwater.upkeep.tasks import Task

_LOOK = 30.0
_WAIT_FOR_REST = 1.0


@dataclass(slots=True)
class UpkeepLoop:
    """Does the upkeep of a lake; `run` runs a task as a job."""

    lake: OpenLake
    run: Callable[[Task], None]
    _lookout: Lookout = field(init=False)
    _waiting_since: datetime | None = None
    """Since when upkeep waits for a moment in which nothing else runs."""

    def __post_init__(self) -> None:
        self._lookout = Lookout(self.lake)

    def run_forever(self, stop: threading.Event) -> None:
        """Do what is due until `stop` is set; only while this process holds the lake."""
        while not stop.is_set():
            stop.wait(self.step())

    def run_until_done(self, stop: threading.Event | None = None) -> None:
        """Do what is due now, and wait for nothing; what fails is not tried again."""
        self.lake.writer.ensure()
        while not (stop and stop.is_set()):
            task = self._lookout.next_task()
            if task is None:
                return
            self._do(task)

    def step(self) -> float:
        """Look, do one thing if there is one to do, and say for how many seconds to rest."""
        try:
            if self.lake.writer.fencing is None:
                return _LOOK
            upkeep_if_due(self.lake)
            # Before the look: while others work, not even that is done.
            if not self._may_begin():
                return _WAIT_FOR_REST
            task = self._lookout.next_task()
        except TransientError:
            return _LOOK  # the catalog is away
        self._waiting_since = None
        if task is None:
            return _LOOK
        self._do(task)
        return _WAIT_FOR_REST

    def _may_begin(self) -> bool:
        """Whether nothing else runs, or upkeep has waited long enough for that."""
        if self.lake.clusters.idle:
            return True
        since = self._waiting_since = self._waiting_since or now()
        patience = timedelta(minutes=self.lake.config.upkeep_patience_minutes)
        return now() - since >= patience

    def _do(self, task: Task) -> None:
        try:
            self.run(task)
        except HeadwaterError:
            self._lookout.failed(task)
        else:
            self._lookout.succeeded(task)
