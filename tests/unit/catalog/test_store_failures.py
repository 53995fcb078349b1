"""What a user sees when the database below is damaged, locked, unreachable or misspelt."""

from __future__ import annotations

import sqlite3
import sys
import tomllib
import traceback
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import URL
from sqlalchemy.exc import OperationalError
from tests.postgres import PASSWORD, PostgresServer
from tests.unit.catalog.samples import FakeClock, a_job, a_schema, with_schema, with_table

from headwater.catalog.store import Store, database
from headwater.catalog.store.addresses import read_address, shown, without_secrets
from headwater.catalog.store.failures import translated
from headwater.errors import HeadwaterError, InternalError, TransientError, UserError


def failure(url: str) -> HeadwaterError:
    with pytest.raises(HeadwaterError) as caught:
        Store.open(url, clock=FakeClock())
    return caught.value


def everything_shown(error: BaseException) -> str:
    """What could reach a screen or a log: the text, its detail, the whole trace."""
    detail = getattr(error, "detail", None) or ""
    return f"{error!r} {error} {detail}" + "".join(traceback.format_exception(error))


def test_a_file_that_is_no_database_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    path.write_bytes(b"this is a shopping list\n" * 1000)
    error = failure(f"sqlite:///{path}")
    assert isinstance(error, UserError)
    assert error.condition == "CATALOG_CORRUPT"
    assert str(path) in error.message
    assert path.read_bytes().startswith(b"this is a shopping list")


