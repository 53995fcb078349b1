"""The loop of alerts: looks now and then, keeps what fired, and tells it.

Invariant: nothing here fails or delays the work of the lake; who cannot be told is tried again
later, and addresses that took a message do not get it twice.
"""

from __future__ import annotations

import json
import logging
import threading
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime

from headwater.alerts.evaluate import OF_TASKS, evaluate
from headwater.alerts.facts import facts_of
from headwater.alerts.sending import send
from headwater.catalog.alerts import ADDRESSES, Alert, AlertEvent
from headwater.catalog.schedules import backoff
from headwater.errors import HeadwaterError, TransientError
from headwater.files.connections import key_source
from headwater.runtime.clock import now
from headwater.runtime.open_lake import OpenLake

_log = logging.getLogger(__name__)
_LOOK = 5.0
_STANDBY = 0.25
_AT_ONCE = 4
MOST_TRIES = 20


@dataclass(slots=True)
class AlertLoop:
    """Watches for the alerts of a lake."""

    lake: OpenLake
    clock: Callable[[], datetime] = now

    def run_forever(self, stop: threading.Event) -> None:
        """Look until `stop` is set; only while this process holds the lake."""
        while not stop.is_set():
            if self.lake.writer.fencing is None:
                stop.wait(_STANDBY)
                continue
            try:
                self.step()
            except TransientError as error:
                # The catalog may be away.
                _log.debug("no look at the alerts: %s", error)
            except Exception:
                # A bug here must not end pipes, schedules and tasks.
                _log.exception("the alerts could not be looked at")
            stop.wait(_LOOK)

    def step(self) -> None:
        """Look once, and tell what is to be told."""
        store, at = self.lake.store.alerts, self.clock()
        alerts = store.list()
        if not alerts:
            return
        open_events = store.open_events()
        facts = facts_of(self.lake, alerts, open_events, at)
        before = store.fired_keys(OF_TASKS)
        found = evaluate(alerts, facts, open_events, before, at, lambda: uuid.uuid4().hex)
        if found.fired:
            store.fire(found.fired)
        if found.resolved:
            store.resolve(found.resolved, at)
        self._tell({alert.id: alert for alert in alerts}, at)

    def _tell(self, alerts: dict[str, Alert], at: datetime) -> None:
        found = self.lake.store.alerts.untold(at, most_tries=MOST_TRIES)
        untold = [event for event in found if event.alert_id in alerts]
        if not untold:
            return
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="headwater-alert") as pool:
            told = pool.map(lambda event: self._told(alerts[event.alert_id], event), untold)
            for event in told:
                self.lake.store.alerts.record(event)

    def _told(self, alert: Alert, event: AlertEvent) -> AlertEvent:
        """The event after it was told: that it fired, then that it is over."""
        if event.told_fired_at is None:
            event = self._sent(alert, event, resolved=False)
        if event.told_fired_at is not None and event.resolved_at is not None:
            event = self._sent(alert, event, resolved=True)
        return event

    def _sent(self, alert: Alert, event: AlertEvent, *, resolved: bool) -> AlertEvent:
        at = self.clock()
        try:
            urls = self._addresses(alert)
        except HeadwaterError as error:
            return _later(event, at, f"{error.condition}: {error.message}", event.pending)
        places = range(len(urls)) if event.pending is None else event.pending
        title = f"{'Resolved' if resolved else 'Firing'}: alert {alert.name}"
        left, names = list[int](), list[str]()
        for place in places:
            failed = send([urls[place]], title, event.message, resolved=resolved)
            left += [place] if failed else []
            names += failed
        if left:
            return _later(event, at, f"not taken by {', '.join(names)}", left)
        done = replace(event, tries=0, not_before=None, problem=None, pending=None)
        return replace(done, told_resolved_at=at) if resolved else replace(done, told_fired_at=at)

    def _addresses(self, alert: Alert) -> list[str]:
        from headwater.sealing.seal import open_sealed

        ring = key_source(self.lake).load()
        opened = open_sealed(alert.sealed, ring, owner_id=alert.id, name=ADDRESSES)
        return [str(url) for url in json.loads(opened)]


def _later(
    event: AlertEvent, at: datetime, problem: str, pending: Sequence[int] | None
) -> AlertEvent:
    tries = event.tries + 1
    wait = backoff(tries, 0)
    return replace(event, tries=tries, not_before=at + wait, problem=problem, pending=pending)
