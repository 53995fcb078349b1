"""Rows that cannot be those of the query: a plan that meets them fails."""

from __future__ import annotations

from collections import Counter

import pytest
from sqlglot import exp

from headwater.algebra.nodes import (
    WEIGHT,
    Aggregate,
    ColumnType,
    Field,
    Named,
    Query,
    Scan,
)
from headwater.incremental.checks import NEGATIVE_COUNT, TWO_ROWS
from headwater.incremental.deltas import Change
from headwater.incremental.plan import plan
from tests.laws.engine import Bag, Engine, Rows, World
from tests.laws.law import SAME_DAY, run

COUNTS = Aggregate(
    Scan("r", "r", (Field("a#1", "a"),)), ("a#1",), (Named("n#2", exp.Count(this=exp.Star())),)
)
QUERY = Query(COUNTS, ("a", "n"))
TYPES = {"a#1": ColumnType("bigint"), "n#2": ColumnType("bigint", nullable=False)}


def change(stored: Bag, changes: Bag) -> Bag:
    """What a refresh would write, given the rows of the table and what changed in its source."""
    found = plan(QUERY, {"r": Change.ANY}, SAME_DAY, TYPES)
    nothing = Rows(("a",), Counter())
    world = World(
        {"r": nothing},
        {"r": nothing},
        {"r": Rows(("a", WEIGHT), changes)},
        Rows(QUERY.names, stored),
    )
    return run(found.rows, found.parts, world, Engine())


def test_sound_rows_are_merged() -> None:
    written = change(Counter({(7, 2): 1}), Counter({(7, 1): 1}))
    assert written == Counter({(7, 3, 1): 1, (7, 2, -1): 1})


def test_a_group_that_is_there_twice_ends_the_refresh() -> None:
    with pytest.raises(AssertionError, match=TWO_ROWS):
        change(Counter({(7, 2): 1, (7, 5): 1}), Counter({(7, 1): 1}))


def test_a_group_with_fewer_than_no_rows_ends_the_refresh() -> None:
    with pytest.raises(AssertionError, match=NEGATIVE_COUNT):
        change(Counter({(7, 2): 1}), Counter({(7, -1): 3}))
