"""Statements over HTTP: sent, waited for, paged, cancelled, refused."""

from __future__ import annotations

import io

import httpx
import pytest

from headwater.service.server import Server
from headwater.wire.results import ARROW_STREAM, read_stream


def run(http: httpx.Client, sql: str, **more: object) -> dict:
    answer = http.post("/api/v1/statements", json={"sql": sql, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_statement_runs_and_says_what_came_of_it(http: httpx.Client) -> None:
    done = run(http, "CREATE SCHEMA one; SHOW SCHEMAS")
    assert done["state"] == "SUCCEED"
    assert done["error"] is None
    assert [result["message"] for result in done["results"]] == ["schema one created", ""]
    assert done["results"][1]["columns"] == [{"name": "schema_name", "type": "string"}]
    assert done["job_ids"] == [result["job_id"] for result in done["results"]]


def test_rows_come_page_by_page(http: httpx.Client) -> None:
    for name in ("a", "b", "c"):
        run(http, f"CREATE SCHEMA {name}")
    page = f"/api/v1/statements/{run(http, 'SHOW SCHEMAS')['id']}/results/0"
    cursor, rows = "0", []
    while cursor is not None:
        body = http.get(page, params={"cursor": cursor, "limit": 3}).json()
        assert len(body["rows"]) <= 3
        rows += body["rows"]
        cursor = body["next_cursor"]
    assert rows == [["a"], ["b"], ["c"], ["public"]]
    assert http.get(page, params={"cursor": "99"}).json()["rows"] == []


def test_rows_come_as_an_arrow_stream(http: httpx.Client) -> None:
    done = run(http, "SHOW SCHEMAS")
    page = f"/api/v1/statements/{done['id']}/results/0"
    answer = http.get(page, headers={"Accept": ARROW_STREAM})
    assert answer.headers["content-type"] == ARROW_STREAM
    result = read_stream(io.BytesIO(answer.content))
    assert result.rows == [("public",)]
    assert result.job_id == done["job_ids"][0]


def test_a_result_that_is_not_to_be_kept_is_gone_when_it_was_sent(
    http: httpx.Client, server: Server
) -> None:
    done = run(http, "SHOW SCHEMAS; SHOW SCHEMAS")
    page = f"/api/v1/statements/{done['id']}/results"
    asked = {"headers": {"Accept": ARROW_STREAM}, "params": {"keep": "false"}}
    first = http.get(f"{page}/0", **asked)
    assert int(first.headers["content-length"]) == len(first.content)
    # It is gone with the last of its results only.
    assert http.get(f"{page}/1").json()["rows"] == [["public"]]
    assert http.get(f"{page}/1", **asked).status_code == 200
    assert http.get(f"/api/v1/statements/{done['id']}").status_code == 404
    assert server.service.statements.kept_bytes() == 0


def test_a_statement_that_fails_says_where_and_what_to_type(http: httpx.Client) -> None:
    failed = run(http, "DESC nowhere")
    assert failed["state"] == "FAILED"
    error = failed["error"]
    assert error["condition"] == "TABLE_NOT_FOUND"
    assert error["span"] == {"start": 5, "end": 12}
    assert error["sqlstate"] == "42P01"
    assert "Traceback" not in str(failed)


def test_parameters_become_literals(http: httpx.Client) -> None:
    run(http, "CREATE SCHEMA quoted COMMENT ?", parameters=["it's"])
    done = run(http, "DESC SCHEMA quoted")
    rows = http.get(f"/api/v1/statements/{done['id']}/results/0").json()["rows"]
    assert ["comment", "it's"] in rows


def test_sessions_keep_their_schema_and_settings_apart(http: httpx.Client) -> None:
    one, two = (http.post("/api/v1/sessions").json()["id"] for _ in range(2))
    run(http, "CREATE SCHEMA s; USE s", session=one)
    assert run(http, "SHOW TABLES", session=one)["current_schema"] == "s"
    assert run(http, "SHOW TABLES", session=two)["current_schema"] == "public"
    assert http.delete(f"/api/v1/sessions/{one}").status_code == 204
    gone = http.post("/api/v1/statements", json={"sql": "SHOW TABLES", "session": one})
    assert gone.status_code == 404
    assert gone.json()["error"]["condition"] == "SESSION_NOT_FOUND"


@pytest.mark.parametrize(
    "sql", ["PUT '/etc/passwd' TO VOLUME v", "-- hi\nget VOLUME v FILE 'x' TO '/tmp'"]
)
def test_files_of_the_services_machine_stay_where_they_are(http: httpx.Client, sql: str) -> None:
    assert run(http, sql)["error"]["condition"] == "LOCAL_FILES_NOT_REMOTE"


def test_no_secret_comes_back(http: httpx.Client) -> None:
    secret = "hunter2-S3CR3T"
    texts = [
        f"CREATE STORAGE CONNECTION c TYPE OSS ACCESS_ID = 'id' ACCESS_KEY = '{secret}'",
        f"CREATE SCHEMA s PROPERTIES ('password' = '{secret}'",
        f"SHOW TABLES WHERE password = '{secret}' AND nope",
        f"PUT 's3://user:{secret}@host/x' TO VOLUME v",
    ]
    shown = "".join(str(run(http, text)) for text in texts)
    shown += http.get("/api/v1/jobs").text
    for job in http.get("/api/v1/jobs").json()["jobs"]:
        shown += http.get(f"/api/v1/jobs/{job['id']}").text
    shown += http.post("/api/v1/statements", json={"sql": 1, "password": secret}).text
    assert "****" in shown
    assert secret not in shown


def test_who_asks_in_a_wrong_way_is_told_all_right_ones(http: httpx.Client) -> None:
    answer = http.post("/api/v1/exchanges/x/files/y")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, PUT")


def test_sql_by_get_is_refused(http: httpx.Client) -> None:
    answer = http.get("/api/v1/statements", params={"sql": "DROP SCHEMA public"})
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"
    assert answer.json()["error"]["condition"] == "METHOD_NOT_ALLOWED"


def test_jobs_are_found(http: httpx.Client) -> None:
    done = run(http, "CREATE SCHEMA jobs")
    (job,) = http.get("/api/v1/jobs").json()["jobs"]
    assert (job["id"], job["state"], job["text"]) == (
        done["job_ids"][0],
        "SUCCEED",
        "CREATE SCHEMA jobs",
    )
    detail = http.get(f"/api/v1/jobs/{job['id']}").json()
    assert detail["kind"] == "CREATE_SCHEMA"
    assert http.get("/api/v1/jobs/nope").status_code == 404


def test_the_creator_of_a_job_is_whoever_has_the_token(http: httpx.Client, server: Server) -> None:
    run(http, "CREATE SCHEMA mine")
    (job,) = http.get("/api/v1/jobs").json()["jobs"]
    assert job["creator"] == server.service.lake.config.user


def test_results_that_are_not_there_are_said_so(http: httpx.Client) -> None:
    done = run(http, "CREATE SCHEMA x")
    for page in (f"/api/v1/statements/{done['id']}/results/0", "/api/v1/statements/nope"):
        assert http.get(page).status_code == 404
