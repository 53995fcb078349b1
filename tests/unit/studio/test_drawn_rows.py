"""A press on a row means what was seen, also when newer rows were drawn in that moment."""

from __future__ import annotations

from headwater.studio.listing import DrawnRows


def test_a_press_means_the_row_that_was_seen() -> None:
    drawn = DrawnRows()
    first = drawn.next([{"name": "a"}, {"name": "b"}])
    assert [drawn.of(name) for name in first] == [{"name": "a"}, {"name": "b"}]
    second = drawn.next([{"name": "new"}, {"name": "a"}])
    assert drawn.of(first[0]) == {"name": "a"}
    assert drawn.of(second[0]) == {"name": "new"}
    drawn.next([])
    assert drawn.of(first[0]) is None
    assert drawn.of(second[1]) == {"name": "a"}


def test_what_no_browser_was_given_is_no_row() -> None:
    drawn = DrawnRows()
    drawn.next([{"name": "a"}])
    for name in (None, 0, "0", "1.1", "1.0 ", ["1.0"], "__class__"):
        assert drawn.of(name) is None
