"""What a plan reads and writes: the laws say that it is right, this says that it is cheap."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from sqlglot import exp
from tests.unit.incremental.queries import (
    CITIES,
    COUNT,
    COUNT_AMOUNT,
    ORDERS,
    TODAY,
    TOTAL,
    TYPES,
    by_city,
    joined,
    planned,
    reads,
    relations,
    rules,
    selected,
)

from headwater.algebra.nodes import (
    Aggregate,
    ColumnType,
    Filter,
    JoinKind,
    Named,
    Node,
    Opaque,
    TopK,
    Union,
    Window,
    column,
    columns_of,
)
from headwater.algebra.walk import nodes_of, scalars_of
from headwater.incremental.deltas import Change
from headwater.incremental.maintenance import Dates
from headwater.incremental.plan import Outcome

NEXT_DAY = Dates(TODAY.old, date(2026, 11, 17))
LATE = exp.GTE(this=column("amount#2"), expression=exp.CurrentDate())


def _first(limit: int) -> Filter:
    over = exp.Window(
        this=exp.RowNumber(),
        partition_by=[column("city#1")],
        order=exp.Order(expressions=[exp.Ordered(this=column("amount#2"))]),
    )
    number = exp.Literal.number(limit)
    condition = exp.LTE(this=column("rn#6"), expression=number)
    return Filter(Window(ORDERS, ("city#1",), (Named("rn#6", over),)), condition)


def test_without_a_change_nothing_is_read() -> None:
    """A refresh then needs no Spark job."""
    found = planned(joined())
    assert found.kind is Outcome.NOTHING
    assert reads(found) == []
    assert rules(found) == ["UNCHANGED"]


def test_inserts_into_a_filter_are_appended_without_weights() -> None:
    """Nothing is looked up, nothing is netted."""
    found = planned(Filter(ORDERS, exp.true()), orders=Change.INSERTS)
    assert found.kind is Outcome.APPEND
    assert columns_of(found.rows) == columns_of(ORDERS)
    assert reads(found) == ["changes of orders"]


def test_inserts_into_one_side_of_a_join_read_the_other_side_once() -> None:
    """The unchanged side is read as it is now, so that its old files are not needed."""
    found = planned(joined(), orders=Change.INSERTS)
    assert found.kind is Outcome.APPEND
    assert reads(found) == ["changes of orders", "new cities"]


def test_changes_of_both_sides_of_a_join_are_two_terms() -> None:
    """Not three, because one term has the old and one the new state of the other side."""
    found = planned(joined(), orders=Change.ANY, cities=Change.ANY)
    assert found.kind is Outcome.CHANGE
    assert reads(found) == ["changes of cities", "changes of orders", "new orders", "old cities"]


def test_a_left_join_whose_left_side_changed_is_linear() -> None:
    """One join, no look at old rows."""
    found = planned(joined(JoinKind.LEFT), orders=Change.ANY)
    assert rules(found) == ["LINEAR", "CHANGES", "UNCHANGED"]
    assert reads(found) == ["changes of orders", "new cities"]


def test_an_insert_on_the_right_of_a_semi_join_does_not_ask_for_the_new_side() -> None:
    """What it touches has a match for sure."""
    found = planned(joined(JoinKind.SEMI), cities=Change.INSERTS)
    assert found.kind is Outcome.APPEND
    assert reads(found) == ["changes of cities", "new orders", "old cities"]


@pytest.mark.parametrize(
    ("node", "change"),
    [
        (by_city(COUNT), Change.ANY),
        (by_city(TOTAL), Change.INSERTS),
        (by_city(COUNT, TOTAL, COUNT_AMOUNT), Change.ANY),
        (selected(by_city(COUNT), "n#3", "city#1"), Change.ANY),
        (by_city(), Change.INSERTS),
        (Aggregate(ORDERS, (), (COUNT, COUNT_AMOUNT, TOTAL)), Change.ANY),
    ],
)
def test_groups_in_the_table_are_merged_without_a_source(node: Node, change: Change) -> None:
    """Only the change and the table are read."""
    found = planned(node, orders=change)
    assert "MERGED_GROUPS stored" in rules(found)
    assert relations(found) == {"changes of orders", "the table"}


def test_nothing_is_added_to_groups_of_which_some_are_frozen() -> None:
    found = planned(by_city(COUNT), orders=Change.INSERTS, whole=False)
    assert "AFFECTED_GROUPS stored" in rules(found)
    assert "new orders" in relations(found)


@pytest.mark.parametrize(
    "node",
    [
        # Nobody could tell when a group is gone, or when no amount is left in it.
        by_city(TOTAL),
        by_city(COUNT, TOTAL),
        # The table does not hold the groups that HAVING leaves out.
        Filter(by_city(COUNT), exp.true()),
        by_city(COUNT, Named("total#4", exp.Max(this=column("amount#2")))),
        by_city(COUNT, Named("total#4", exp.Count(this=exp.Distinct(expressions=[LATE.this])))),
    ],
)
def test_other_groups_are_worked_out_anew_from_the_new_rows(node: Node) -> None:
    """The old ones are in the table."""
    found = planned(node, orders=Change.ANY)
    assert "AFFECTED_GROUPS stored" in rules(found)
    assert "old orders" not in reads(found)


def test_groups_whose_keys_are_not_in_the_table_are_merged_with_the_old_rows() -> None:
    """Their old values are worked out from the source, once."""
    found = planned(selected(by_city(COUNT), "n#3"), orders=Change.ANY)
    assert rules(found)[1] == "MERGED_GROUPS"
    assert "new orders" not in reads(found)
    assert reads(found).count("old orders") == 1


def test_a_sum_of_floating_point_numbers_is_never_merged() -> None:
    """Its last digits depend on the order."""
    types = {**TYPES, "total#4": ColumnType("double")}
    found = planned(by_city(COUNT, TOTAL, COUNT_AMOUNT), orders=Change.INSERTS, types=types)
    assert rules(found)[0] == "AFFECTED_GROUPS stored"


@pytest.mark.parametrize(
    ("type", "merges"),
    [("decimal(38,4)", True), ("decimal(30,10)", True), ("decimal(38,10)", False)],
)
def test_decimal_sums_merge_where_spark_adds_them_exactly(type: str, merges: bool) -> None:
    """Spark rounds a sum of 39 digits, unless at most six stand behind the point."""
    types = {**TYPES, "total#4": ColumnType(type)}
    found = planned(by_city(TOTAL), orders=Change.INSERTS, types=types)
    assert ("MERGED_GROUPS stored" in rules(found)) is merges


def test_a_sum_of_floating_point_numbers_below_a_join_is_found_by_the_other_columns() -> None:
    """The table's rows are looked for without it; the old sum is not expected to come out equal."""
    types = {**TYPES, "total#4": ColumnType("double")}
    node = replace(joined(), left=by_city(TOTAL))
    found = planned(node, orders=Change.ANY, types=types)
    assert rules(found)[0] == "TELESCOPED stored"
    assert "the table" in reads(found)


