"""Opening databases: empty, current, older, newer, and those of somebody else."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, MetaData, create_engine, text
from tests.unit.catalog.samples import (
    START,
    WORKSPACE,
    FakeClock,
    a_batch,
    a_connection,
    a_pipe,
    a_table,
    a_version,
    a_volume,
    with_schema,
    with_table,
)

from headwater.catalog.load_history import SourceFile
from headwater.catalog.store import Store, database, migrate
from headwater.catalog.store.addresses import read_address
from headwater.catalog.store.migrate import HEAD, REVISIONS, SCRIPTS
from headwater.catalog.store.model import WHERE, metadata
from headwater.errors import UserError

# Taken before the tests begin, whose files need not outlive a crash of the machine.
SYNCHRONOUS_OF_A_LAKE = database._SYNCHRONOUS


def engine(url: str) -> Engine:
    return create_engine(read_address(url))


def run(url: str, *statements: str) -> list[Any]:
    """Runs statements behind the store's back and returns the last one's rows."""
    made = engine(url)
    with made.begin() as connection:
        results = [connection.execute(text(statement)) for statement in statements]
        rows = list(results[-1]) if results[-1].returns_rows else []
    made.dispose()
    return rows


def refusal(url: str) -> UserError:
    with pytest.raises(UserError) as caught:
        Store.open(url, clock=FakeClock())
    return caught.value


def with_partial_indexes(dialect: str) -> MetaData:
    """The model, with the conditions of partial indexes that it only notes."""
    copy = MetaData()
    for table in metadata.sorted_tables:
        table.to_metadata(copy)
    for table in copy.sorted_tables:
        noted = {index.name: index.info.get(WHERE) for index in metadata.tables[table.name].indexes}
        for index in table.indexes:
            if noted[index.name] is not None:
                index.dialect_options[dialect]["where"] = text(noted[index.name])
    return copy


def test_an_empty_database_becomes_a_lake_with_an_identity_it_keeps(
    fresh_url: str, clock: FakeClock
) -> None:
    first = Store.open(fresh_url, clock=clock)
    clock.advance(60)
    second = Store.open(fresh_url, clock=clock)
    assert first.lake_id == second.lake_id
    assert first.created_at == second.created_at == START
    first.close()
    second.close()


def test_two_lakes_have_two_identities(tmp_path: Path, clock: FakeClock) -> None:
    stores = [Store.open(f"sqlite:///{tmp_path / n}", clock=clock) for n in ("a.db", "b.db")]
    assert stores[0].lake_id != stores[1].lake_id
    for store in stores:
        store.close()


def test_the_revisions_in_the_code_are_those_of_the_scripts() -> None:
    scripts = ScriptDirectory(str(SCRIPTS))
    newest_first = [script.revision for script in scripts.walk_revisions()]
    assert list(REVISIONS) == newest_first[::-1]
    assert scripts.get_heads() == [HEAD]


@pytest.fixture
def migrations_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is made from the model: a new catalog takes all migrations."""
    monkeypatch.setattr(migrate, "_OF_THE_MODEL", "none")


@pytest.mark.usefixtures("migrations_only")
def test_the_migrations_make_the_tables_that_the_code_expects(fresh_url: str) -> None:
    Store.open(fresh_url, clock=FakeClock()).close()
    made = engine(fresh_url)
    with made.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    made.dispose()


