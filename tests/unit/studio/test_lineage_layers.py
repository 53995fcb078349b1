"""Lineage as layers."""

from __future__ import annotations

from headwater.studio.lineage_layers import Node, layers


def edge(source: str, target: str, distance: int) -> dict[str, object]:
    return {
        "source_type": "TABLE",
        "source_schema": "s",
        "source_name": source,
        "target_type": "VIEW",
        "target_schema": "s",
        "target_name": target,
        "distance": distance,
    }


def test_nothing_has_no_layers() -> None:
    assert layers([]) == []


def test_layers_go_from_the_farthest_source_to_the_farthest_reader() -> None:
    found = layers(
        [edge("me", "r", 1), edge("a", "me", -1), edge("r", "far", 2), edge("b", "a", -2)]
    )
    shown = [(layer.distance, [node.name for node, _ in layer.nodes]) for layer in found]
    assert shown == [(-2, ["b"]), (-1, ["a"]), (1, ["r"]), (2, ["far"])]


def test_what_is_met_twice_stands_where_it_is_nearest_with_both_ways() -> None:
    found = layers([edge("a", "me", -1), edge("b", "me", -1), edge("a", "b", -2)])
    (only,) = found
    towards = {node.name: [near.name for near in nears] for node, nears in only.nodes}
    assert (only.distance, towards) == (-1, {"a": ["b", "me"], "b": ["me"]})


def test_an_object_on_both_sides_stands_on_both() -> None:
    found = layers([edge("loop", "me", -1), edge("me", "loop", 1)])
    assert [layer.distance for layer in found] == [-1, 1]


def test_topics_have_no_schema() -> None:
    assert Node("", "topic", "KAFKA").title == "topic"
