"""Who is let in, and how little a bad request costs."""

from __future__ import annotations

import os
import socket
import stat
import time
from pathlib import Path

import httpx
import pyarrow
import pytest
from tests.processes import wait_for

from headwater.access_login import first_admin_token
from headwater.client.local_service import TOKEN_FILE
from headwater.errors import UserError
from headwater.result import Column, Result
from headwater.runtime.clock import now
from headwater.service.first_tokens import local_token
from headwater.service.identity import Identity
from headwater.service.limits import Limits
from headwater.service.server import Listening, Server
from headwater.service.service import Service
from headwater.session import Session
from headwater.sql.roles import Role
from headwater.wire.results import ARROW_STREAM

ADA = Identity("ada", Role.ADMIN)

PAGES = [
    ("GET", "/api/v1/jobs"),
    ("GET", "/api/v1/jobs/x"),
    ("GET", "/api/v1/jobs/x/profile"),
    ("POST", "/api/v1/statements"),
    ("GET", "/api/v1/statements/x"),
    ("GET", "/api/v1/statements/x/results/0"),
    ("GET", "/api/v1/statements/x/events"),
    ("POST", "/api/v1/statements/x/cancel"),
    ("POST", "/api/v1/exchanges"),
    ("DELETE", "/api/v1/exchanges/x"),
    ("PUT", "/api/v1/exchanges/x/files/y"),
    ("GET", "/api/v1/exchanges/x/files/y"),
    ("POST", "/api/v1/sessions"),
    ("DELETE", "/api/v1/sessions/x"),
    ("POST", "/api/v1/runs"),
    ("GET", "/api/v1/events"),
    ("GET", "/api/v1/openapi.json"),
    ("GET", "/metrics"),
    ("GET", "/nowhere"),
]


@pytest.fixture
def limits() -> Limits:
    return Limits(stop_seconds=1.0, body_bytes=10_000, body_seconds=0.5, send_seconds=1.0)


def test_without_a_token_there_is_nothing_but_health(server: Server) -> None:
    with httpx.Client(base_url=server.url, trust_env=False, verify=False) as client:
        for method, page in PAGES:
            for header in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic eDp5"}):
                answer = client.request(method, page, headers=header)
                # Who tries too often is not even looked at.
                tried_often = bool(header) and answer.status_code == 429
                assert answer.status_code == 401 or tried_often, page
                condition = "LOGIN_TOO_OFTEN" if tried_often else "UNAUTHENTICATED"
                assert answer.json()["error"]["condition"] == condition
        assert client.get("/health").json()["state"] == "ACTIVE"
        assert client.get("/ready").status_code == 200


def test_every_page_of_the_description_is_among_those_tried(server: Server, http) -> None:
    described = http.get("/api/v1/openapi.json").json()["paths"]
    tried = {
        page.replace("/x", "/{id}").replace("results/0", "results/{number}") for _, page in PAGES
    } | {"/api/v1/exchanges/{id}/files/{name}", "/api/v1/exchanges/{id}/files/{path}"}
    assert set(described) - {"/health", "/ready"} <= tried


def test_the_token_of_the_administrator_is_made_once_and_kept_as_a_digest(
    server: Server, lake: Path
) -> None:
    store = server.service.lake.store
    made = server.new_admin_token
    assert made is not None
    assert first_admin_token(store, at=now()) is None
    assert made not in str(store.tokens.list())
    assert made.encode() not in (lake / "catalog.db").read_bytes()
    headers = {"Authorization": f"Bearer {made}"}
    answer = httpx.get(server.url + "/api/v1/jobs", headers=headers, trust_env=False)
    assert answer.status_code == 200


def test_the_local_token_is_for_its_owner_alone_and_stays(tmp_path: Path) -> None:
    first = local_token(tmp_path, "ada")
    path = tmp_path / TOKEN_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_text()) >= 43
    assert local_token(tmp_path, "ada") == first


def test_a_local_token_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    first = local_token(tmp_path, "ada")
    (tmp_path / TOKEN_FILE).chmod(0o644)
    second = local_token(tmp_path, "ada")
    assert second.digest != first.digest
    assert stat.S_IMODE((tmp_path / TOKEN_FILE).stat().st_mode) == 0o600


def test_a_token_file_that_is_a_link_is_refused(tmp_path: Path) -> None:
    os.symlink(tmp_path / "elsewhere", tmp_path / TOKEN_FILE)
    with pytest.raises(UserError, match="TOKEN_FILE_UNUSABLE"):
        local_token(tmp_path, "ada")


def test_a_body_that_is_too_large_is_refused_before_it_is_read(http: httpx.Client) -> None:
    answer = http.post("/api/v1/statements", json={"sql": "x" * 20_000})
    assert answer.status_code == 413
    assert answer.json()["error"]["condition"] == "BODY_TOO_LARGE"


