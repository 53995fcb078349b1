"""The store's alerts and their events.

Invariant: of an alert and a key one event at most is open; it fires once and is resolved once.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, or_, select, update

from headwater.catalog.alerts import Alert, AlertEvent
from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.model import workspaces
from headwater.catalog.store.task_model import alert_events, alerts
from headwater.catalog.store.workspaces import workspace_id
from headwater.errors import UserError
from headwater.names import QualifiedName
from headwater.sql.alerts import AlertKind

_E = alert_events.c
_EVENT_FIELDS = tuple(AlertEvent.__dataclass_fields__)


class Alerts:
    """Makes, finds and drops alerts, and keeps what they told."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, made: Alert, *, replacing: bool = False) -> None:
        """Adds an alert; ALERT_ALREADY_EXISTS when its name is taken, unless it is replaced."""
        target = made.target
        with self._database.write() as own:
            owner = workspace_id(own, made.workspace)
            if replacing:
                same = (alerts.c.workspace_id == owner) & (alerts.c.name == made.name)
                own.execute(delete(alerts).where(same))
            values = {
                "id": made.id,
                "workspace_id": owner,
                "name": made.name,
                "kind": made.kind,
                "creator": made.creator,
                "created_at": made.created_at,
                "modified_at": made.modified_at,
                "target": target and [target.workspace, target.schema, target.name],
                "seconds": made.seconds,
                "comment": made.comment,
                "shown": [*made.shown],
                "sealed": made.sealed,
            }
            if not insert_unless_taken(own, alerts, values):
                raise UserError("ALERT_ALREADY_EXISTS", name=made.name)

    def get(self, workspace: str, name: str) -> Alert | None:
        """The alert of that name, or None."""
        return next((alert for alert in self.list(workspace) if alert.name == name), None)

    def list(
        self, workspace: str | None = None, *, connection: Connection | None = None
    ) -> builtins.list[Alert]:
        """The alerts of a workspace, or of all, by name."""
        query = select(alerts, workspaces.c.name.label("workspace_name"))
        query = query.join_from(alerts, workspaces).order_by(workspaces.c.name, alerts.c.name)
        if workspace is not None:
            query = query.where(workspaces.c.name == workspace)
        with self._database.read(connection) as own:
            return [_alert(row) for row in own.execute(query)]

    def drop(self, alert_id: str) -> None:
        """Forgets an alert and its events."""
        with self._database.write() as own:
            own.execute(delete(alerts).where(alerts.c.id == alert_id))

    def reseal(self, alert_id: str, sealed: str, *, connection: Connection) -> None:
        """Stores the addresses sealed with another key."""
        connection.execute(update(alerts).where(alerts.c.id == alert_id).values(sealed=sealed))

    def fire(self, fired: Sequence[AlertEvent]) -> None:
        """Adds events, unless one with the same key is open or the alert was dropped since."""
        meant = {event.alert_id for event in fired}
        # Who drops an alert now waits, and takes the event along.
        there = select(alerts.c.id).where(alerts.c.id.in_(meant)).with_for_update(read=True)
        with self._database.write() as own:
            kept = set(own.scalars(there))
            for event in fired:
                if event.alert_id not in kept:
                    continue
                again = select(_E.id).where(
                    _E.alert_id == event.alert_id, _E.key == event.key, _E.resolved_at.is_(None)
                )
                if own.execute(again).first() is None:
                    values = {name: getattr(event, name) for name in _EVENT_FIELDS}
                    own.execute(insert(alert_events), values)

    def resolve(self, ids: Sequence[str], at: datetime) -> None:
        """Notes that what events told is over."""
        ended = update(alert_events).where(_E.id.in_(ids), _E.resolved_at.is_(None))
        with self._database.write() as own:
            own.execute(ended.values(resolved_at=at))

    def open_events(self) -> builtins.list[AlertEvent]:
        """Events that are not over."""
        return self._events(_E.resolved_at.is_(None))

    def untold(self, at: datetime, *, most_tries: int) -> builtins.list[AlertEvent]:
        """Events of which something is still to be told, now; some tries are enough."""
        untold = or_(
            _E.told_fired_at.is_(None), _E.resolved_at.is_not(None) & _E.told_resolved_at.is_(None)
        )
        untold = untold & (_E.tries < most_tries)
        return self._events(untold & or_(_E.not_before.is_(None), _E.not_before <= at))

    def events(self, workspace: str) -> builtins.list[tuple[str, AlertEvent]]:
        """All events of a workspace with the names of their alerts, newest first."""
        query = (
            select(alert_events, alerts.c.name.label("alert_name"))
            .join_from(alert_events, alerts)
            .join(workspaces)
            .where(workspaces.c.name == workspace)
            .order_by(_E.fired_at.desc(), _E.id)
        )
        with self._database.read() as own:
            return [(row.alert_name, _event(row)) for row in own.execute(query)]

    def fired_keys(self, kinds: Sequence[AlertKind]) -> set[tuple[str, str]]:
        """The keys that alerts of some kinds have ever fired with, each with its alert's id."""
        query = select(_E.alert_id, _E.key).join_from(alert_events, alerts)
        with self._database.read() as own:
            rows = own.execute(query.where(alerts.c.kind.in_(kinds))).all()
        return {(row.alert_id, row.key) for row in rows}

    def record(self, event: AlertEvent) -> None:
        """Stores how the telling of an event went."""
        told = ("told_fired_at", "told_resolved_at", "tries", "not_before", "problem", "pending")
        values = {name: getattr(event, name) for name in told}
        with self._database.write() as own:
            own.execute(update(alert_events).where(_E.id == event.id).values(values))

    def delete_before(self, when: datetime) -> int:
        """Forgets events that were over before `when`, and says how many."""
        with self._database.write() as own:
            return own.execute(delete(alert_events).where(_E.resolved_at < when)).rowcount

    def _events(self, condition: Any) -> builtins.list[AlertEvent]:
        query = select(alert_events).where(condition).order_by(_E.fired_at, _E.id)
        with self._database.read() as own:
            return [_event(row) for row in own.execute(query)]


def _event(row: Row[Any]) -> AlertEvent:
    return AlertEvent(**{name: getattr(row, name) for name in _EVENT_FIELDS})


def _alert(row: Row[Any]) -> Alert:
    return Alert(
        id=row.id,
        workspace=row.workspace_name,
        name=row.name,
        kind=AlertKind(row.kind),
        creator=row.creator,
        created_at=row.created_at,
        modified_at=row.modified_at,
        target=None if row.target is None else QualifiedName(*row.target),
        seconds=row.seconds,
        comment=row.comment,
        shown=tuple(row.shown),
        sealed=row.sealed,
    )
