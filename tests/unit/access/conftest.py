"""A lake with one object of each kind, which Spark never sees, and a user with no rights on it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.pipes.fake_spark import table_of
from tests.unit.statements.test_dynamic_table_statements import dynamic_table, stream_on

import headwater
from headwater.access.grants import Identity
from headwater.access.users import User
from headwater.catalog.jobs import Job, JobState
from headwater.catalog.objects import TableKind
from headwater.runtime.clock import now
from headwater.session import Session
from headwater.sql.roles import Role

As = Callable[[str, Role], Session]


@pytest.fixture(scope="module")
def lake(
    new_lake: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[headwater.Connection]:
    """At the end Spark has not started."""
    folder = tmp_path_factory.mktemp("access")
    shutil.copytree(new_lake, folder / "lake")
    (folder / "in").mkdir()
    with headwater.connect(folder / "lake", user="tester", time_zone="UTC") as connection:
        table = table_of(connection.session.lake)
        connection.sql(
            "CREATE STORAGE CONNECTION c TYPE FILE;"
            f"CREATE EXTERNAL VOLUME v LOCATION 'file://{folder}/in/' USING CONNECTION c;"
            "CREATE PIPE p VIRTUAL_CLUSTER = 'default' INGEST_MODE = 'LIST_PURGE' AS"
            " COPY INTO t FROM VOLUME v (line STRING) USING CSV PURGE = TRUE;"
            "CREATE FUNCTION f(a STRING) RETURNS STRING LANGUAGE PYTHON AS $$ return a $$;"
            "CREATE VCLUSTER vc1"
        )
        dynamic_table(connection)
        store = connection.session.lake.store
        view = replace(table, id="id-w", name="w", kind=TableKind.VIEW, location="")
        store.tables.insert_active(replace(view, view_text="SELECT * FROM t", view_schema="public"))
        store.streams.create(stream_on(table))
        for name, role in (("ann", Role.VIEWER), ("zoe", Role.VIEWER)):
            store.users.create(User(f"id-{name}", name, "no hash", role, now()))
        for creator in ("tester", "ann"):
            job = Job(
                id=f"of-{creator}",
                state=JobState.SUCCEED,
                workspace="headwater",
                schema="public",
                creator=creator,
                text="SELECT 1",
                started_at=now(),
                instance="gone",
            )
            store.jobs.start(job)
        yield connection
        assert not connection.session.lake.engine.started


@pytest.fixture
def session_of(lake: headwater.Connection) -> Iterator[As]:
    """Makes sessions of others; they are closed at the end, and nothing is granted any more."""
    made: list[Session] = []

    def new(user: str, role: Role) -> Session:
        session = Session.beside(lake.session.lake, identity=Identity(user, role))
        made.append(session)
        return session

    yield new
    for session in made:
        session.close()
    with lake.session.lake.store.begin() as connection:
        connection.exec_driver_sql("DELETE FROM grants")
