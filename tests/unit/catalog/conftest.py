"""Runs each test of the store on SQLite and on PostgreSQL, from an empty catalog."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.postgres import PostgresServer, running_postgres
from tests.unit.catalog.new_catalog import empty_catalog, new_catalog, tables_to_empty
from tests.unit.catalog.samples import START, FakeClock

from headwater.catalog.store import Store


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


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
    postgres.empty_tables(migrated, tables_to_empty())
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


@pytest.fixture(scope="session")
def shared_clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def clock(shared_clock: FakeClock) -> FakeClock:
    shared_clock.now = START
    return shared_clock


@pytest.fixture(scope="session")
def sqlite_store(
    tmp_path_factory: pytest.TempPathFactory, shared_clock: FakeClock
) -> Iterator[Store]:
    """Tests take turns with it: a new one would have to build the text of each query anew."""
    opened = Store.open(
        new_catalog(tmp_path_factory.mktemp("catalog") / "c.db"), clock=shared_clock
    )
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def postgres_store(
    postgres: PostgresServer, migrated: str, shared_clock: FakeClock
) -> Iterator[Store]:
    """The same on PostgreSQL."""
    opened = Store.open(postgres.url(migrated), clock=shared_clock)
    yield opened
    opened.close()


@pytest.fixture
def store(backend: str, clock: FakeClock, request: pytest.FixtureRequest) -> Iterator[Store]:
    """A store with an empty catalog, which is at `url` if a test asks for that too."""
    if "url" in request.fixturenames:
        opened = Store.open(request.getfixturevalue("url"), clock=clock)
        yield opened
        opened.close()
        return
    shared: Store = request.getfixturevalue(f"{backend}_store")
    if backend == "postgres":
        request.getfixturevalue("postgres_url")
    else:
        empty_catalog(shared)
    yield shared
