"""The texts of queries are made once in a process, for all catalogs on SQLite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event
from tests.unit.catalog.new_catalog import new_catalog
from tests.unit.catalog.samples import FakeClock

from headwater.catalog.store import Store


def _use(folder: Path) -> None:
    folder.mkdir()
    store = Store.open(new_catalog(folder / "catalog.db"), clock=FakeClock())
    store.tables.get("headwater", "public", "t")
    store.jobs.unfinished()
    store.close()


def test_a_second_catalog_finds_the_texts_of_the_first(tmp_path: Path) -> None:
    _use(tmp_path / "first")
    found: list[str] = []

    def note(*seen: Any) -> None:
        context = seen[4]
        if context.compiled is not None:
            found.append(context.cache_hit.name)

    event.listen(Engine, "after_cursor_execute", note)
    try:
        _use(tmp_path / "second")
    finally:
        event.remove(Engine, "after_cursor_execute", note)
    assert len(found) > 2
    assert set(found) == {"CACHE_HIT"}
