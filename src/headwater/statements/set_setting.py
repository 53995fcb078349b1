"""SET key = value."""

from __future__ import annotations

from headwater.errors import Span, UserError, ValueRejected
from headwater.names import did_you_mean
from headwater.refresh.hints import ALL as HINTS_OF_REFRESHES
from headwater.refresh.hints import require_hint
from headwater.refresh.planned import STATE_TABLES
from headwater.refresh.replacing import CHECK as CHECK_OF_REPLACEMENTS
from headwater.result import Result
from headwater.sql.once_per_row import SETTING as ALLOW_ONCE_PER_ROW
from headwater.sql.settings import TIME_ZONE_KEY, Set
from headwater.statements.compaction_after import SETTING as COMPACTION
from headwater.statements.context import Context
from headwater.statements.presigned_url import FORCE_EXTERNAL
from headwater.statements.query_rewrite import SETTING as REWRITE
from headwater.time_zones import zone_of

KNOWN = ("query_tag", "priority")
# Vendor hints, parameters of dynamic tables, Spark's and our own settings have free names.
FREE_PREFIXES = ("spark.", "cz.", "dt.args.", "headwater.")
_OURS = "headwater."
_VENDORS = "cz."
_HINTS = (
    *HINTS_OF_REFRESHES,
    STATE_TABLES,
    CHECK_OF_REPLACEMENTS,
    COMPACTION,
    REWRITE,
    FORCE_EXTERNAL,
    # EXPLAIN REFRESH says it in any case.
    "cz.optimizer.explain.can.incrementalize",
)
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
    key, value = setting_key(context, statement.key), statement.value
    if key in _FIXED or key.startswith(_FIXED_PREFIXES):
        raise UserError("SETTING_IS_FIXED", key=key, span=_key_span(context))
    if key == TIME_ZONE_KEY:
        _require_zone(value)
    if key == "priority" and not value.isdigit():
        raise ValueRejected("PROPERTY_VALUE", name=key, value=value, expected="a whole number")
    require_hint(key, value)
    session = context.session
    with session.lock:
        if key.startswith("spark.") and session.spark_started:
            session.spark().set(key, value)
        session.settings[key] = value
    return Result(message=f"{key} is set{_without_effect(key)}")


def _without_effect(key: str) -> str:
    """What to know of a vendor's hint that nothing here reads."""
    if not key.startswith(_VENDORS) or key in _HINTS:
        return ""
    near = did_you_mean(key, _HINTS)
    return "; warning: it has no effect here" + (f", {near}" if near else "")


def setting_key(context: Context, key: str) -> str:
    """The key as it is kept; one that cannot be is a user error."""
    if key.lower() in KNOWN:
        return key.lower()
    if not key.startswith(FREE_PREFIXES):
        hint = did_you_mean(key, KNOWN) or "settings start with spark., cz., dt.args. or headwater."
        raise UserError("UNKNOWN_SETTING", key=key, span=_key_span(context), hint=hint)
    misspelt = key != ALLOW_ONCE_PER_ROW and did_you_mean(key, [ALLOW_ONCE_PER_ROW])
    if key.startswith(_OURS) and misspelt:
        raise UserError("UNKNOWN_SETTING", key=key, span=_key_span(context), hint=misspelt)
    return key


def _key_span(context: Context) -> Span:
    """From the word after SET or RESET to the last one before `=`."""
    first, last = context.tokens[1], context.tokens[1]
    for token in context.tokens[1:]:
        if token.kind == "end" or token.text == "=":
            break
        last = token
    return Span(first.start, last.end)


def _require_zone(value: str) -> None:
    try:
        zone_of(value)
    except ValueError:
        raise ValueRejected("UNKNOWN_TIME_ZONE", zone=value) from None
