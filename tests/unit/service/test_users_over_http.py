"""Users of the lake at the service's door: tokens, passwords, and rights that hold there too."""

from __future__ import annotations

import httpx
import pytest
from pyhive import hive
from tests.hive_client import connect_hive

from headwater.service.server import Listening, Server


def asked(server: Server, sql: str, **how: object) -> httpx.Response:
    with httpx.Client(base_url=server.url, trust_env=False, verify=False, **how) as client:
        return client.post("/api/v1/statements", json={"sql": sql, "wait_seconds": 20})


def bearer(token: str) -> dict[str, object]:
    return {"headers": {"Authorization": f"Bearer {token}"}}


@pytest.fixture
def token(server: Server) -> str:
    """A token of ann, a viewer."""
    made = server.new_admin_token
    assert made is not None
    for sql in ("CREATE USER ann PASSWORD 'correct horse' ROLE viewer", "CREATE SCHEMA hidden"):
        assert asked(server, sql, **bearer(made)).status_code == 200
    answer = asked(server, "CREATE TOKEN laptop FOR USER ann", **bearer(made)).json()
    (result,) = [r for r in rows(server, answer["id"], made) if "token" in r]
    return result["token"]


def rows(server: Server, statement: str, token: str) -> list[dict[str, str]]:
    with httpx.Client(
        base_url=server.url, trust_env=False, verify=False, **bearer(token)
    ) as client:
        body = client.get(f"/api/v1/statements/{statement}/results/0").json()
    names = [column["name"] for column in body["columns"]]
    return [dict(zip(names, row, strict=True)) for row in body["rows"]]


def test_a_viewer_sees_what_it_may_and_changes_nothing(server: Server, token: str) -> None:
    allowed = asked(server, "SHOW JOBS", **bearer(token)).json()
    assert allowed["state"] == "SUCCEED"
    refused = asked(server, "DROP SCHEMA hidden", **bearer(token)).json()
    assert refused["state"] == "FAILED"
    assert refused["error"]["condition"] in ("ACCESS_DENIED", "SCHEMA_NOT_FOUND")


def test_a_viewer_sees_no_jobs_of_others(server: Server, token: str) -> None:
    asked(server, "SHOW SCHEMAS", **bearer(token))
    with httpx.Client(
        base_url=server.url, trust_env=False, verify=False, **bearer(token)
    ) as client:
        assert {job["creator"] for job in client.get("/api/v1/jobs").json()["jobs"]} == {"ann"}
    with httpx.Client(
        base_url=server.url, trust_env=False, verify=False, **bearer(server.new_admin_token or "")
    ) as client:
        jobs = client.get("/api/v1/jobs").json()["jobs"]
        own = next(job["id"] for job in jobs if job["creator"] == "admin")
        assert client.get(f"/api/v1/jobs/{own}/profile").json()["job_id"] == own
    with httpx.Client(
        base_url=server.url, trust_env=False, verify=False, **bearer(token)
    ) as client:
        for page in (f"/api/v1/jobs/{own}", f"/api/v1/jobs/{own}/profile"):
            assert client.get(page).status_code == 404


def test_what_is_everybodys_is_for_operators(server: Server, token: str) -> None:
    with httpx.Client(
        base_url=server.url, trust_env=False, verify=False, **bearer(token)
    ) as client:
        for method, page in (("POST", "/api/v1/runs"), ("GET", "/metrics")):
            answer = client.request(method, page)
            assert answer.status_code == 403, page
            assert answer.json()["error"]["condition"] == "ACCESS_DENIED"


def test_a_name_and_password_do_as_well(server: Server, token: str) -> None:
    right = asked(server, "SHOW SCHEMAS", auth=("ann", "correct horse"))
    assert right.json()["state"] == "SUCCEED"
    assert asked(server, "SHOW SCHEMAS", auth=("ann", "wrong")).status_code == 401
    assert asked(server, "SHOW SCHEMAS", auth=("nobody", "wrong")).status_code == 401


def test_a_token_that_was_dropped_and_a_disabled_user_open_nothing(
    server: Server, token: str
) -> None:
    admin = server.new_admin_token or ""
    asked(server, "ALTER USER ann SET DISABLED = TRUE", **bearer(admin))
    assert asked(server, "SHOW SCHEMAS", **bearer(token)).status_code == 401
    asked(server, "ALTER USER ann SET DISABLED = FALSE", **bearer(admin))
    assert asked(server, "SHOW SCHEMAS", **bearer(token)).status_code == 200
    asked(server, "DROP TOKEN laptop FOR USER ann", **bearer(admin))
    assert asked(server, "SHOW SCHEMAS", **bearer(token)).status_code == 401


def test_who_guesses_passwords_has_to_wait(server: Server, token: str) -> None:
    answers = [asked(server, "SHOW SCHEMAS", auth=("ann", f"guess{i}")) for i in range(12)]
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["Retry-After"]) >= 1


@pytest.fixture
def listening() -> Listening:
    return Listening(port=0, hive_port=0)


def test_the_endpoint_for_jdbc_has_the_same_users_and_rights(server: Server, token: str) -> None:
    assert server.hive_url is not None
    port = int(server.hive_url.rstrip("/").rpartition(":")[2])
    for secret in ("correct horse", token):
        with connect_hive(port, username="ann", password=secret) as it:
            cursor = it.cursor()
            with pytest.raises(hive.OperationalError, match=r"ACCESS_DENIED|SCHEMA_NOT_FOUND"):
                cursor.execute("DROP SCHEMA hidden")
            cursor.execute("SHOW SCHEMAS")
            assert ("hidden",) not in cursor.fetchall()
    with pytest.raises(Exception, match="the name or the secret is wrong"):
        connect_hive(port, username="ann", password="wrong")
