"""Where the catalog's database is: reading its URL, and showing it without its secrets.

Invariant: `shown` and `without_secrets` never let a password out.
"""

from __future__ import annotations

from urllib.parse import quote, quote_plus

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from headwater.errors import UserError

_DRIVERS = {
    "sqlite": "sqlite+pysqlite",
    "sqlite+pysqlite": "sqlite+pysqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
_SECRET_PARAMETERS = frozenset({"password", "sslpassword", "passfile"})
_MASK = "***"


def read_address(url: str) -> URL:
    """`url` with the driver that Headwater uses."""
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        address = None
    # Raised out here so that the parser's error, which quotes the URL, is not shown as the cause.
    if address is None or address.drivername not in _DRIVERS:
        raise UserError("CATALOG_URL_UNSUPPORTED")
    return address.set(drivername=_DRIVERS[address.drivername])


def shown(address: URL) -> str:
    """The address for a message, with its secrets masked."""
    masked = {key: _MASK for key in address.query if key in _SECRET_PARAMETERS}
    plain = address.set(drivername=address.get_backend_name())
    return plain.update_query_dict(masked).render_as_string(hide_password=True)


def without_secrets(text: str, address: URL) -> str:
    """`text` on one line, with every secret of `address` masked in it."""
    for secret in _secrets(address):
        for spelling in (secret, quote(secret, safe=""), quote_plus(secret)):
            text = text.replace(spelling, _MASK)
    return " ".join(text.split())


def _secrets(address: URL) -> list[str]:
    found = [] if address.password is None else [str(address.password)]
    for key, value in address.query.items():
        if key in _SECRET_PARAMETERS:
            found += [value] if isinstance(value, str) else value
    return [secret for secret in found if secret]
