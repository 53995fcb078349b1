"""Ties are broken by the other columns, where that changes nothing else."""

from __future__ import annotations

import pytest
from sqlglot import exp, parse_one
from tests.unit.incremental.queries import ORDERS, TYPES

from headwater.algebra.nodes import ColumnType, Named, TopK, Window, column
from headwater.algebra.render import text_of
from headwater.incremental.total_order import with_total_order


def _over(text: str) -> str:
    call = parse_one(text, dialect="spark").transform(
        lambda node: (
            column({"city": "city#1", "amount": "amount#2"}[node.name])
            if isinstance(node, exp.Column)
            else node
        )
    )
    node = with_total_order(Window(ORDERS, (), (Named("w#3", call),)), TYPES)
    assert isinstance(node, Window)
    return text_of(node.calls[0].value)


@pytest.mark.parametrize(
    "function", ["ROW_NUMBER()", "LAG(amount)", "SUM(amount)"], ids=["row_number", "lag", "rows"]
)
def test_functions_that_go_row_by_row_get_a_longer_order(function: str) -> None:
    """Which row is the second no longer depends on chance."""
    frame = " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW" if function.startswith("SUM") else ""
    text = _over(f"{function} OVER (ORDER BY city DESC{frame})")
    assert "ORDER BY `city#1` DESC, `amount#2`" in text


@pytest.mark.parametrize(
    "function", ["RANK()", "DENSE_RANK()", "SUM(amount)", "LAST_VALUE(amount)"]
)
def test_functions_that_take_equal_rows_together_keep_their_order(function: str) -> None:
    """A rank is the same for equal rows, and so is a running sum."""
    assert "`amount#2`, " not in _over(f"{function} OVER (ORDER BY city)").split("ORDER BY")[1]
    assert _over(f"{function} OVER (ORDER BY city)").endswith("(ORDER BY `city#1`)")


def test_a_limit_gets_a_longer_order() -> None:
    """Which rows are the first ten no longer depends on chance."""
    node = TopK(
        ORDERS, (exp.Ordered(this=column("amount#2"), nulls_first=True),), exp.Literal.number(10)
    )
    found = with_total_order(node, TYPES)
    assert isinstance(found, TopK)
    assert [text_of(term) for term in found.order] == ["`amount#2`", "`city#1`"]


def test_columns_that_have_no_order_are_left_out() -> None:
    """Spark cannot sort by a map."""
    types = {**TYPES, "city#1": ColumnType("map<string,int>")}
    node = TopK(
        ORDERS, (exp.Ordered(this=column("amount#2"), nulls_first=True),), exp.Literal.number(10)
    )
    found = with_total_order(node, types)
    assert isinstance(found, TopK)
    assert [text_of(term) for term in found.order] == ["`amount#2`"]
