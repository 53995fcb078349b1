"""DROP ALERT."""

from __future__ import annotations

from headwater.errors import UserError
from headwater.names import did_you_mean
from headwater.result import Result
from headwater.sql.alerts import DropAlert
from headwater.statements.context import Context


def drop_alert(context: Context, statement: DropAlert) -> Result:
    """Forget an alert and its events."""
    name = statement.name
    alerts = {alert.name: alert for alert in context.store.alerts.list(context.session.workspace)}
    if name not in alerts:
        if statement.if_exists:
            return Result(message=f"there is no alert {name}")
        raise UserError("ALERT_NOT_FOUND", name=name, hint=did_you_mean(name, alerts))
    context.store.alerts.drop(alerts[name].id)
    return Result(message=f"alert {name} dropped")
