"""What it costs the readers of a dynamic table if all its rows are written anew. Pure.

They have to work everything out anew themselves then, and not from the few rows that changed. What
that takes them is known from what they did before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from headwater.catalog.dynamic_tables import Refresh, RefreshKind, RefreshMode, RefreshState
from headwater.refresh.reasons import Reason

_CHOSEN = (Reason.FIRST_REFRESH, Reason.CHEAPER_IN_FULL)
"""Reasons that do not stand in the way of an incremental refresh the next time."""


def loss_of(mode: RefreshMode, past: Sequence[Refresh]) -> float:
    """The seconds that a reader loses, from its refreshes, the newest first; infinite if unknown.

    Who could not be refreshed incrementally the last time loses nothing. Nor does who never was,
    because that was expected to take longer than a full one.
    """
    if mode is RefreshMode.FULL:
        return 0.0
    if mode is not RefreshMode.AUTO:
        return math.inf
    done = [one for one in past if one.state is RefreshState.SUCCEED]
    done = [one for one in done if one.kind in (RefreshKind.FULL, RefreshKind.INCREMENTAL)]
    if done and done[0].kind is RefreshKind.FULL and done[0].reason not in _CHOSEN:
        return 0.0
    full, incremental = _newest(done, RefreshKind.FULL), _newest(done, RefreshKind.INCREMENTAL)
    if incremental is None and done and done[0].reason == Reason.CHEAPER_IN_FULL:
        return 0.0
    if full is None or incremental is None:
        return math.inf
    return max(0.0, full - incremental)


def _newest(done: Sequence[Refresh], kind: RefreshKind) -> float | None:
    """How long the newest refresh of a kind took."""
    for one in done:
        if one.kind is kind and one.ended_at is not None:
            return (one.ended_at - one.started_at).total_seconds()
    return None
