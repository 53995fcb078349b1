"""Empty catalogs in files: made once, then copied or emptied.

A migration costs more than most tests, and a new store has to build the text of each query anew.
"""

from __future__ import annotations

import atexit
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.unit.catalog.samples import START, FakeClock

from headwater.catalog.store import Store
from headwater.catalog.store.model import metadata


def new_catalog(path: Path) -> str:
    """The address of a new file at `path` that holds a current, empty catalog."""
    path.write_bytes(_content())
    return f"sqlite:///{path}"


def empty_catalog(store: Store) -> None:
    """Removes all that a test may have stored."""
    with store.begin() as connection:
        # The driver's own: SQLAlchemy takes longer for a statement than SQLite for all of them.
        cursor = connection.connection.cursor()
        for table in tables_to_empty():
            cursor.execute(f"DELETE FROM {table}")


@cache
def tables_to_empty() -> list[str]:
    """All tables that a test may fill, those first that refer to others."""
    return [table.name for table in reversed(metadata.sorted_tables) if table.name != "lake"]


def emptied_store() -> tuple[Store, FakeClock]:
    """A store for one example of many, with its clock: always the same one, empty again."""
    store, clock = _shared()
    empty_catalog(store)
    clock.now = START
    return store, clock


@cache
def _shared() -> tuple[Store, FakeClock]:
    clock = FakeClock()
    folder = TemporaryDirectory()
    store = Store.open(new_catalog(Path(folder.name) / "catalog.db"), clock=clock)
    atexit.register(folder.cleanup)
    atexit.register(store.close)
    return store, clock


@cache
def _content() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "catalog.db"
        Store.open(f"sqlite:///{path}", clock=FakeClock()).close()
        return path.read_bytes()
