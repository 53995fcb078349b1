"""PUT and GET through a service: the files are this machine's, and nothing else is reached."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from tests.processes import wait_for

import headwater
from headwater.access.grants import Identity
from headwater.dbapi import Connection
from headwater.service.limits import Limits
from headwater.service.server import Server
from headwater.service.sessions import open_session
from headwater.sql.roles import Role

As = Callable[[str], Connection]


@pytest.fixture
def limits() -> Limits:
    return Limits(stop_seconds=1.0, upload_bytes=3_000_000, exchanges=3)


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests have exchanges, too, in the same moment."""
    (tmp_path / "exchanges").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "exchanges"))


@pytest.fixture
def remote(server: Server, token: str) -> Iterator[Connection]:
    with headwater.connect(server.url, token=token) as connection:
        connection.sql("CREATE VOLUME v")
        yield connection


@pytest.fixture
def connected_as(server: Server, remote: Connection) -> Iterator[As]:
    """Connections of new users with a role."""
    made: list[Connection] = []

    def new(role: str) -> Connection:
        remote.sql(f"CREATE USER {role}_user PASSWORD 'correct horse' ROLE {role}")
        (secret,) = remote.sql(f"CREATE TOKEN t FOR USER {role}_user").to_dicts()
        made.append(headwater.connect(server.url, token=secret["token"]))
        return made[-1]

    yield new
    for connection in made:
        connection.close()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "a.csv").write_text("1\n")
    (folder / "a\nb.csv").write_text("2\n")
    (folder / "b c'\"%?#ü.csv").write_bytes(os.urandom(2_000_000))
    return folder


def exchanges() -> set[str]:
    return set(os.listdir(tempfile.gettempdir()))


def test_files_go_there_and_come_back(remote: Connection, files: Path, tmp_path: Path) -> None:
    before = exchanges()
    quoted = f"{files}/*.csv"
    sent = remote.sql(f"PUT '{quoted}' TO VOLUME v SUBDIRECTORY 'in/'")
    assert sent.columns == ["source", "target", "source_size", "target_size", "status"]
    names = sorted(path.name for path in files.iterdir())
    assert [row[:2] for row in sent.rows] == [(str(files / n), f"in/{n}") for n in names]
    assert {row[4] for row in sent.rows} == {"SUCCEED"}
    there = tmp_path / "there"
    got = remote.sql(f"GET VOLUME v SUBDIRECTORY '/' TO '{there}'")
    assert {row[1] for row in got.rows} == {str(there / "in" / n) for n in names}
    for name in names:
        assert (there / "in" / name).read_bytes() == (files / name).read_bytes()
    assert sorted(path.name for path in (there / "in").iterdir()) == names
    assert exchanges() == before


def test_the_current_schema_counts_and_so_do_the_options(
    remote: Connection, files: Path, tmp_path: Path
) -> None:
    remote.sql("CREATE SCHEMA s; USE s; CREATE VOLUME own")
    put = f"PUT '{files}/a.csv' TO VOLUME own FILE 'x.csv' OVERWRITE = FALSE"
    assert [remote.sql(put).rows[0][4] for _ in range(2)] == ["SUCCEED", "SKIPPED"]
    (tmp_path / "x.csv").write_text("mine")
    get = f"GET VOLUME s.own FILE 'x.csv' TO '{tmp_path}'"
    assert remote.sql(f"{get} OVERWRITE = FALSE").rows[0][4] == "SKIPPED"
    assert (tmp_path / "x.csv").read_text() == "mine"
    assert remote.sql(get).rows[0][4] == "SUCCEED"
    assert (tmp_path / "x.csv").read_text() == "1\n"


@pytest.mark.parametrize(
    "text",
    [
        "PUT '{0}/none.csv' TO VOLUME v",
        "PUT '{0}/none*' TO VOLUME v",
        "PUT '{0}' TO VOLUME v",
        "PUT '{0}/*' TO VOLUME v FILE 'one'",
        "PUT '{0}/a.csv' TO VOLUME nowhere",
        "PUT '{0}/a.csv' TO VOLUME v FILE '../x'",
        "PUT '{0}/a.csv' VOLUME v",
        "GET VOLUME v FILE 'none' TO '{0}/x'",
        "GET VOLUME v TO '{0}/a.csv'",
    ],
)
def test_errors_are_those_of_a_session_of_this_process(
    remote: Connection, server: Server, lake: Path, files: Path, text: str
) -> None:
    found = []
    with headwater.connect(lake) as embedded:
        for connection in (remote, embedded):
            with pytest.raises(headwater.HeadwaterError) as caught:
                connection.sql(text.format(files))
            found.append((caught.value.condition, caught.value.message))
    assert found[0] == found[1]


