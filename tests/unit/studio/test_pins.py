"""Pins of pages: kept in a cookie, which anybody may have written."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from headwater.studio.pins import MOST, Pin, cookie_of, pins_in, turned

PIPES = Pin("/pipes/public/p", "public.p")


def test_a_pin_is_put_and_taken_away() -> None:
    tasks = Pin("/?folder=etl&task=load", "etl / load <b>")
    pins = turned(turned([], PIPES), tasks)
    assert pins_in(cookie_of(pins)) == [PIPES, tasks]
    assert turned(pins, Pin(PIPES.path, "another title")) == [tasks]


def test_the_oldest_make_room_and_a_cookie_stays_small() -> None:
    pins: list[Pin] = []
    for number in range(30):
        pins = turned(pins, Pin(f"/p/{number}/{'ü' * 30}", "ü" * 500))
    assert 0 < len(pins) <= MOST
    assert len(cookie_of(pins)) < 4000
    assert pins[-1].path.startswith("/p/29/")
    kept = turned([], Pin("/" + "x" * 300, "too long"))
    assert kept == []


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        "[[1, 2]]",
        "{}",
        "null",
        '[["//evil.example/x", "x"]]',
        '[["https://evil.example/x", "x"]]',
        '[["javascript:alert(1)", "x"]]',
        '[["/a/../../x", "x"]]',
        '[["/a\\nb", "x"]]',
        '[["/a", 1]]',
        '[["/a"]]',
        "[" * 5000,
    ],
)
def test_no_cookie_leads_out_of_studio(cookie: str) -> None:
    assert pins_in(quote(cookie)) == []