@pytest.mark.usefixtures("migrations_only")
def test_the_migrations_make_the_indexes_that_the_code_expects(
    fresh_url: str, backend: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    other = f"sqlite:///{tmp_path / 'model.db'}"
    if backend == "postgres":
        server = request.getfixturevalue("postgres")
        other = server.url(server.create_database())
    Store.open(fresh_url, clock=FakeClock()).close()
    made = engine(other)
    with_partial_indexes(made.dialect.name).create_all(made)
    made.dispose()
    query = {
        "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name",
        "postgres": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
        " ORDER BY indexname",
    }[backend]
    ours = [row for row in run(fresh_url, query) if "alembic" not in row[0]]
    # An index without text is one that SQLite makes for a key; its name counts the tables.
    assert [row for row in ours if row[1]] == [row for row in run(other, query) if row[1]]


NEXT_MIGRATION = f"""
import sqlalchemy as sa
from alembic import op

revision = "9000_next"
down_revision = "{HEAD}"


def upgrade():
    with op.batch_alter_table("tables", recreate="auto") as batch:
        batch.alter_column("creator", new_column_name="owner")
        batch.add_column(sa.Column("extra", sa.Text))
"""


def test_an_older_database_is_upgraded_and_keeps_what_it_holds(
    fresh_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(fresh_url, clock=FakeClock())
    with_schema(store)
    table = store.tables.activate(store.tables.begin_create(a_table()), a_version(1))
    store.close()
    scripts = tmp_path / "100% migrations"
    shutil.copytree(SCRIPTS, scripts)
    (scripts / "versions" / "9000_next.py").write_text(NEXT_MIGRATION)
    monkeypatch.setattr(migrate, "SCRIPTS", scripts)
    monkeypatch.setattr(migrate, "REVISIONS", (*REVISIONS, "9000_next"))
    monkeypatch.setattr(migrate, "HEAD", "9000_next")
    upgraded = Store.open(fresh_url, clock=FakeClock())
    assert upgraded.lake_id == store.lake_id
    # The history refers to the table, which SQLite has to drop and make anew for such a change.
    assert upgraded.versions.list(table.id) == [a_version(1)]
    upgraded.close()
    assert run(fresh_url, "SELECT owner, extra FROM tables") == [("ada", None)]
    assert run(fresh_url, "SELECT version_num FROM alembic_version") == [("9000_next",)]


def test_a_database_of_the_first_revision_gets_volumes_and_keeps_what_it_holds(
    fresh_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as past:
        past.setattr(migrate, "REVISIONS", REVISIONS[:1])
        past.setattr(migrate, "HEAD", REVISIONS[0])
        old = Store.open(fresh_url, clock=FakeClock())
        schema = with_schema(old)
        table = old.tables.activate(old.tables.begin_create(a_table()), a_version(1))
        old.close()
    assert run(fresh_url, "SELECT version_num FROM alembic_version") == [("0001_foundation",)]
    store = Store.open(fresh_url, clock=FakeClock())
    assert store.lake_id == old.lake_id
    assert store.schemas.list(WORKSPACE) == [schema]
    assert store.tables.list(WORKSPACE) == [table]
    assert store.versions.list(table.id) == [a_version(1)]
    store.connections.create(a_connection())
    volume = store.volumes.create(a_volume(connection="lager"))
    assert store.volumes.list(WORKSPACE) == [volume]
    store.load_history.record_intent(table.id, "j1", [SourceFile("s3://bucket/a", 1)])
    assert len(store.load_history.pending()) == 1
    store.close()


def test_a_database_of_the_second_revision_gets_pipes_and_keeps_what_it_holds(
    fresh_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = SourceFile("s3://bucket/landing/a", 1, START, "etag")
    with monkeypatch.context() as past:
        past.setattr(migrate, "REVISIONS", REVISIONS[:2])
        past.setattr(migrate, "HEAD", REVISIONS[1])
        old = Store.open(fresh_url, clock=FakeClock())
        with_schema(old)
        table = with_table(old)
        old.connections.create(a_connection())
        volume = old.volumes.create(a_volume(connection="lager"))
        old.load_history.record_intent(table.id, "j1", [file], purge=True)
        old.load_history.confirm("j1", 1)
        old.close()
    assert run(fresh_url, "SELECT version_num FROM alembic_version") == [("0002_volumes",)]
    store = Store.open(fresh_url, clock=FakeClock())
    assert store.lake_id == old.lake_id
    assert store.tables.list(WORKSPACE) == [table]
    assert store.volumes.list(WORKSPACE) == [volume]
    assert [purge.file for purge in store.load_history.pending_purges()] == [file]
    assert store.pipes.list(WORKSPACE) == []
    pipe = a_pipe(volume_id=volume.id, target_id=table.id)
    store.pipes.create(pipe)
    store.pipe_batches.begin(a_batch(pipe))
    store.load_history.record_skipped(table.id, pipe.id, {file: "replaced"}, source=pipe.name)
    assert store.pipes.running() == [pipe]
    assert store.pipe_batches.all_intents() == [a_batch(pipe)]
    store.close()


def test_what_a_lake_holds_is_there_when_it_is_opened_again(url: str, clock: FakeClock) -> None:
    store = Store.open(url, clock=clock)
    with_schema(store)
    table = with_table(store)
    store.close()
    again = Store.open(url, clock=clock)
    assert again.tables.list(table.workspace) == [table]
    again.close()


def test_a_database_that_only_has_the_version_table_is_migrated(fresh_url: str) -> None:
    run(fresh_url, "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
    Store.open(fresh_url, clock=FakeClock()).close()
    assert run(fresh_url, "SELECT version_num FROM alembic_version") == [(HEAD,)]


def test_a_creation_that_fails_leaves_the_database_empty(fresh_url: str) -> None:
    def broken_clock() -> datetime:
        raise RuntimeError("power failure")

    with pytest.raises(RuntimeError, match="power failure"):
        Store.open(fresh_url, clock=broken_clock)
    made = engine(fresh_url)
    with made.connect() as connection:
        assert made.dialect.get_table_names(connection) == []
    made.dispose()
    Store.open(fresh_url, clock=FakeClock()).close()


def test_a_newer_database_is_refused_and_left_alone(fresh_url: str) -> None:
    Store.open(fresh_url, clock=FakeClock()).close()
    run(fresh_url, "UPDATE alembic_version SET version_num = '9999_future'")
    error = refusal(fresh_url)
    assert error.condition == "LAKE_TOO_NEW"
    assert "'9999_future'" in error.message
    assert error.hint == "pip install --upgrade headwater"
    assert run(fresh_url, "SELECT version_num FROM alembic_version") == [("9999_future",)]


def test_a_lake_with_a_newer_folder_format_is_refused(fresh_url: str) -> None:
    Store.open(fresh_url, clock=FakeClock()).close()
    run(fresh_url, "UPDATE lake SET format_version = 2")
    assert refusal(fresh_url).condition == "LAKE_TOO_NEW"


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE jobs (id INTEGER)"],
        [
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)",
            "INSERT INTO alembic_version VALUES ('abc123')",
        ],
    ],
)
def test_the_database_of_another_application_is_refused(
    fresh_url: str, statements: list[str]
) -> None:
    run(fresh_url, *statements)
    error = refusal(fresh_url)
    assert error.condition == "CATALOG_FOREIGN"
    assert "hw-test-s3cret" not in str(error)


def test_threads_may_open_fresh_lakes_at_once(tmp_path: Path) -> None:
    def open_one(number: int) -> str:
        store = Store.open(f"sqlite:///{tmp_path / f'{number}.db'}", clock=FakeClock())
        store.close()
        return store.lake_id

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(open_one, range(8)))) == 8


