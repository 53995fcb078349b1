"""A session with an exchange: PUT and GET reach that folder of the machine and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.access.conftest import As
from tests.unit.access.test_authorize import refused

import headwater
from headwater.session import Session
from headwater.sql.roles import Role


@pytest.fixture
def exchange(tmp_path: Path) -> Path:
    folder = tmp_path / "exchange"
    folder.mkdir()
    (folder / "file").write_text("hello")
    (tmp_path / "secret").write_text("secret")
    return folder


def with_exchange(session: Session, exchange: Path) -> Session:
    session.state.exchange = exchange
    return session


def test_who_may_write_the_volume_may_send_a_file(
    lake: headwater.Connection, session_of: As, exchange: Path
) -> None:
    operator = with_exchange(session_of("ann", Role.OPERATOR), exchange)
    put = f"PUT '{exchange}/file' TO VOLUME v FILE 'sent/a.csv'"
    assert refused(operator, put).condition == "ACCESS_DENIED"
    lake.sql("GRANT WRITE VOLUME ON VOLUME v TO USER ann")
    operator.run(put)
    assert lake.sql("LIST VOLUME v SUBDIRECTORY 'sent/'").to_dicts()[0]["size"] == 5
    lake.sql("REMOVE VOLUME v FILE 'sent/a.csv'")


def test_a_viewer_may_fetch_and_not_send(
    lake: headwater.Connection, session_of: As, exchange: Path
) -> None:
    lake.sql(f"PUT '{exchange}/file' TO VOLUME v FILE 'b.csv'")
    viewer = with_exchange(session_of("ann", Role.VIEWER), exchange)
    get = f"GET VOLUME v FILE 'b.csv' TO '{exchange}'"
    assert refused(viewer, get).condition == "VOLUME_NOT_FOUND"
    lake.sql(
        "GRANT READ VOLUME ON VOLUME v TO USER ann; GRANT WRITE VOLUME ON VOLUME v TO USER ann"
    )
    viewer.run(get)
    assert (exchange / "b.csv").read_text() == "hello"
    assert refused(viewer, f"PUT '{exchange}/file' TO VOLUME v").condition == "ACCESS_DENIED"
    lake.sql("REMOVE VOLUME v FILE 'b.csv'")


@pytest.mark.parametrize(
    "text",
    [
        "PUT '{0}/../secret' TO VOLUME v",
        "PUT '{0}/*/../../secret' TO VOLUME v",
        "PUT '{0}/file', '/etc/passwd' TO VOLUME v",
        "PUT 'file://{0}/../secret' TO VOLUME v",
        "PUT '~/x' TO VOLUME v",
        "GET VOLUME v TO '{0}/..'",
        "GET VOLUME v TO '{0}/below'",
        "GET VOLUME v TO '/tmp'",
    ],
)
@pytest.mark.parametrize("role", [Role.ADMIN, Role.OPERATOR])
def test_no_other_file_of_the_machine_is_reached(
    lake: headwater.Connection, session_of: As, exchange: Path, role: Role, text: str
) -> None:
    lake.sql(
        "GRANT READ VOLUME ON VOLUME v TO USER ann; GRANT WRITE VOLUME ON VOLUME v TO USER ann"
    )
    session = with_exchange(session_of("ann", role), exchange)
    assert refused(session, text.format(exchange)).condition == "LOCAL_FILES_NOT_REMOTE"


def test_without_an_exchange_they_are_for_admins(
    lake: headwater.Connection, session_of: As, exchange: Path
) -> None:
    lake.sql("GRANT WRITE VOLUME ON VOLUME v TO USER ann")
    operator = session_of("ann", Role.OPERATOR)
    assert refused(operator, f"PUT '{exchange}/file' TO VOLUME v").condition == "ACCESS_DENIED"
