"""A connection to a service behaves as one that holds the lake itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.processes import wait_for

import headwater
from headwater.catalog.jobs import JobState
from headwater.dbapi import Connection
from headwater.service.server import Server
from headwater.service.statement import Statement

SETTING_UP = """
CREATE SCHEMA one COMMENT 'it''s';
CREATE VCLUSTER loading VCLUSTER_TYPE = GENERAL VCLUSTER_SIZE = 1;
CREATE VOLUME files;
USE one
"""
STATEMENTS = (
    "SHOW SCHEMAS",
    "SHOW TABLES",
    "SHOW TABLES IN public",
    "SHOW VOLUMES",
    "SHOW VCLUSTERS",
    "SHOW PIPES",
    "SHOW CONNECTIONS",
    "SHOW DYNAMIC TABLES",
    "SHOW TABLE STREAMS",
    "SHOW JOBS IN VCLUSTER DEFAULT",
    "SHOW JOBS",
    "DESC SCHEMA one",
    "DESC VCLUSTER loading",
    "DESC VOLUME public.files",
    "LIST VOLUME public.files",
    "SHOW VOLUME DIRECTORY public.files",
    "SET",
)
FAILING = (
    "DESC nowhere",
    "SELEC 1",
    "SHOW TABLES WHERE nope = 1",
    "CREATE SCHEMA one",
    "SHOW 'unclosed",
    "ALTER VCLUSTER loading SET VCLUSTER_SIZE = 'many'",
)


@pytest.fixture
def remote(server: Server, token: str) -> Iterator[Connection]:
    with headwater.connect(server.url, token=token) as connection:
        yield connection


@pytest.fixture
def embedded(server: Server, lake: Path) -> Iterator[Connection]:
    """On the same lake, which this process has open."""
    with headwater.connect(lake) as connection:
        yield connection


@pytest.mark.parametrize("text", STATEMENTS)
def test_results_are_the_same_remote_and_embedded(
    remote: Connection, embedded: Connection, text: str
) -> None:
    remote.sql(SETTING_UP)
    embedded.sql("USE one")
    there, here = remote.sql(text), embedded.sql(text)
    if text.startswith("SHOW JOBS"):
        assert here.rows[1:][-3:] == there.rows[-3:]
    else:
        assert there.rows == here.rows
    assert there.schema == here.schema
    assert there.columns == here.columns
    assert there.time_zone == here.time_zone
    assert there.to_arrow().schema == here.to_arrow().schema


@pytest.mark.parametrize("text", FAILING)
def test_errors_are_the_same_remote_and_embedded(
    remote: Connection, embedded: Connection, text: str
) -> None:
    remote.sql(SETTING_UP)
    embedded.sql("USE one")
    caught = []
    for connection in (remote, embedded):
        with pytest.raises(headwater.HeadwaterError) as error:
            connection.sql(text)
        caught.append(error.value)
    there, here = caught
    assert type(there) is type(here)
    assert str(there) == str(here)
    assert (there.condition, there.sqlstate, there.hint, there.span, there.statement) == (
        here.condition,
        here.sqlstate,
        here.hint,
        here.span,
        here.statement,
    )


def test_statements_of_a_script_run_when_their_result_is_asked_for(remote: Connection) -> None:
    results = remote.statements("CREATE SCHEMA a; CREATE SCHEMA b; CREATE SCHEMA c")
    assert next(results).message == "schema a created"
    assert next(results).message == "schema b created"
    assert [row[0] for row in remote.sql("SHOW SCHEMAS")] == ["a", "b", "public"]


def test_the_current_schema_follows_use(remote: Connection) -> None:
    assert remote.schema == "public"
    remote.sql("CREATE SCHEMA s; USE s")
    assert remote.schema == "s"


def test_cursors_work_with_parameters(remote: Connection) -> None:
    cursor = remote.cursor()
    cursor.execute("CREATE SCHEMA s COMMENT ?", ["x'; DROP SCHEMA public"])
    assert dict(cursor.execute("DESC SCHEMA s").fetchall())["comment"] == "x'; DROP SCHEMA public"
    assert cursor.description[0][:2] == ("info_name", headwater.STRING)


def test_a_closed_connection_says_so(server: Server, token: str) -> None:
    connection = headwater.connect(server.url, token=token)
    connection.close()
    connection.close()
    with pytest.raises(headwater.InterfaceError, match="closed"):
        connection.sql("SHOW SCHEMAS")
    assert server.service.sessions.count == 0


def test_a_wrong_token_is_refused(server: Server) -> None:
    for token in ("wrong", None, "ü" * 10):
        with pytest.raises((headwater.ProgrammingError, UnicodeEncodeError)):
            headwater.connect(server.url, token=token)


def test_a_service_that_is_not_there_is_said_so() -> None:
    with pytest.raises(headwater.OperationalError, match="SERVICE_UNREACHABLE"):
        headwater.connect("http://127.0.0.1:9", token="x")


def test_arguments_of_a_lake_are_refused(server: Server, token: str) -> None:
    with pytest.raises(headwater.ProgrammingError, match="SERVICE_ARGUMENT"):
        headwater.connect(server.url, token=token, time_zone="UTC")


@pytest.mark.parametrize("early", [True, False], ids=["before-it-has-an-id", "while-it-runs"])
def test_cancel_reaches_what_runs(
    remote: Connection, server: Server, monkeypatch: pytest.MonkeyPatch, early: bool
) -> None:
    """The work stands for a long query: it ends when its job is cancelled."""
    cancelled = threading.Event()
    lake = server.service.lake
    monkeypatch.setattr(lake.engine, "cancel_job", lambda job: cancelled.set())

    def slow(session, text, *, announce):
        announce("a-job")
        assert cancelled.wait(30)
        raise headwater.UserError("JOB_CANCELLED", job_id="a-job")

    monkeypatch.setattr("headwater.session.Session.run", slow)

    def cancel() -> None:
        if early:
            wait_for(lambda: bool(server.service.statements._known), "the statement")
        else:
            wait_for(lambda: bool(remote._session._running), "the id")
        remote.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    started = time.monotonic()
    with pytest.raises(headwater.ProgrammingError, match="JOB_CANCELLED"):
        remote.sql("SELECT slow")
    thread.join()
    assert time.monotonic() - started < 10
    (statement,) = server.service.statements._known.values()
    assert isinstance(statement, Statement)
    assert statement.state is JobState.CANCELLED


def test_run_until_idle_runs_in_the_service(remote: Connection) -> None:
    remote.run_until_idle()
    remote.sql("CREATE SCHEMA afterwards")


def test_there_is_no_session_of_this_process(remote: Connection) -> None:
    assert not remote.embedded
    with pytest.raises(headwater.InterfaceError):
        _ = remote.session
