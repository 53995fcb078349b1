"""The cookies of Studio, and how they are read and made. Pure.

Laws: the one that bears a token cannot be read by scripts, is not sent by other sites' pages, and
goes to Studio's pages only; the others hold nothing secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie

PREFIX = "/studio"
"""Where Studio is in the service's addresses."""

TOKEN = "headwater_token"  # noqa: S105 - the cookie's name
ZONE = "headwater_zone"
THEME = "headwater_theme"
PINS = "headwater_pins"


def cookies_in(header: str) -> Mapping[str, str]:
    """The cookies that a request bears; none if they cannot be read.

    >>> cookies_in("headwater_token=hw_1; headwater_theme=dark")["headwater_token"]
    'hw_1'
    """
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(header).items()}
    except CookieError:
        return {}


def set_token(token: str, *, seconds: int, secure: bool) -> str:
    """The header by which a browser keeps the token.

    >>> set_token("hw_1", seconds=60, secure=True)
    'headwater_token=hw_1; Max-Age=60; Path=/studio; HttpOnly; SameSite=Strict; Secure'
    """
    rest = "; Secure" if secure else ""
    return f"{TOKEN}={token}; Max-Age={seconds}; Path={PREFIX}; HttpOnly; SameSite=Strict{rest}"


def forget_token() -> str:
    """The header by which a browser drops it."""
    return f"{TOKEN}=; Max-Age=0; Path={PREFIX}; HttpOnly; SameSite=Strict"
