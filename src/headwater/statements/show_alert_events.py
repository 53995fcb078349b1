"""SHOW ALERT EVENTS."""

from __future__ import annotations

from headwater.result import Column, Result
from headwater.sql.alerts import ShowAlertEvents
from headwater.statements.context import Context
from headwater.statements.filtered import filtered

COLUMNS = (
    Column("alert_name", "string"),
    Column("state", "string"),
    Column("message", "string"),
    Column("fired_time", "timestamp"),
    Column("resolved_time", "timestamp"),
    Column("told_fired_time", "timestamp"),
    Column("told_resolved_time", "timestamp"),
    Column("problem", "string"),
)


def show_alert_events(context: Context, statement: ShowAlertEvents) -> Result:
    """What the alerts of the workspace told, newest first."""
    local = context.session.local
    rows = [
        (
            name,
            "FIRING" if event.resolved_at is None else "RESOLVED",
            event.message,
            local(event.fired_at),
            local(event.resolved_at),
            local(event.told_fired_at),
            local(event.told_resolved_at),
            event.problem,
        )
        for name, event in context.store.alerts.events(context.session.workspace)
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=0)
