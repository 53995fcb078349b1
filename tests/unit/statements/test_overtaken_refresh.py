"""A refresh that other commits overtake is tried again, and its user does not see it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.statements.test_dynamic_table_statements import dynamic_table

import headwater
from headwater.catalog.dynamic_tables import Refresh, RefreshState
from headwater.errors import HeadwaterError, TransientError
from headwater.refresh.run import Turn
from headwater.statements import refreshing


def overtaken(times: int, condition: str, tried: list[int]) -> Any:
    """What a refresh does that so many commits overtake."""

    def attempt(context: object, table: object, started: Refresh, number: int) -> Refresh:
        tried.append(number)
        if len(tried) <= times:
            raise TransientError(condition, problem="an OPTIMIZE", table="d", job="j")
        outlook = refreshing.Outlook(
            refreshing.plan_of(context, table)  # type: ignore[arg-type]
        )
        return refreshing._succeeded(started, outlook, None)

    return attempt


@pytest.mark.parametrize("times", [1, 3])
def test_it_is_planned_anew_and_succeeds(
    lake: headwater.Connection, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    tried: list[int] = []
    dynamic_table(lake)
    monkeypatch.setattr(refreshing, "_tried", overtaken(times, "CONCURRENT_CHANGE", tried))
    lake.sql("REFRESH DYNAMIC TABLE d")
    assert tried == list(range(times + 1))
    history = lake.session.lake.store.refreshes.list()
    assert [refresh.state for refresh in history] == [RefreshState.SUCCEED]


def test_whoever_is_always_overtaken_is_told_so(
    lake: headwater.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []
    dynamic_table(lake)
    monkeypatch.setattr(refreshing, "_tried", overtaken(99, "CONCURRENT_CHANGE", tried))
    with pytest.raises(HeadwaterError, match="CONCURRENT_CHANGE"):
        lake.sql("REFRESH DYNAMIC TABLE d")
    assert len(tried) == 4


def test_other_errors_are_not_tried_again(
    lake: headwater.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []
    dynamic_table(lake)
    monkeypatch.setattr(refreshing, "_tried", overtaken(1, "REFRESH_RUNNING", tried))
    with pytest.raises(HeadwaterError, match="REFRESH_RUNNING"):
        lake.sql("REFRESH DYNAMIC TABLE d")
    assert len(tried) == 1


def test_each_attempt_has_a_name_of_its_own_for_the_states() -> None:
    names = {Turn(7, attempt).state_transaction("id") for attempt in range(3)}
    assert len(names) == 3
    assert ("state:id", 7) in names
