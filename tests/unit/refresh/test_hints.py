"""What the settings of a session ask of a refresh."""

from __future__ import annotations

import pytest

from headwater.errors import ValueRejected
from headwater.refresh.hints import (
    ALLOW_DML,
    BACKFILL,
    DIMENSIONS,
    FULL_IF_CHANGED,
    FULL_IF_MUCH,
    OVERWRITE_ALL,
    REBUILD_STATES,
    THRESHOLD,
    TRY_INCREMENTAL,
    Hints,
    allows_backfill,
    hints_of,
    names_in,
)


def test_a_session_that_says_nothing_asks_for_nothing() -> None:
    assert hints_of({}, {}) == Hints()


def test_each_setting_is_heard() -> None:
    settings = {
        REBUILD_STATES: "true",
        TRY_INCREMENTAL: "TRUE",
        FULL_IF_MUCH: "true",
        THRESHOLD: "0.25",
        OVERWRITE_ALL: "false",
    }
    lists = {DIMENSIONS: frozenset({"a"}), FULL_IF_CHANGED: frozenset({"b"})}
    assert hints_of(settings, lists) == Hints(
        asks_for_full=REBUILD_STATES,
        try_incremental=True,
        dimensions=frozenset({"a"}),
        full_if_changed=frozenset({"b"}),
        full_above=0.25,
        overwrites_all=False,
    )


def test_a_threshold_counts_only_if_the_switch_is_on() -> None:
    assert hints_of({THRESHOLD: "0.25"}, {}).full_above is None
    assert hints_of({FULL_IF_MUCH: "true"}, {}).full_above == 1.0


@pytest.mark.parametrize(
    ("key", "value"), [(BACKFILL, "yes"), (OVERWRITE_ALL, "0"), (TRY_INCREMENTAL, "")]
)
def test_a_switch_is_true_or_false(key: str, value: str) -> None:
    with pytest.raises(ValueRejected) as caught:
        hints_of({key: value}, {})
    assert key in str(caught.value.message)


@pytest.mark.parametrize("value", ["much", "1.5", "-1", "nan"])
def test_a_threshold_is_a_share(value: str) -> None:
    with pytest.raises(ValueRejected):
        hints_of({FULL_IF_MUCH: "true", THRESHOLD: value}, {})


def test_lists_have_commas() -> None:
    assert names_in(" dim1, s.dim2 ,,") == ("dim1", "s.dim2")


@pytest.mark.parametrize("key", [BACKFILL, ALLOW_DML])
def test_either_switch_allows_to_write(key: str) -> None:
    assert allows_backfill({key: "true"})
    assert not allows_backfill({key: "false"})
