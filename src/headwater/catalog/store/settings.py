"""The store's settings: text by key, one set for the whole lake. Invariant: a key has one value."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, delete, select, update

from headwater.catalog.store.database import Database, insert_unless_taken
from headwater.catalog.store.model import settings

_VALUE = select(settings.c.value).where(settings.c.key == bindparam("key"))


class Settings:
    """Reads and writes settings."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, key: str, *, connection: Connection | None = None) -> str | None:
        """The value of a key, or None."""
        with self._database.read(connection) as own:
            found: str | None = own.execute(_VALUE, {"key": key}).scalar_one_or_none()
        return found

    def set(self, key: str, value: str, *, connection: Connection | None = None) -> None:
        """Gives a key its value."""
        change = update(settings).where(settings.c.key == key).values(value=value)
        with self._database.write(connection) as own:
            if own.execute(change).rowcount:
                return
            # Lost to another process that inserted the same key: then it can be updated.
            if not insert_unless_taken(own, settings, {"key": key, "value": value}):
                own.execute(change)

    def remove(self, key: str, *, connection: Connection | None = None) -> None:
        """Forgets a key."""
        with self._database.write(connection) as own:
            own.execute(delete(settings).where(settings.c.key == key))

    def all(self) -> dict[str, str]:
        """All settings."""
        with self._database.read() as own:
            return {row.key: row.value for row in own.execute(select(settings).order_by("key"))}