def test_a_fresh_file_that_another_process_is_writing_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE unrelated (x)")
    other.execute("BEGIN IMMEDIATE")
    soon = threading.Timer(0.1, other.execute, ["COMMIT"])
    soon.start()
    Store.open(f"sqlite:///{path}", clock=FakeClock()).close()
    soon.join()
    other.close()


def test_the_catalog_file_is_a_write_ahead_log_with_foreign_keys_on(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_SYNCHRONOUS", SYNCHRONOUS_OF_A_LAKE)
    store = Store.open(f"sqlite:///{tmp_path / 'catalog.db'}", clock=clock)
    with store.begin() as connection:
        for pragma, value in [("journal_mode", "wal"), ("foreign_keys", 1), ("synchronous", 1)]:
            assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar() == value
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 10_000
    store.close()


def test_a_current_file_opens_and_answers_within_thirty_milliseconds(
    tmp_path: Path, clock: FakeClock
) -> None:
    url = f"sqlite:///{tmp_path / 'catalog.db'}"
    Store.open(url, clock=clock).close()

    def once() -> float:
        started = time.perf_counter()
        store = Store.open(url, clock=clock)
        store.tables.list("wanda")
        took = time.perf_counter() - started
        store.close()
        return took

    # The best of several, because the machine may be busy with something else.
    assert min(once() for _ in range(10)) < 0.030
