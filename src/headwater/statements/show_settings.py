"""SET and SET key: what is set in this session."""

from __future__ import annotations

from headwater.result import Result, string_columns
from headwater.sql.masking import mask
from headwater.sql.settings import ShowSettings
from headwater.statements.context import Context
from headwater.statements.set_setting import setting_key


def show_settings(context: Context, statement: ShowSettings) -> Result:
    """The settings of the session, or one of them; a value that looks like a secret is masked."""
    session = context.session
    columns = string_columns("key", "value")
    if statement.key is None:
        rows = [(key, _shown(key, value)) for key, value in sorted(session.settings.items())]
        return Result.from_rows(columns, rows)
    key = setting_key(context, statement.key)
    value = session.settings.get(key)
    if value is None and key.startswith("spark.") and session.spark_started:
        value = session.spark().get(key)
    shown = "<undefined>" if value is None else _shown(key, value)
    return Result.from_rows(columns, [(key, shown)])


def _shown(key: str, value: str) -> str:
    return mask(f"SET {key} = {value}").partition(" = ")[2].strip("'")
