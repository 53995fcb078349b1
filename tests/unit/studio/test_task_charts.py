"""The layout of a Gantt chart and of a graph of tasks; the cells of a result."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

from headwater.result import Column, Result
from headwater.studio.gantt import gantt
from headwater.studio.result_cells import Chart, cells_of, chart_options
from headwater.studio.task_graph import around, edges_of, graph_options, layers, names_in, places

_NOW = datetime(2026, 11, 16, 12)


def instance(name: str, start: int | None, end: int | None, state: str = "SUCCEEDED") -> dict:
    return {
        "instance_id": f"{name}{start}",
        "task_name": name,
        "plan_time": _NOW,
        "state": state,
        "start_time": None if start is None else _NOW + timedelta(seconds=start),
        "end_time": None if end is None else _NOW + timedelta(seconds=end),
    }


def test_bars_stand_where_their_time_is() -> None:
    made = gantt([instance("a", 0, 50), instance("b", 50, 100)], _NOW)
    assert made is not None
    ((_, (a,)), (_, (b,))) = made.lanes
    assert (a.left, a.width, b.left, b.width) == (0, 50, 50, 50)


def test_what_runs_ends_now_and_what_waits_has_no_bar() -> None:
    rows = [instance("a", -100, None, "RUNNING"), instance("a", None, None, "WAITING")]
    made = gantt(rows, _NOW)
    assert made is not None
    assert [(bar.left, bar.width) for bar in made.lanes[0][1]] == [(0, 100)]
    assert gantt(rows[1:], _NOW) is None


def test_a_bar_is_never_too_narrow_to_see_nor_outside() -> None:
    made = gantt([instance("a", 0, 0), instance("a", 1000, 1000)], _NOW)
    assert made is not None
    assert all(bar.width > 0.5 and bar.left + bar.width <= 100 for bar in made.lanes[0][1])


def test_names_of_an_after_are_read_whatever_they_hold() -> None:
    assert names_in("f.a, f.`b, c`") == ("f.a", "f.`b, c`")
    rows = [
        {"folder": "f", "name": "x y", "after": None},
        {"folder": "f", "name": "z", "after": "f.`x y`"},
    ]
    assert edges_of(rows) == {"f.`x y`": (), "f.z": ("f.`x y`",)}


def test_layers_are_those_of_the_longest_way() -> None:
    assert layers({"c": ("a", "b"), "b": ("a",), "a": ()}) == {"a": 0, "b": 1, "c": 2}


def test_around_a_task_is_what_leads_to_it_and_what_follows() -> None:
    edges = {"a": (), "b": ("a",), "c": ("b",), "other": ("a",), "lone": ()}
    assert around(edges, "b") == {"a": (), "b": ("a",), "c": ("b",)}


def test_no_two_tasks_stand_at_the_same_place() -> None:
    edges = {"a": (), "b": (), "c": ("a", "b"), "d": ("a",)}
    assert len(set(places(edges).values())) == 4
    options = graph_options(edges, {"a": "ONLINE"}, {"ONLINE": "#0f0"})
    assert len(options["series"][0]["links"]) == 3


def test_cells_are_text_and_numbers_also_numbers() -> None:
    columns = (Column("n", "decimal(10,2)"), Column("t", "string"))
    result = Result.from_rows(columns, [(Decimal("1.50"), "<b>"), (None, None)])
    cells = cells_of(result)
    assert cells.numbers == (0,)
    assert cells.rows == [
        {"row": 0, "c0": "1.50", "c0_number": 1.5, "c1": "<b>"},
        {"row": 1, "c0": None, "c0_number": None, "c1": None},
    ]
    options = chart_options(cells, Chart("line", 1, (0,)))
    assert options["xAxis"]["data"] == ["<b>", "NULL"]
    assert options["series"][0]["data"] == [1.5, None]


def test_only_the_first_rows_go_to_the_browser() -> None:
    result = Result.from_rows((Column("n", "int"),), [(n,) for n in range(10)])
    assert len(cells_of(result, 3).rows) == 3
