"""Events of a shop, made up. Pure.

Law: event number n of a seed is always the same but for its time, whoever asks and in what pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from random import Random

_EVENTS_PER_SESSION = 8
_USERS = 5_000
_PRODUCTS = 400
_FIRST_USER, _FIRST_PRODUCT = 512_000_000, 1_000_000
_TYPES = ("view", "add_to_cart", "purchase")
_OFTEN = (85, 10, 5)
_CATEGORIES = (
    ("electronics.smartphone", ("apple", "samsung", "xiaomi", "huawei"), (120, 1_400)),
    ("electronics.audio.headphone", ("apple", "sony", "jbl", "xiaomi"), (15, 320)),
    ("computers.notebook", ("lenovo", "apple", "asus", "hp"), (350, 2_600)),
    ("appliances.kitchen.refrigerators", ("lg", "bosch", "samsung", "beko"), (280, 1_900)),
    ("furniture.living_room.sofa", ("brw", "stolplit"), (150, 1_200)),
    ("apparel.shoes", ("nike", "adidas", "puma"), (25, 190)),
    (None, (None, "cordiant", "bosch"), (3, 90)),
)
_CATEGORY_ID = 2_053_013_555_631_882_655


@dataclass(frozen=True, slots=True)
class Event:
    """What a visitor of the shop did."""

    event_time: datetime
    event_type: str
    product_id: int
    category_id: int
    category_code: str | None
    brand: str | None
    price: Decimal
    user_id: int
    user_session: str


def events(
    seed: int, first: int, count: int, *, since: datetime, until: datetime
) -> Iterator[Event]:
    """The events from number `first` on, evenly after `since`; the last one is at `until`."""
    for place in range(count):
        yield _event(seed, first + place, since + (until - since) * (place + 1) / count)


def _chance(about: str) -> Random:
    """Chance that comes out the same each time."""
    return Random(about)  # noqa: S311 - nothing to keep secret


def _event(seed: int, number: int, at: datetime) -> Event:
    """One visitor comes a few times in a row, and mostly looks at few things."""
    visit, step = divmod(number, _EVENTS_PER_SESSION)
    visitor, chance = _chance(f"{seed}:visit:{visit}"), _chance(f"{seed}:event:{number}")
    user = _FIRST_USER + visitor.randrange(_USERS)
    session = f"{visitor.getrandbits(128):032x}"
    favourites = [visitor.randrange(_PRODUCTS) for _ in range(3)]
    kind = "view" if step == 0 else chance.choices(_TYPES, _OFTEN)[0]
    place = chance.choice(favourites)
    product = _chance(f"product:{place}")
    category = product.randrange(len(_CATEGORIES))
    code, brands, (least, most) = _CATEGORIES[category]
    return Event(
        at,
        kind,
        _FIRST_PRODUCT + place,
        _CATEGORY_ID + category,
        code,
        product.choice(brands),
        Decimal(product.randrange(least * 100, most * 100)) / 100,
        user,
        "-".join((session[:8], session[8:12], session[12:16], session[16:20], session[20:])),
    )
