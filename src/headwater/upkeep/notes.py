"""What upkeep remembers between two processes: small notes among the settings of the lake."""

from __future__ import annotations

from datetime import datetime

from headwater.catalog.store import Store

_EXPIRED = "last_expiry"
_VACUUMED = "vacuumed:"


def expired_at(store: Store) -> datetime | None:
    """When the lifetimes of all tables were last looked at to the end."""
    return _time(store.settings.get(_EXPIRED))


def note_expired(store: Store, at: datetime) -> None:
    """They were, now."""
    store.settings.set(_EXPIRED, at.isoformat())


def vacuumed_until(store: Store, table_id: str) -> datetime | None:
    """Up to which moment replaced files of a table are gone."""
    return _time(store.settings.get(_VACUUMED + table_id))


def note_vacuumed(store: Store, table_id: str, until: datetime) -> None:
    """They are, up to then."""
    store.settings.set(_VACUUMED + table_id, until.isoformat())


def forget_notes(store: Store, table_id: str) -> None:
    """The table is gone."""
    store.settings.remove(_VACUUMED + table_id)


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