def test_two_files_of_one_name_and_too_many_bytes_are_refused_before_they_are_sent(
    remote: Connection, files: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text("2")
    with pytest.raises(headwater.HeadwaterError, match="FILES_OF_ONE_NAME"):
        remote.sql(f"PUT '{files}/a.csv', '{tmp_path}/a.csv' TO VOLUME v")
    (files / "large").write_bytes(b"x" * 3_000_001)
    with pytest.raises(headwater.HeadwaterError, match="EXCHANGE_TOO_LARGE"):
        remote.sql(f"PUT '{files}/large' TO VOLUME v")


def test_an_operator_may_send_and_a_viewer_may_fetch_what_they_have_rights_on(
    remote: Connection, connected_as: As, files: Path, tmp_path: Path
) -> None:
    operator, viewer = connected_as("operator"), connected_as("viewer")
    put, get = f"PUT '{files}/a.csv' TO VOLUME v", f"GET VOLUME v TO '{tmp_path}/got'"
    with pytest.raises(headwater.HeadwaterError, match="ACCESS_DENIED"):
        operator.sql(put)
    remote.sql("GRANT WRITE VOLUME ON VOLUME v TO USER operator_user")
    remote.sql("GRANT WRITE VOLUME, READ VOLUME ON VOLUME v TO USER viewer_user")
    operator.sql(put)
    with pytest.raises(headwater.HeadwaterError, match="ACCESS_DENIED"):
        viewer.sql(put)
    viewer.sql(get)
    assert (tmp_path / "got" / "a.csv").read_text() == "1\n"
    remote.sql("REVOKE READ VOLUME ON VOLUME v FROM USER viewer_user")
    with pytest.raises(headwater.HeadwaterError, match="ACCESS_DENIED"):
        viewer.sql(get)


def test_an_exchange_is_its_owners_alone_and_bounded(
    remote: Connection, connected_as: As, http: httpx.Client, server: Server
) -> None:
    id = http.post("/api/v1/exchanges").json()["id"]
    page = f"/api/v1/exchanges/{id}/files"
    assert http.put(f"{page}/a", content=b"x" * 2_000_000).status_code == 204
    too_much = http.put(f"{page}/b", content=b"x" * 2_000_000)
    assert too_much.json()["error"]["condition"] == "EXCHANGE_TOO_LARGE"
    assert http.put(f"{page}/c", content=b"x" * 4_000_000).status_code == 413
    assert http.get(f"{page}/a").content == b"x" * 2_000_000
    other = connected_as("admin")._session._transport._client
    for method, path in (("GET", f"{page}/a"), ("PUT", f"{page}/a"), ("DELETE", page[:-6])):
        assert other.request(method, path).status_code == 404
    body = {"sql": "GET VOLUME v TO '.'", "exchange": id}
    assert other.post("/api/v1/statements", json=body).status_code == 404
    assert [http.post("/api/v1/exchanges").status_code for _ in range(3)] == [201, 201, 429]
    assert http.delete(f"/api/v1/exchanges/{id}").status_code == 204
    assert http.get(f"{page}/a").status_code == 404


def test_a_client_that_leaves_in_the_middle_of_a_file_is_no_bug(
    http: httpx.Client, server: Server, token: str, caplog: pytest.LogCaptureFixture
) -> None:
    id = http.post("/api/v1/exchanges").json()["id"]
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as left:
        head = f"PUT /api/v1/exchanges/{id}/files/a HTTP/1.1\r\nHost: x\r\n"
        left.sendall(f"{head}Authorization: Bearer {token}\r\nContent-Length: 99\r\n\r\nx".encode())
        tasks = server._uvicorn.server_state.tasks
        wait_for(lambda: bool(tasks), "the request")
    wait_for(lambda: not tasks, "its end")
    assert "bug" not in caplog.text
    assert http.delete(f"/api/v1/exchanges/{id}").status_code == 204


@pytest.mark.parametrize("name", ["..", "%2e%2e", "..%2f..%2fetc%2fpasswd", "a%00b", "%2fetc%2fx"])
def test_no_name_leads_out_of_an_exchange(http: httpx.Client, server: Server, name: str) -> None:
    id = http.post("/api/v1/exchanges").json()["id"]
    for method in ("GET", "PUT"):
        answer = http.request(method, f"/api/v1/exchanges/{id}/files/{name}")
        assert answer.status_code in (400, 404, 405), answer.text
    folder = server.service.exchanges.find(
        id, Identity(server.service.lake.config.user, Role.ADMIN)
    )
    (folder.folder / "link").symlink_to("/etc/passwd")
    assert http.get(f"/api/v1/exchanges/{id}/files/link").status_code == 404


@pytest.mark.parametrize(
    "text",
    [
        "PUT '/etc/passwd' TO VOLUME v",
        "PUT '..' TO VOLUME v",
        "PUT '../x' TO VOLUME v",
        "GET VOLUME v TO '..'",
        "GET VOLUME v TO '/tmp'",
        "GET VOLUME v TO 'below'",
    ],
)
def test_a_statement_with_an_exchange_reaches_nothing_else(
    remote: Connection, http: httpx.Client, text: str
) -> None:
    id = http.post("/api/v1/exchanges").json()["id"]
    sent = {"sql": text, "exchange": id, "wait_seconds": 10}
    found = http.post("/api/v1/statements", json=sent).json()
    assert found["error"]["condition"] in ("LOCAL_FILES_NOT_REMOTE", "LOCAL_PATH_NOT_A_FILE")


def test_sessions_of_a_service_reach_no_file_without_an_exchange(
    remote: Connection, server: Server, files: Path
) -> None:
    """As those of JDBC and Spark Connect do, which run statements without HTTP."""
    session = open_session(server.service.lake, Identity("root", Role.ADMIN))
    for text in (f"PUT '{files}/a.csv' TO VOLUME v", f"GET VOLUME v TO '{files}'"):
        with pytest.raises(headwater.HeadwaterError, match="LOCAL_FILES_NOT_REMOTE"):
            session.run(text)
    session.close()


def test_files_that_nobody_takes_are_removed(
    http: httpx.Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = exchanges()
    id = http.post("/api/v1/exchanges").json()["id"]
    http.put(f"/api/v1/exchanges/{id}/files/a", content=b"x")
    assert len(exchanges() - before) == 1
    monkeypatch.setattr(server.service.exchanges, "_limits", Limits(exchange_seconds=-1.0))
    server.service.exchanges.close_idle()
    assert exchanges() == before
    assert http.delete(f"/api/v1/exchanges/{id}").status_code == 404
