"""What runs by itself runs with its owner's rights: batches of pipes and scheduled refreshes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.unit.access.conftest import As

import headwater
from headwater.access.users import User
from headwater.catalog.schedules import ScheduledTable
from headwater.errors import HeadwaterError
from headwater.names import QualifiedName
from headwater.pipes.open_pipe import OpenPipe, open_pipe
from headwater.refresh.pins import WavePins
from headwater.run_pipes import PipeSessions, _dress
from headwater.run_refreshes import RefreshSessions
from headwater.runtime.clock import now
from headwater.sql.roles import Role


@pytest.fixture
def owner(lake: headwater.Connection, session_of: As) -> Iterator[str]:
    """A developer who owns the pipe and the dynamic table, and nothing else."""
    store = lake.session.lake.store
    user = User(f"id-{now().isoformat()}", "dev", "no hash", Role.DEVELOPER, now())
    store.users.create(user)
    lake.sql(
        "GRANT OWNERSHIP ON PIPE p TO USER dev; GRANT OWNERSHIP ON DYNAMIC TABLE d TO USER dev"
    )
    yield "dev"
    current = store.users.get("dev")
    if current is not None:
        store.users.drop(current, now())


def the_pipe(lake: headwater.Connection) -> OpenPipe:
    pipe = lake.session.lake.store.pipes.get("headwater", "public", "p")
    assert pipe is not None
    return open_pipe(lake.session.lake, pipe)


def batch_refused(lake: headwater.Connection) -> HeadwaterError:
    sessions = PipeSessions(lake.session.lake)
    try:
        with pytest.raises(HeadwaterError) as caught:
            _run_batch(sessions, the_pipe(lake))
    finally:
        sessions.close()
    return caught.value


def _run_batch(sessions: PipeSessions, pipe: OpenPipe) -> None:
    with sessions._pool.session("p") as session:
        _dress(session, pipe)
        session.run(pipe.text)


def refresh_refused(lake: headwater.Connection) -> HeadwaterError:
    sessions = RefreshSessions(lake.session.lake)
    table = ScheduledTable("id-d", QualifiedName("headwater", "public", "d"))
    try:
        with pytest.raises(HeadwaterError) as caught:
            sessions.run(table, WavePins(now()))
    finally:
        sessions.close()
    return caught.value


def test_a_batch_needs_what_the_owner_of_the_pipe_may_do(
    lake: headwater.Connection, owner: str
) -> None:
    error = batch_refused(lake)
    assert error.condition == "ACCESS_DENIED"
    assert error.message == f"user '{owner}' lacks INSERT on TABLE public.t"
    job = lake.session.lake.store.jobs.list()[0]
    assert (job.creator, job.query_tag) == (owner, "pipe.headwater.public.p")
    lake.sql(f"GRANT INSERT ON TABLE t TO USER {owner}")
    assert batch_refused(lake).message == f"user '{owner}' lacks READ VOLUME on VOLUME public.v"


def test_a_scheduled_refresh_needs_what_the_owner_of_the_table_may_read(
    lake: headwater.Connection, owner: str
) -> None:
    error = refresh_refused(lake)
    assert error.condition == "ACCESS_DENIED"
    assert error.message == f"user '{owner}' lacks SELECT on TABLE public.t"


@pytest.mark.parametrize(
    ("end", "state"),
    [("ALTER USER dev SET DISABLED = TRUE", "disabled"), ("DROP USER dev", "dropped")],
)
def test_an_owner_who_is_gone_stops_both(
    lake: headwater.Connection, owner: str, end: str, state: str
) -> None:
    lake.sql(end)
    for error, shown in (
        (batch_refused(lake), "PIPE public.p"),
        (refresh_refused(lake), "DYNAMIC TABLE public.d"),
    ):
        assert error.condition == "OWNER_DISABLED"
        assert error.message == (
            f"{shown} runs with the rights of its owner, user '{owner}', who is {state}"
        )
        assert error.hint == f"GRANT OWNERSHIP ON {shown} TO USER <name>"
