"""What a session says about how dynamic tables are to be refreshed. Pure.

Law: but for dimension tables, and partitions that are left as they are, a hint chooses how rows are
worked out and never which rows there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater.errors import ValueRejected

_PREFIX = "cz.optimizer.incremental."
FORCE_FULL = f"{_PREFIX}force.full.refresh"
BACKFILL = f"{_PREFIX}backfill.enabled"
ALLOW_DML = "cz.sql.dt.allow.dml"
TRY_INCREMENTAL = f"{_PREFIX}try.incremental.refresh.enabled"
REBUILD_STATES = f"{_PREFIX}rebuild.rule.based.state.table"
DIMENSIONS = f"{_PREFIX}dimension.tables"
APPEND_ONLY = f"{_PREFIX}append.only.tables"
FULL_IF_CHANGED = f"{_PREFIX}full.refresh.if.these.tables.change"
FULL_IF_MUCH = f"{_PREFIX}full.refresh.if.source.table.changes.significantly"
THRESHOLD = f"{_PREFIX}threshold.of.source.table.change.for.full.refresh"
OVERWRITE_ALL = f"{_PREFIX}full.refresh.overwrite.partitioned.table"
DIMENSION_PROPERTY = "mv_const_tables"

ASKS_FOR_FULL = (BACKFILL, REBUILD_STATES)
"""Besides FORCE_FULL: what makes every refresh a full one."""
LISTS = (DIMENSIONS, APPEND_ONLY, FULL_IF_CHANGED)
"""Whose values are names of tables."""
_SWITCHES = (
    FORCE_FULL,
    *ASKS_FOR_FULL,
    ALLOW_DML,
    TRY_INCREMENTAL,
    FULL_IF_MUCH,
    OVERWRITE_ALL,
)
_WITHOUT_EFFECT = (f"{_PREFIX}state.table.lifecycle", f"{_PREFIX}state.table.specified.schema")
ALL = (
    FORCE_FULL,
    *ASKS_FOR_FULL,
    ALLOW_DML,
    TRY_INCREMENTAL,
    *LISTS,
    FULL_IF_MUCH,
    THRESHOLD,
    OVERWRITE_ALL,
    *_WITHOUT_EFFECT,
)


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints for one refresh; tables are ids of sources."""

    asks_for_full: str | None = None
    """The setting that makes the refresh a full one, besides FORCE_FULL."""
    try_incremental: bool = False
    """Where only an incremental refresh is allowed, a full one is better than none."""
    dimensions: frozenset[str] = field(default_factory=frozenset)
    """Sources whose changes are not looked at."""
    full_if_changed: frozenset[str] = field(default_factory=frozenset)
    full_above: float | None = None
    """The share of a source from which on a change of it makes the refresh a full one."""
    overwrites_all: bool = True
    """Whether a full refresh of a table with partitions empties those that get no rows."""


def hints_of(settings: Mapping[str, str], lists: Mapping[str, frozenset[str]]) -> Hints:
    """The hints in the settings of a session; `lists` are the ids behind the names in `LISTS`."""
    asks = next((key for key in ASKS_FOR_FULL if is_on(settings, key)), None)
    return Hints(
        asks_for_full=asks,
        try_incremental=is_on(settings, TRY_INCREMENTAL),
        dimensions=lists.get(DIMENSIONS, frozenset()),
        full_if_changed=lists.get(FULL_IF_CHANGED, frozenset()),
        full_above=_threshold(settings) if is_on(settings, FULL_IF_MUCH) else None,
        overwrites_all=is_on(settings, OVERWRITE_ALL, default=True),
    )


def is_on(settings: Mapping[str, str], key: str, *, default: bool = False) -> bool:
    """Whether a switch is set to true."""
    value = settings.get(key, str(default)).lower()
    if value not in ("true", "false"):
        raise ValueRejected("PROPERTY_VALUE", name=key, value=value, expected="true or false")
    return value == "true"


def require_hint(key: str, value: str) -> None:
    """Refuse the value of a hint that no refresh could follow."""
    if key in _SWITCHES:
        is_on({key: value}, key)
    elif key == THRESHOLD:
        _threshold({key: value})


def _threshold(settings: Mapping[str, str]) -> float:
    value = settings.get(THRESHOLD, "1.0")
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        wanted = "a number from 0 to 1"
        raise ValueRejected("PROPERTY_VALUE", name=THRESHOLD, value=value, expected=wanted)
    return share


def names_in(text: str) -> tuple[str, ...]:
    """The names of a list with commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def allows_backfill(settings: Mapping[str, str]) -> bool:
    """Whether a session may write to dynamic tables."""
    return is_on(settings, BACKFILL) or is_on(settings, ALLOW_DML)