def test_new_rows_are_held_against_the_first_rows_in_the_table() -> None:
    """The newest row of each key: the commonest dynamic table there is."""
    found = planned(selected(_first(1), "city#1", "amount#2"), orders=Change.INSERTS)
    assert rules(found)[1] == "TOP_ROWS stored"
    assert relations(found) == {"changes of orders", "the table"}


def test_after_deletes_the_first_rows_are_those_of_the_touched_partitions() -> None:
    """Who comes second is not in the table."""
    found = planned(selected(_first(1), "city#1", "amount#2"), orders=Change.ANY)
    assert rules(found)[1] == "AFFECTED_PARTITIONS stored"
    assert "old orders" not in reads(found)


def test_a_limit_holds_new_rows_against_the_table() -> None:
    """Only the change and the table are read."""
    order = (exp.Ordered(this=column("amount#2")),)
    node = TopK(ORDERS, order, exp.Literal.number(10))
    found = planned(node, orders=Change.INSERTS)
    assert relations(found) == {"changes of orders", "the table"}


def test_what_is_not_taken_apart_is_compared_with_the_table() -> None:
    """Its old rows are not worked out."""
    node = Opaque(("WITH RECURSIVE .. FROM ", 0), (ORDERS,), ("x#7",))
    found = planned(node, orders=Change.ANY)
    assert rules(found)[0] == "DIFFERENCE stored"
    assert reads(found) == ["new orders", "the table"]


def test_a_new_day_looks_for_rows_at_the_boundary_only_in_what_the_date_filters() -> None:
    """The joined side is read for the rows that crossed it."""
    node = replace(joined(), left=Filter(ORDERS, LATE))
    found = planned(node, dates=NEXT_DAY)
    assert rules(found)[:2] == ["TELESCOPED", "BOUNDARY"]


def test_the_same_day_again_is_no_change() -> None:
    """A filter by date alone does not make a refresh necessary."""
    assert planned(Filter(ORDERS, LATE)).kind is Outcome.NOTHING


def test_no_expression_of_a_plan_reads_the_clock() -> None:
    """A refresh at midnight would mix two days."""
    node = Union((Filter(ORDERS, LATE), CITIES), ("a#8", "b#9"))
    for dates in (TODAY, NEXT_DAY):
        found = planned(node, orders=Change.ANY, cities=Change.INSERTS, dates=dates)
        scalars = [scalar for inner in nodes_of(found.rows) for scalar in scalars_of(inner)]
        assert scalars
        assert not [scalar for scalar in scalars if scalar.find(exp.CurrentDate)]


def test_a_part_is_computed_before_only_if_it_is_read_twice() -> None:
    """What one place reads stands there."""
    found = planned(joined(JoinKind.FULL), orders=Change.ANY, cities=Change.ANY)
    assert found.parts
    for part in found.parts:
        assert reads(found).count(part.name) >= 2
    assert not planned(Filter(joined(), exp.true()), orders=Change.ANY).parts
