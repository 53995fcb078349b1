"""SHOW ALERTS."""

from __future__ import annotations

from headwater.result import Column, Result
from headwater.sql.alerts import ShowAlerts, event_text
from headwater.statements.context import Context
from headwater.statements.filtered import filtered

COLUMNS = (
    Column("name", "string"),
    Column("kind", "string"),
    Column("watches", "string"),
    Column("notifies", "string"),
    Column("firing", "int"),
    Column("creator", "string"),
    Column("created_time", "timestamp"),
    Column("comment", "string"),
)


def show_alerts(context: Context, statement: ShowAlerts) -> Result:
    """The alerts of the workspace, with how many of their events are not over."""
    firing = [event.alert_id for event in context.store.alerts.open_events()]
    rows = [
        (
            alert.name,
            alert.kind.value,
            event_text(alert.kind, alert.target, alert.seconds),
            ", ".join(alert.shown),
            firing.count(alert.id),
            alert.creator,
            context.session.local(alert.created_at),
            alert.comment,
        )
        for alert in context.store.alerts.list(context.session.workspace)
    ]
    return filtered(context, COLUMNS, rows, statement.filter, like_column=0)
