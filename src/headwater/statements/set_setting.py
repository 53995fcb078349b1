"""SET key = value."""

from __future__ import annotations

from headwater.errors import UserError, ValueRejected
from headwater.names import did_you_mean
from headwater.result import Result
from headwater.sql.settings import TIME_ZONE_KEY, Set
from headwater.statements.context import Context
from headwater.time_zones import zone_of

KNOWN = ("query_tag", "priority")
# Vendor hints, parameters of dynamic tables, Spark's and our own settings have free names.
FREE_PREFIXES = ("spark.", "cz.", "dt.args.", "headwater.")
# Spark reads these once, when it starts.
_FIXED_PREFIXES = (
    "spark.driver.",
    "spark.executor.",
    "spark.ui.",
    "spark.scheduler.",
    "spark.jars",
)
_FIXED = ("spark.master", "spark.app.name")


def set_setting(context: Context, statement: Set) -> Result:
    """Change a setting of this session."""
    key, value = statement.key, statement.value
    if key.lower() in KNOWN:
        key = key.lower()
    elif not key.startswith(FREE_PREFIXES):
        hint = did_you_mean(key, KNOWN) or "settings start with spark., cz., dt.args. or headwater."
        raise UserError("UNKNOWN_SETTING", key=key, span=context.tokens[1].span, hint=hint)
    if key in _FIXED or key.startswith(_FIXED_PREFIXES):
        raise UserError("SETTING_IS_FIXED", key=key, span=context.tokens[1].span)
    if key == TIME_ZONE_KEY:
        _require_zone(value)
    if key == "priority" and not value.isdigit():
        raise ValueRejected("PROPERTY_VALUE", name=key, value=value, expected="a whole number")
    session = context.session
    with session.lock:
        if key.startswith("spark.") and session.spark_started:
            session.spark().set(key, value)
        session.settings[key] = value
    return Result(message=f"{key} is set")


def _require_zone(value: str) -> None:
    try:
        zone_of(value)
    except ValueError:
        raise ValueRejected("UNKNOWN_TIME_ZONE", zone=value) from None
