"""What readers lose if a table is overwritten: known from what they did before, or not at all."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest

from headwater.catalog.dynamic_tables import Refresh, RefreshKind, RefreshMode, RefreshState
from headwater.refresh.followers import loss_of
from headwater.refresh.reasons import Reason

BEGAN = datetime(2026, 11, 19, tzinfo=UTC)
FULL, INCREMENTAL, NO_DATA = RefreshKind.FULL, RefreshKind.INCREMENTAL, RefreshKind.NO_DATA
CHEAPER, CHANGED = Reason.CHEAPER_IN_FULL, Reason.ROWS_CHANGED


def refresh(
    kind: RefreshKind,
    seconds: float,
    reason: Reason = CHEAPER,
    state: RefreshState = RefreshState.SUCCEED,
) -> Refresh:
    ended = BEGAN + timedelta(seconds=seconds)
    place = {"workspace": "w", "schema": "s", "name": "d", "virtual_cluster": "DEFAULT"}
    return Refresh(
        "1", 1, **place, started_at=BEGAN, job_id="j",
        state=state, ended_at=ended, kind=kind, reason=reason,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("past", "loss"),
    [
        ([refresh(FULL, 3.0), refresh(INCREMENTAL, 1.0, CHANGED)], 2.0),
        ([refresh(NO_DATA, 0.1), refresh(INCREMENTAL, 4.0, CHANGED), refresh(FULL, 3.0)], 0.0),
        ([refresh(FULL, 3.0), refresh(FULL, 9.0), refresh(INCREMENTAL, 1.0, CHANGED)], 2.0),
    ],
)
def test_the_newest_of_both_kinds_are_compared(past: list[Refresh], loss: float) -> None:
    assert loss_of(RefreshMode.AUTO, past) == loss


def test_nobody_knows_what_was_never_tried() -> None:
    failed = refresh(INCREMENTAL, 1.0, CHANGED, RefreshState.FAILED)
    first = refresh(FULL, 3.0, Reason.FIRST_REFRESH)
    assert loss_of(RefreshMode.AUTO, []) == math.inf
    assert loss_of(RefreshMode.AUTO, [first]) == math.inf
    assert loss_of(RefreshMode.AUTO, [failed, first]) == math.inf
    assert loss_of(RefreshMode.AUTO, [refresh(INCREMENTAL, 1.0, CHANGED)]) == math.inf


def test_who_works_everything_out_anyway_loses_nothing() -> None:
    assert loss_of(RefreshMode.FULL, []) == 0
    assert loss_of(RefreshMode.AUTO, [refresh(FULL, 3.0, Reason.NOT_PROVEN)]) == 0


def test_who_never_found_a_change_worth_following_loses_nothing() -> None:
    first = refresh(FULL, 9.0, Reason.FIRST_REFRESH)
    assert loss_of(RefreshMode.AUTO, [refresh(FULL, 3.0), first]) == 0
    assert loss_of(RefreshMode.AUTO, [first, refresh(FULL, 3.0)]) == math.inf


def test_who_is_to_be_incremental_is_not_overrun() -> None:
    past = [refresh(FULL, 3.0), refresh(INCREMENTAL, 5.0, CHANGED)]
    assert loss_of(RefreshMode.INCREMENTAL, past) == math.inf
    assert loss_of(RefreshMode.STRICT, past) == math.inf
