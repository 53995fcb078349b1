"""RESET: settings back to their defaults."""

from __future__ import annotations

from headwater.result import Result
from headwater.sql.settings import Reset
from headwater.statements.context import Context
from headwater.statements.set_setting import setting_key


def reset(context: Context, statement: Reset) -> Result:
    """Forget one setting of the session, or all."""
    session = context.session
    keys = list(session.settings)
    if statement.key is not None:
        keys = [setting_key(context, statement.key)]
    with session.lock:
        for key in keys:
            session.settings.pop(key, None)
            if key.startswith("spark.") and session.spark_started:
                session.spark().reset(key)
    return Result(message="settings reset" if statement.key is None else f"{statement.key} reset")
