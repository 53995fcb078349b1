"""Which edges lead to an object, and which away from it."""

from __future__ import annotations

from headwater.statements.lineage import Edge, Thing, around


def thing(name: str) -> Thing:
    return Thing("s", name, "VIEW")


def edge(source: str, target: str) -> Edge:
    return Edge(thing(target), thing(source))


def near(edges: list[Edge], name: str) -> list[tuple[str, str, int]]:
    found = around(edges, thing(name))
    return [(one.source.name, one.target.name, distance) for one, distance in found]


def test_what_leads_elsewhere_is_left_out() -> None:
    edges = [edge("a", "me"), edge("a", "other"), edge("me", "z"), edge("y", "z")]
    assert near(edges, "me") == [("a", "me", -1), ("me", "z", 1)]


def test_the_nearest_come_first() -> None:
    edges = [edge("a", "b"), edge("b", "me"), edge("me", "c"), edge("c", "d")]
    assert near(edges, "me") == [("b", "me", -1), ("me", "c", 1), ("a", "b", -2), ("c", "d", 2)]


def test_two_ways_to_one_source_are_two_edges() -> None:
    edges = [edge("a", "b"), edge("a", "me"), edge("b", "me")]
    assert near(edges, "me") == [("a", "me", -1), ("b", "me", -1), ("a", "b", -2)]


def test_a_circle_ends() -> None:
    # A pipe may load what a COPY of its own table wrote.
    edges = [edge("me", "a"), edge("a", "me")]
    assert {(source, target) for source, target, _ in near(edges, "me")} == {
        ("me", "a"),
        ("a", "me"),
    }
