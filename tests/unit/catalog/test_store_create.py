"""A new catalog is made from the model; it is the one that all migrations would have made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, inspect
from tests.unit.catalog.samples import FakeClock

from headwater.catalog.store import Store, migrate
from headwater.catalog.store.addresses import read_address


def described(url: str, backend: str) -> dict[str, Any]:
    """Everything a database says of its tables; columns by name, as ALTER TABLE adds at the end."""
    made = create_engine(read_address(url))
    try:
        with made.connect() as connection:
            return {name: _table(connection, name, backend) for name in _names(connection)}
    finally:
        made.dispose()


def _names(connection: Connection) -> list[str]:
    return sorted(inspect(connection).get_table_names())


def _table(connection: Connection, name: str, backend: str) -> dict[str, Any]:
    look = inspect(connection)
    columns = {column["name"]: str(column) for column in look.get_columns(name)}
    return {
        "columns": dict(sorted(columns.items())),
        "key": look.get_pk_constraint(name),
        "references": sorted(str(key) for key in look.get_foreign_keys(name)),
        "unique": sorted(str(rule) for rule in look.get_unique_constraints(name)),
        "checks": sorted(str(rule) for rule in look.get_check_constraints(name)),
        "indexes": sorted(_indexes(connection, name, backend)),
    }


def _indexes(connection: Connection, name: str, backend: str) -> list[str]:
    query = {
        "sqlite": "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        f" AND tbl_name = '{name}'",
        "postgres": f"SELECT indexdef FROM pg_indexes WHERE tablename = '{name}'",
    }[backend]
    texts = connection.exec_driver_sql(query).scalars()
    return [" ".join(str(text).split()) for text in texts]


def test_a_new_catalog_is_the_one_that_the_migrations_make(
    fresh_url: str,
    backend: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = f"sqlite:///{tmp_path / 'migrated.db'}"
    if backend == "postgres":
        server = request.getfixturevalue("postgres")
        other = server.url(server.create_database())
    Store.open(fresh_url, clock=FakeClock()).close()
    with monkeypatch.context() as without_model:
        without_model.setattr(migrate, "_OF_THE_MODEL", "none")
        Store.open(other, clock=FakeClock()).close()
    made = described(fresh_url, backend)
    assert len(made) > 20
    assert made == described(other, backend)


def test_a_new_catalog_notes_its_revision(fresh_url: str) -> None:
    Store.open(fresh_url, clock=FakeClock()).close()
    made = create_engine(read_address(fresh_url))
    with made.connect() as connection:
        found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars()
        assert list(found) == [migrate.HEAD]
    made.dispose()


@pytest.mark.servers
def test_a_new_catalog_needs_no_alembic(tmp_path: Path) -> None:
    program = (
        "import sys, headwater; headwater.connect(sys.argv[1]).close();"
        " sys.exit('alembic' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "lake")], check=True)
