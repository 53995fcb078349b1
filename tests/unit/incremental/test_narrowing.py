"""Which places are asked for, and read only where the change lies: the laws say it is right."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlglot import exp
from tests.unit.incremental.queries import (
    CITIES,
    COUNT,
    ORDERS,
    by_city,
    equal,
    joined,
    planned,
    selected,
)

from headwater.algebra.nodes import Filter, Join, JoinKind, Node, Scan, Stored, column
from headwater.algebra.outline import outline
from headwater.algebra.walk import nodes_of
from headwater.incremental.deltas import Change
from headwater.incremental.narrowing import Origins, Place, narrowed, places_asked
from headwater.incremental.plan import DeltaPlan
from headwater.incremental.spans import Spans, spans_of

CITY = frozenset({("o", "city")})
NAME = frozenset({("c", "name")})
FOUND = spans_of([3, 4, 5])


def everywhere(origins: Origins, place: Place) -> Spans:
    return FOUND


def asked(found: DeltaPlan) -> set[tuple[Origins, str]]:
    """What is asked for: whose changes, and of which table and column."""
    return {(origins, f"{_name(place)}.{place.name}") for origins, place in places_asked(found)}


def filtered(found: DeltaPlan) -> list[str]:
    """The tables that are read only where the change lies."""
    nodes = [found.rows, *(part.node for part in found.parts)]
    return sorted(
        _name(Place(node.input, ""))
        for root in nodes
        for node in nodes_of(root)
        if isinstance(node, Filter)
        and isinstance(node.input, Scan | Stored)
        and node.condition.find(exp.GTE) is not None
    )


def _name(place: Place) -> str:
    return place.leaf.name if isinstance(place.leaf, Scan) else "the table"


def test_the_partner_of_a_change_is_read_where_its_keys_lie() -> None:
    plan = planned(joined(), orders=Change.ANY)
    assert asked(plan) == {(CITY, "cities.name")}
    assert filtered(narrowed(plan, everywhere)) == ["cities"]


def test_each_term_is_narrowed_by_its_own_change() -> None:
    plan = planned(joined(), orders=Change.ANY, cities=Change.ANY)
    assert asked(plan) == {(CITY, "cities.name"), (NAME, "orders.city")}
    assert filtered(narrowed(plan, everywhere)) == ["cities", "orders"]


def test_what_need_not_be_narrowed_stays_the_very_plan() -> None:
    plan = planned(joined(), orders=Change.ANY)
    assert narrowed(plan, lambda origins, place: None).rows == plan.rows


@pytest.mark.parametrize("kind", [JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI])
def test_rows_that_may_stand_without_a_partner_are_narrowed_only_among_the_touched(
    kind: JoinKind,
) -> None:
    assert asked(planned(joined(kind), orders=Change.ANY)) == {(CITY, "cities.name")}
    plan = planned(joined(kind), cities=Change.ANY)
    assert (NAME, "orders.city") in asked(plan)
    assert filtered(narrowed(plan, everywhere))[-1] == "orders"


def test_groups_are_read_where_their_keys_lie() -> None:
    """The touched groups, before and after, of the table that has them."""
    median = replace(COUNT, value=exp.Median(this=column("amount#2")))
    plan = planned(by_city(median), orders=Change.ANY)
    assert (CITY, "orders.city") in asked(plan)
    assert "orders" in filtered(narrowed(plan, everywhere))


def test_a_filter_is_not_moved_through_what_changes_the_column() -> None:
    upper = exp.Upper(this=column("name#11"))
    cities = selected(CITIES, "name#11")
    given = replace(cities, outputs=(replace(cities.outputs[0], value=upper),))
    by_upper = Join(JoinKind.INNER, ORDERS, given, equal("city#1", "name#110"))
    assert asked(planned(by_upper, orders=Change.ANY)) == set()


def test_the_condition_of_a_plan_without_values_reads_nothing() -> None:
    plan = narrowed(planned(joined(), orders=Change.ANY), lambda origins, place: Spans(()))
    assert "FALSE" in _text(plan.rows).upper()


def _text(node: Node) -> str:
    return outline(node)
