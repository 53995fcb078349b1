"""A job that commits again makes its version newer, not another one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from headwater.catalog.objects import TableShape, TableVersion
from headwater.catalog.store import Store
from headwater.names import QualifiedName
from headwater.runtime.clock import now
from headwater.runtime.open_lake import acquire_lake, release_lake
from headwater.tables.commits import Author
from headwater.tables.create import new_table


def test_a_version_with_the_last_number_replaces_it(tmp_path: Path) -> None:
    lake, _ = acquire_lake(tmp_path / "lake")
    store: Store = lake.store
    table = new_table(lake, QualifiedName("headwater", "public", "t"), author=Author("j1", "ann"))
    store.tables.insert_active(replace(table, shape=TableShape(delta_version=0)))
    first = TableVersion(1, 0, now(), "CREATE", "ann", "j1")
    store.tables.record(
        table.id, TableShape(delta_version=1), versions=[first], expected_delta_version=0
    )
    again = replace(first, delta_version=2)
    assert store.tables.record(
        table.id, TableShape(delta_version=2), versions=[again], expected_delta_version=1
    )
    assert [(v.version, v.delta_version) for v in store.versions.list(table.id)] == [(1, 2)]
    release_lake(lake)