def test_a_damaged_file_is_called_so(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "catalog.db"
    store = Store.open(f"sqlite:///{path}", clock=clock)
    with_schema(store)
    for number in range(50):
        with_table(store, f"t{number}")
    store.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        Store.open(f"sqlite:///{path}", clock=clock).tables.list("wanda")
    assert caught.value.condition == "CATALOG_CORRUPT"


def test_a_file_in_a_folder_that_is_not_there_cannot_be_reached(tmp_path: Path) -> None:
    error = failure(f"sqlite:///{tmp_path / 'nowhere' / 'catalog.db'}")
    assert isinstance(error, TransientError)
    assert error.condition == "CATALOG_UNAVAILABLE"
    assert "unable to open database file" in error.message


def test_a_database_locked_for_too_long_is_a_transient_failure(
    url: str, backend: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_PATIENCE_SECONDS", 0.2)
    store = Store.open(url, clock=clock)
    other: Any
    if backend == "sqlite":
        other = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
    else:
        other = psycopg.connect(url)
        other.execute("LOCK TABLE settings")
    with pytest.raises(TransientError) as caught:
        store.settings.set("key", "value")
    assert caught.value.condition == "CATALOG_UNAVAILABLE"
    other.close()
    store.settings.set("key", "value")
    store.close()


@pytest.mark.postgres
def test_a_connection_that_the_server_cut_is_replaced(postgres_url: str, clock: FakeClock) -> None:
    store = Store.open(postgres_url, clock=clock)
    with psycopg.connect(postgres_url) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert store.settings.all() == {}
    store.close()


def test_an_unreachable_server_is_a_transient_failure_without_the_password() -> None:
    error = failure("postgresql://ada:zq-s3cret@127.0.0.1:1/lake")
    assert isinstance(error, TransientError)
    assert error.condition == "CATALOG_UNAVAILABLE"
    assert "postgresql://ada:***@127.0.0.1:1/lake" in error.message
    assert "zq-s3cret" not in everything_shown(error)


@pytest.mark.postgres
def test_a_wrong_password_is_not_shown(postgres: PostgresServer) -> None:
    wrong = postgres.url("postgres").replace(PASSWORD, "zq-wrong-one")
    for url in (wrong, f"{wrong.replace(':zq-wrong-one', '')}?password=zq-wrong-one"):
        error = failure(url)
        assert error.condition == "CATALOG_UNAVAILABLE"
        assert "password authentication failed" in error.message
        assert "zq-wrong-one" not in everything_shown(error)


def test_a_failed_query_does_not_show_the_password(store: Store, backend: str) -> None:
    with pytest.raises(InternalError) as caught, store.begin() as connection:
        connection.exec_driver_sql("SELECT * FROM no_such_table")
    assert caught.value.condition == "CATALOG_FAILURE"
    assert "no_such_table" in caught.value.message
    assert PASSWORD not in everything_shown(caught.value)


def test_a_driver_that_quotes_the_password_is_not_quoted() -> None:
    address = read_address("postgresql://ada:zq%20wrong@db/lake")
    driver_error = OperationalError(None, None, Exception("bad login: zq wrong, zq%20wrong"))

    def fail() -> None:
        with translated(address):
            raise driver_error

    with pytest.raises(TransientError) as caught:
        fail()
    assert caught.value.message.endswith("cannot be reached: bad login: ***, ***")
    assert "bad login: zq" not in everything_shown(caught.value)


def test_a_failed_query_does_not_show_the_values_it_was_given(store: Store) -> None:
    job = a_job(text="SELECT 'zq-private'")
    store.jobs.start(job)
    with pytest.raises(InternalError) as caught:
        store.jobs.start(job)
    assert "zq-private" not in everything_shown(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://ada:zq-s3cret@127.0.0.1/lake",
        "postgresql+asyncpg://ada:zq-s3cret@127.0.0.1/lake",
        "postgresql://ada:zq-s3cret@127.0.0.1:port/lake",
        "zq-s3cret",
        "",
    ],
)
def test_an_address_of_another_kind_is_refused_without_being_shown(url: str) -> None:
    error = failure(url)
    assert isinstance(error, UserError)
    assert error.condition == "CATALOG_URL_UNSUPPORTED"
    assert "zq-s3cret" not in everything_shown(error)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_spelling_of_postgresql_is_understood(scheme: str) -> None:
    assert read_address(f"{scheme}://ada@db/lake").drivername == "postgresql+psycopg"


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    error = failure("postgresql://ada:zq-s3cret@127.0.0.1/lake")
    assert error.condition == "CATALOG_DRIVER_MISSING"
    assert error.hint == "pip install 'headwater[postgres]'"
    assert "zq-s3cret" not in everything_shown(error)


@given(password=st.text(min_size=1).map(lambda text: "zq" + text))
def test_no_password_is_ever_shown(password: str) -> None:
    address = URL.create("postgresql+psycopg", "ada", password, "db", 5432, "lake")
    assert "zq" not in shown(address)
    said = without_secrets(f"cannot log in with {password} at once", address)
    assert said == "cannot log in with *** at once"


@given(password=st.text(min_size=1).map(lambda text: "zq" + text))
def test_no_password_among_the_parameters_is_ever_shown(password: str) -> None:
    address = URL.create("postgresql+psycopg", query={"password": password, "user": "ada"})
    assert "zq" not in shown(address)
    assert "user=ada" in shown(address)
    assert "zq" not in without_secrets(f"cannot log in with {password}", address)


def test_a_time_without_a_zone_is_a_bug_of_the_caller(store: Store) -> None:
    store.workspaces.ensure("wanda")
    with pytest.raises(InternalError, match="must have a time zone"):
        store.schemas.create(a_schema(created_at=datetime(2026, 1, 1)))


@pytest.mark.parametrize("name", ["catalog", "catalog_files"])
def test_every_condition_of_the_catalog_reads_as_the_style_asks(name: str) -> None:
    file = resources.files("headwater").joinpath(f"conditions/{name}.toml")
    for entry in tomllib.loads(file.read_text(encoding="utf-8")).values():
        assert not entry["message"].endswith(".")
        assert entry["message"][0].islower() or entry["message"].startswith("{kind}")
        assert len(entry["sqlstate"]) == 5
