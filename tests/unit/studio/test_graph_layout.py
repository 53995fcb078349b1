"""Where the boxes of a graph stand."""

from __future__ import annotations

from itertools import combinations

import pytest

from headwater.studio.graph_layout import HEIGHT, WIDTH, Edge, layout, near

_DIAMOND: list[Edge] = [("raw", "left"), ("raw", "right"), ("left", "end"), ("right", "end")]


@pytest.mark.parametrize(
    "edges",
    [
        _DIAMOND,
        [("a", "b")],
        [(f"n{x}", f"n{x * 7 % 40 + 40}") for x in range(40)],
        [("a", "c"), ("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")],
    ],
)
def test_what_is_read_stands_left_and_boxes_do_not_overlap(edges: list[Edge]) -> None:
    nodes = {node for edge in edges for node in edge}
    placed = layout(nodes, edges)
    assert set(placed.places) == nodes
    for source, target in edges:
        assert placed.places[source][0] + WIDTH < placed.places[target][0]
    for (x1, y1), (x2, y2) in combinations(placed.places.values(), 2):
        assert abs(x1 - x2) >= WIDTH or abs(y1 - y2) >= HEIGHT
    for x, y in placed.places.values():
        assert 0 <= x <= placed.width - WIDTH
        assert 0 <= y <= placed.height - HEIGHT
    assert placed.path.count("M") == len(set(edges))


def test_the_order_of_what_is_given_does_not_matter() -> None:
    nodes = ["end", "raw", "right", "left"]
    assert layout(nodes, _DIAMOND) == layout(reversed(nodes), list(reversed(_DIAMOND)))


def test_lines_that_need_not_cross_do_not() -> None:
    edges = [("a", "z"), ("b", "y"), ("c", "x")]
    places = layout({node for edge in edges for node in edge}, edges).places
    assert all(places[source][1] == places[target][1] for source, target in edges)


def test_a_circle_is_drawn_and_not_followed_for_ever() -> None:
    assert set(layout(["a", "b"], [("a", "b"), ("b", "a")]).places) == {"a", "b"}
    assert near([("a", "b"), ("b", "a")], "a").nodes == {"a", "b"}


def test_nothing_gives_nothing() -> None:
    assert layout([], []).places == {}


def test_a_direction_leaves_the_other_out() -> None:
    assert near(_DIAMOND, "left").nodes == {"raw", "left", "end"}
    assert near(_DIAMOND, "left", downstream=False).nodes == {"raw", "left"}
    assert near(_DIAMOND, "left", upstream=False).nodes == {"left", "end"}


def test_of_too_many_the_nearest_stay_and_the_others_are_counted() -> None:
    chain = [(f"n{x}", f"n{x + 1}") for x in range(400)]
    found = near(chain, "n200", most=11)
    assert found.nodes == {f"n{x}" for x in range(195, 206)}
    assert (found.hidden_upstream, found.hidden_downstream) == (195, 195)


def test_places_that_one_side_does_not_need_go_to_the_other() -> None:
    chain = [(f"n{x}", f"n{x + 1}") for x in range(400)]
    found = near(chain, "n2", most=11)
    assert found.nodes == {f"n{x}" for x in range(11)}
    assert (found.hidden_upstream, found.hidden_downstream) == (0, 390)
