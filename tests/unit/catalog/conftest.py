"""Runs each test of the store on SQLite and on PostgreSQL, from an empty catalog."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.postgres import PostgresMissing, PostgresServer, running_postgres
from tests.unit.catalog.new_catalog import new_catalog
from tests.unit.catalog.samples import FakeClock

from headwater.catalog.store import Store
from headwater.catalog.store.model import metadata


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    try:
        with running_postgres() as server:
            yield server
    except PostgresMissing as missing:
        pytest.skip(f"PostgreSQL is not installed: {missing}")


@pytest.fixture(scope="session")
def migrated(postgres: PostgresServer) -> str:
    """A database with a current catalog; tests take turns with it, because a new one is slow."""
    name = postgres.create_database()
    Store.open(postgres.url(name), clock=FakeClock()).close()
    return name


@pytest.fixture(scope="session")
def scratch(postgres: PostgresServer) -> str:
    """A database that tests empty and fill by turns, for the same reason."""
    return postgres.create_database()


@pytest.fixture
def postgres_url(postgres: PostgresServer, migrated: str) -> str:
    """The address of a PostgreSQL database with an empty catalog."""
    kept = {"lake"}
    referring_first = [t.name for t in reversed(metadata.sorted_tables) if t.name not in kept]
    postgres.empty_tables(migrated, referring_first)
    return postgres.url(migrated)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def backend(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def fresh_url(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The address of an empty database."""
    if backend == "sqlite":
        return f"sqlite:///{tmp_path / 'catalog.db'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    name: str = request.getfixturevalue("scratch")
    server.empty_database(name)
    return server.url(name)


@pytest.fixture
def url(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The address of a database with an empty catalog."""
    if backend == "sqlite":
        return new_catalog(tmp_path / "catalog.db")
    address: str = request.getfixturevalue("postgres_url")
    return address


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store(url: str, clock: FakeClock) -> Iterator[Store]:
    opened = Store.open(url, clock=clock)
    yield opened
    opened.close()