def test_a_body_of_unknown_length_is_refused_when_it_grows_too_large(http: httpx.Client) -> None:
    pieces = (b" " * 1000 for _ in range(20))
    answer = http.post("/api/v1/statements", content=pieces)
    assert answer.status_code == 413


def test_a_body_that_does_not_arrive_is_not_waited_for(server: Server, token: str) -> None:
    port = int(server.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as slow:
        slow.settimeout(10)
        head = f"POST /api/v1/statements HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        slow.sendall(
            f"{head}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{{".encode()
        )
        started = time.monotonic()
        assert slow.recv(1000).startswith(b"HTTP/1.1 408")
        assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"sql": 1}', b'{"sql": "x", "nope": 1}', b"\xff", b"null"]
)
def test_what_is_no_request_is_refused_in_our_shape(http: httpx.Client, content: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = http.post("/api/v1/statements", content=content, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["error"]["condition"] == "REQUEST_INVALID"


def test_a_port_that_is_taken_is_said_so(server: Server, lake: Path) -> None:
    port = int(server.url.rpartition(":")[2])
    service = Service.open(lake, loops=False)
    with pytest.raises(UserError, match="ADDRESS_NOT_FREE"):
        Server(service, Listening(port=port))
    service.close()


@pytest.mark.parametrize(
    ("host", "certificate", "exposed"),
    [
        ("127.0.0.1", None, False),
        ("localhost", None, False),
        ("::1", None, False),
        ("0.0.0.0", None, True),
        ("10.0.0.1", None, True),
        ("lake.example", None, True),
        ("0.0.0.0", "cert.pem", False),
    ],
)
def test_listening_beyond_this_machine_without_tls_is_exposed(
    host: str, certificate: str | None, exposed: bool
) -> None:
    assert Listening(host, 1, certificate, certificate).exposed is exposed


@pytest.mark.parametrize("given", [{"wait_seconds": True}, {"wait_seconds": "1"}, {"inline": "no"}])
def test_nothing_stands_for_a_value_of_another_type(
    http: httpx.Client, given: dict[str, object]
) -> None:
    answer = http.post("/api/v1/statements", json={"sql": "SHOW TABLES", **given})
    assert answer.status_code == 422, answer.text
    assert next(iter(given)) in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "body",
    [
        r'{"sql": "SHOW SCHEMAS LIKE \ud800"}',
        r'{"sql": "SHOW \u0000"}',
        r'{"sql": "SHOW TABLES LIKE ?", "parameters": ["\ud800"]}',
        r'{"sql": "SHOW TABLES LIKE ?", "parameters": [NaN]}',
        '{"sql": "SHOW TABLES LIKE ?", "parameters": [' + "9" * 5000 + "]}",
        '{"sql": "SHOW TABLES LIKE ?", "parameters": ' + "[" * 900 + "]" * 900 + "}",
        '{"sql": "SHOW TABLES LIKE ?", "parameters": {"a": 1}}',
        '{"sql": "SHOW TABLES", "wait_seconds": NaN}',
        '{"sql": "SHOW TABLES", "session": "\\ud800"}',
        "[" * 4000,
    ],
)
def test_strange_values_are_no_bugs(http: httpx.Client, body: str) -> None:
    headers = {"Content-Type": "application/json"}
    answer = http.post("/api/v1/statements", content=body.encode(), headers=headers)
    assert answer.status_code < 500, answer.text
    if answer.status_code == 200:
        assert (answer.json()["error"] or {}).get("condition") != "BUG", answer.text
    else:
        assert answer.json()["error"]["condition"] != "BUG"
    listed = http.get("/api/v1/jobs")
    assert listed.status_code == 200
    for job in listed.json()["jobs"]:
        assert http.get(f"/api/v1/jobs/{job['id']}").status_code == 200


def test_a_client_that_does_not_read_is_let_go(
    lake: Path, server: Server, token: str, http: httpx.Client, monkeypatch
) -> None:
    """Its answer is larger than what the kernel takes in for it."""
    table = pyarrow.table({"n": pyarrow.array(range(4_000_000), type=pyarrow.int64())})
    result = Result.from_arrow([Column("n", "bigint")], table, time_zone="UTC")
    monkeypatch.setattr(Session, "run", lambda session, text, **more: result)
    sent = http.post("/api/v1/statements", json={"sql": "SELECT 1", "wait_seconds": 20}).json()
    port = int(server.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as slow:
        page = f"/api/v1/statements/{sent['id']}/results/0"
        head = f"GET {page} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        slow.sendall(f"{head}Accept: {ARROW_STREAM}\r\n\r\n".encode())
        tasks = server._uvicorn.server_state.tasks
        wait_for(lambda: bool(tasks), "the answer to begin")
        wait_for(lambda: not tasks, "the answer to be given up")
        assert not server.service.statements.find(sent["id"], ADA).fetched
