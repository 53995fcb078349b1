"""Pins: pages that a user wants at hand; the browser keeps them in a cookie of no secret. Pure.

Laws: whatever a cookie holds, a pin leads to a page of Studio and nowhere else, and its title is a
text; there are few enough of them for a cookie.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

MOST = 12
_LONGEST_TITLE = 60
_LONGEST_PATH = 200
_LARGEST_COOKIE = 3500


@dataclass(frozen=True, slots=True)
class Pin:
    """A page of Studio: its path behind the prefix, and what it is called."""

    path: str
    title: str


def pins_in(cookie: str) -> list[Pin]:
    """The pins that a cookie holds; none for anything else.

    >>> pins_in(cookie_of([Pin("/pipes", "Pipes")]))
    [Pin(path='/pipes', title='Pipes')]
    >>> pins_in("nonsense")
    []
    """
    try:
        found = json.loads(unquote(cookie))
        pins = [Pin(path, title) for path, title in found]
    except (ValueError, TypeError, RecursionError):
        return []
    return [pin for pin in pins if _is_page(pin.path) and isinstance(pin.title, str)][:MOST]


def cookie_of(pins: Sequence[Pin]) -> str:
    """The value of the cookie, in letters that a cookie may have."""
    return quote(json.dumps([[pin.path, pin.title] for pin in pins]), safe="")


def turned(pins: Sequence[Pin], pin: Pin) -> list[Pin]:
    """Without the pin of that page if there is one, else with it; the oldest make room."""
    others = [one for one in pins if one.path != pin.path]
    if len(others) < len(pins) or not _is_page(pin.path):
        return others
    left = [*others, Pin(pin.path, pin.title[:_LONGEST_TITLE])][-MOST:]
    while len(cookie_of(left)) > _LARGEST_COOKIE:
        left = left[1:]
    return left


def _is_page(path: object) -> bool:
    """Whether a path stays inside Studio: an address of another site begins with two slashes."""
    return (
        isinstance(path, str)
        and len(path) <= _LONGEST_PATH
        and path.startswith("/")
        and not path.startswith("//")
        and path.isprintable()
        and ".." not in path.split("?")[0].split("/")
    )
